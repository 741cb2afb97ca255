//! The variables of a template: given to `expand`, found by `matching`.

use std::collections::{BTreeMap, btree_map};

/// The value of one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UriValue {
    /// A string.
    Text(String),
    /// A list of strings. An empty list counts as undefined.
    List(Vec<String>),
    /// Names with values, in order. An empty map counts as undefined.
    Map(Vec<(String, String)>),
}

impl UriValue {
    /// The string, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            UriValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&[String]> {
        match self {
            UriValue::List(items) => Some(items),
            _ => None,
        }
    }

    /// The pairs, if it is a map.
    pub fn as_map(&self) -> Option<&[(String, String)]> {
        match self {
            UriValue::Map(pairs) => Some(pairs),
            _ => None,
        }
    }
}

impl From<&str> for UriValue {
    fn from(text: &str) -> Self {
        UriValue::Text(text.to_owned())
    }
}

impl From<String> for UriValue {
    fn from(text: String) -> Self {
        UriValue::Text(text)
    }
}

impl From<Vec<String>> for UriValue {
    fn from(items: Vec<String>) -> Self {
        UriValue::List(items)
    }
}

impl<const N: usize> From<[&str; N]> for UriValue {
    fn from(items: [&str; N]) -> Self {
        UriValue::List(items.map(str::to_owned).to_vec())
    }
}

impl<const N: usize> From<[(&str, &str); N]> for UriValue {
    fn from(pairs: [(&str, &str); N]) -> Self {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        UriValue::Map(pairs.map(owned).to_vec())
    }
}

/// Variables by name. One that is not there is undefined, which is not the same as empty.
///
/// ```
/// use docent_mcp::uri::Variables;
///
/// let variables = Variables::new().with("crate", "serde").with("features", ["std", "derive"]);
/// assert_eq!(variables.get("crate"), Some("serde"));
/// assert_eq!(variables.list("features").map(<[String]>::len), Some(2));
/// assert!(variables.value("version").is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<String, UriValue>);

impl Variables {
    /// No variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable, or replaces its value.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<UriValue>) -> Self {
        self.set(name, value);
        self
    }

    /// Adds a variable, or replaces its value.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<UriValue>) {
        self.0.insert(name.into(), value.into());
    }

    /// The value of a variable that is a string, which all are that a template does not explode.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.value(name)?.as_text()
    }

    /// The value of a variable that is a list.
    pub fn list(&self, name: &str) -> Option<&[String]> {
        self.value(name)?.as_list()
    }

    /// The value of a variable, whatever it is.
    pub fn value(&self, name: &str) -> Option<&UriValue> {
        self.0.get(name)
    }

    /// How many variables are defined.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no variable is defined.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every name with its value, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &UriValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl IntoIterator for Variables {
    type Item = (String, UriValue);
    type IntoIter = btree_map::IntoIter<String, UriValue>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<N: Into<String>, V: Into<UriValue>> FromIterator<(N, V)> for Variables {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        Variables(entries.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}
