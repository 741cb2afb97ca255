//! Which model a sampling request should go to.

use crate::types::ModelPreferences;

impl ModelPreferences {
    /// The model that the hints ask for: the first hint that is part of the name of a model
    /// decides, and of several such models the first.
    ///
    /// Hints are wishes. When none fits, it is up to the caller to choose by the priorities.
    ///
    /// ```
    /// use docent_mcp::types::{ModelHint, ModelPreferences};
    ///
    /// let hint = |name: &str| ModelHint { name: Some(name.into()), ..Default::default() };
    /// let wish = ModelPreferences { hints: vec![hint("sonnet"), hint("claude")], ..Default::default() };
    /// assert_eq!(wish.hinted(["gpt-5", "claude-opus", "claude-sonnet"]), Some("claude-sonnet"));
    /// assert_eq!(wish.hinted(["gpt-5", "claude-opus"]), Some("claude-opus"));
    /// assert_eq!(wish.hinted(["gpt-5"]), None);
    /// ```
    pub fn hinted<'a>(&self, models: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        let models: Vec<_> = models.into_iter().collect();
        let names = self.hints.iter().filter_map(|hint| hint.name.as_deref());
        names
            .filter(|name| !name.is_empty())
            .find_map(|name| models.iter().copied().find(|model| model.contains(name)))
    }
}
