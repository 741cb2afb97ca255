//! One server's entry in the text of a client's file, changed so that the rest stays as it is
//! written: comments, blanks, the order of things.
//!
//! `json` and `toml` change one member of a text; here is which member, by the client's dialect.

mod json;
mod toml;

use std::fmt;

use serde_json::{Map, Value};

use super::dialect::Dialect;
use super::entry::Client;
use super::read::Format;

/// Why the text of a file cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// It is not what such a file should be; where, and what is wrong.
    Broken(String),
    /// Files of this client are YAML, which cannot be changed without losing what the user wrote.
    ByHand,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::Broken(what) => f.write_str(what),
            EditError::ByHand => f.write_str("has to be edited by hand"),
        }
    }
}

impl std::error::Error for EditError {}

/// What a change comes to, or what is wrong with the text.
type Result<T, E = String> = std::result::Result<T, E>;

impl Client {
    /// What the text of a file says about a server.
    ///
    /// # Errors
    /// If the text is broken.
    pub fn entry_in(self, text: &str, server: &str) -> Result<Option<Value>, EditError> {
        let root = self.root_of(text)?;
        Ok(self.servers_in(&root).and_then(|servers| servers.get(server)).cloned())
    }

    /// The text with that entry for a server, added or in the place of the one it has.
    ///
    /// # Errors
    /// If the text is broken or cannot be changed safely.
    pub fn with_entry(self, text: &str, server: &str, entry: &Value) -> Result<String, EditError> {
        let root = self.root_of(text)?;
        let mut path = self.path_in(&root).to_vec();
        path.push(server);
        self.set(text, &path, entry)
    }

    /// The text without the entry of a server; the table that held it stays.
    ///
    /// # Errors
    /// If the text is broken or cannot be changed safely.
    pub fn without_entry(self, text: &str, server: &str) -> Result<String, EditError> {
        let root = self.root_of(text)?;
        let mut path = self.path_in(&root).to_vec();
        path.push(server);
        match Dialect::of(self).format {
            Format::Json(_) => json::remove(text, &path),
            Format::Toml => toml::remove(text, &path),
            Format::Yaml => return Err(EditError::ByHand),
        }
        .map_err(EditError::Broken)
    }

    /// The text with one member set, whatever it is for.
    pub(crate) fn set(self, text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
        match Dialect::of(self).format {
            Format::Json(_) => json::set(text, path, value),
            Format::Toml => toml::set(text, path, value),
            Format::Yaml => return Err(EditError::ByHand),
        }
        .map_err(EditError::Broken)
    }

    /// What the text means.
    pub(crate) fn root_of(self, text: &str) -> Result<Value, EditError> {
        match Dialect::of(self).format {
            Format::Json(_) => json::value(text),
            Format::Toml => toml::value(text),
            Format::Yaml => return Err(EditError::ByHand),
        }
        .map_err(EditError::Broken)
    }

    fn servers_in(self, root: &Value) -> Option<&Map<String, Value>> {
        let path = self.path_in(root);
        path.iter().try_fold(root, |value, key| value.get(key))?.as_object()
    }

    /// Where servers stand in this file. A client may have moved them between its versions: a file
    /// keeps to its own, and a new one is written for the older, which the newer reads too.
    fn path_in(self, root: &Value) -> &'static [&'static str] {
        let roots = Dialect::of(self).roots;
        let has = |path: &&&[&str]| {
            path.iter().try_fold(root, |value, key| value.get(key)).is_some_and(Value::is_object)
        };
        roots.iter().find(has).or(roots.last()).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_keeps_to_its_version() {
        let entry = json!({ "type": "local", "command": ["x"] });
        let check = |before: &str, path: &str| {
            let after = Client::Opencode.with_entry(before, "s", &entry).expect(before);
            let root = Client::Opencode.root_of(&after).expect("JSON");
            assert_eq!(root.pointer(path), Some(&entry), "{after}");
            assert_eq!(Client::Opencode.entry_in(&after, "s"), Ok(Some(entry.clone())));
        };
        check("", "/mcp/s");
        check(r#"{ "mcp": { "other": {} } }"#, "/mcp/s");
        check(r#"{ "mcp": { "servers": {} } }"#, "/mcp/servers/s");
    }

    #[test]
    fn yaml_is_left_to_its_owner() {
        assert_eq!(Client::Goose.with_entry("", "s", &json!({})), Err(EditError::ByHand));
    }
}
