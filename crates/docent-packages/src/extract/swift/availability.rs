//! What `@available` says: since when, until when, and what to use instead.
//!
//! Fed by [`super::attributes`] with the words between the brackets; feeds [`super::items`].

/// Since when something is there, and why not to use it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Availability {
    /// `macOS 10.15`, `iOS 13`.
    pub(super) since: Vec<String>,
    /// Why not to use it; empty if no reason is given.
    pub(super) deprecated: Option<String>,
}

impl Availability {
    /// Takes in the arguments of one attribute, each as its text.
    pub(super) fn add(&mut self, arguments: &[String]) {
        let mut platform = "";
        let (mut message, mut renamed) = (None, None);
        let (mut is_deprecated, mut is_unavailable) = (false, false);
        let mut since: Vec<String> = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let (key, value) = match argument.split_once(':') {
                Some((key, value)) => (key.trim(), Some(value.trim())),
                None => (argument.trim(), None),
            };
            match (key, value) {
                ("message", Some(text)) => message = Some(unquoted(text)),
                ("renamed", Some(name)) => renamed = Some(unquoted(name)),
                ("introduced", Some(version)) if !platform.is_empty() => {
                    since.push(format!("{platform} {version}"));
                }
                // A version far in the future means that nobody needs to care yet.
                ("deprecated", Some(version)) => is_deprecated |= !version.starts_with("100000"),
                ("deprecated", None) => is_deprecated = true,
                ("unavailable" | "obsoleted", _) => is_unavailable |= key == "unavailable",
                ("*" | "noasync", _) => {}
                (word, None) if at == 0 && !word.contains(' ') => platform = word,
                (word, None) if word.contains(' ') => since.push(word.to_owned()),
                _ => {}
            }
        }
        let is_for_all = matches!(platform, "" | "swift" | "Swift" | "_PackageDescription");
        if is_deprecated || (is_unavailable && is_for_all) {
            let mut reason = Vec::new();
            if !is_for_all {
                reason.push(format!("On {platform}."));
            }
            if is_unavailable {
                reason.push("Unavailable.".to_owned());
            }
            if let Some(name) = renamed.filter(|name| !name.is_empty()) {
                reason.push(format!("Renamed to `{name}`."));
            }
            reason.extend(message);
            let is_better = |old: &String| is_for_all && old.starts_with("On ");
            if self.deprecated.as_ref().is_none_or(is_better) {
                self.deprecated = Some(reason.join(" "));
            }
        } else if is_unavailable {
            since.push(format!("not {platform}"));
        }
        for version in since {
            if !self.since.contains(&version) && version != "_PackageDescription" {
                self.since.push(version);
            }
        }
    }

    /// What holds for something inside of what `outer` is said of.
    pub(super) fn within(&self, outer: &Self) -> Self {
        let since = if self.since.is_empty() { &outer.since } else { &self.since };
        let deprecated = self.deprecated.clone().or_else(|| outer.deprecated.clone());
        Self { since: since.clone(), deprecated }
    }
}

/// The text of a string literal; escapes of lines are folded.
fn unquoted(literal: &str) -> String {
    let inner = literal.trim_matches('#').trim_matches('"');
    let inner = inner.replace("\\\"", "\"").replace("\\n", " ");
    inner.split_whitespace().filter(|word| *word != "\\").collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(attributes: &[&[&str]], since: &str, deprecated: Option<&str>) {
        let mut availability = Availability::default();
        for arguments in attributes {
            let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
            availability.add(&arguments);
        }
        assert_eq!(availability.since.join(", "), since);
        assert_eq!(availability.deprecated.as_deref(), deprecated);
    }

    #[test]
    fn attributes_add_up() {
        check(&[&["macOS 10.15", "iOS 13", "*"]], "macOS 10.15, iOS 13", None);
        check(&[&["macOS", "introduced: 12"], &["iOS", "unavailable"]], "macOS 12, not iOS", None);
        check(&[&["*", "deprecated"]], "", Some(""));
        check(
            &[&["*", "deprecated", "renamed: \"b(_:)\"", "message: \"Say \\\"b\\\".\""]],
            "",
            Some("Renamed to `b(_:)`. Say \"b\"."),
        );
        check(&[&["*", "unavailable", "message: \"No.\""]], "", Some("Unavailable. No."));
        check(&[&["macOS", "deprecated: 12", "message: \"x\""]], "", Some("On macOS. x"));
        check(&[&["macOS", "deprecated: 100000.0"]], "", None);
        check(&[&["swift", "deprecated: 5.8", "renamed: \"c\""]], "", Some("Renamed to `c`."));
        check(&[&["*", "noasync"], &[]], "", None);
    }
}
