//! Files as trees that remember their lines.
//!
//! One kind of tree for JSON, TOML and YAML, made by `json`, `toml` and `yaml`. Whoever complains
//! about a value can say where it stands.

mod json;
#[cfg(test)]
mod tests;
mod toml;
mod yaml;

pub(crate) use json::Leniency;

/// A value and the line it starts on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) line: u32,
    pub(crate) value: Value,
}

/// What a value is. Numbers stay as they are written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Node>),
    Table(Vec<(Key, Node)>),
}

/// A key and the line it stands on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub(crate) line: u32,
    pub(crate) text: String,
}

/// Why a file cannot be read, and where.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) line: u32,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(line: u32, message: impl Into<String>) -> Self {
        Fault { line, message: message.into() }
    }
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json(Leniency),
    Toml,
    Yaml,
}

/// Values are not nested deeper than this in any configuration that a person wrote.
const DEPTH_MAX: usize = 64;

/// Reads a text.
pub(crate) fn read(text: &str, format: Format) -> Result<Node, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Json(leniency) => json::read(text, leniency),
        Format::Toml => toml::read(text),
        Format::Yaml => yaml::read(text),
    }
}

impl Node {
    /// The value of a key, if this is a table that has it.
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        // Of a key that occurs twice, the last counts, as in every client's reader.
        self.table()?.iter().rev().find(|(key, _)| key.text == name).map(|(_, node)| node)
    }

    /// The value at a path of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, name| node.get(name))
    }

    pub(crate) fn table(&self) -> Option<&[(Key, Node)]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn bool(&self) -> Option<bool> {
        match &self.value {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// A number of units, if it is one that makes sense as a time.
    pub(crate) fn number(&self) -> Option<f64> {
        match &self.value {
            Value::Number(text) => text.replace('_', "").parse().ok().filter(|n: &f64| *n >= 0.0),
            _ => None,
        }
    }

    /// The text of a scalar: numbers and truth values stand for themselves where texts are wanted.
    pub(crate) fn scalar(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) | Value::Number(text) => Some(text.clone()),
            Value::Bool(value) => Some(value.to_string()),
            Value::Null | Value::List(_) | Value::Table(_) => None,
        }
    }

    /// What kind of value it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

/// The keys that stand twice in a table, and where; a sign of a merge gone wrong.
pub(crate) fn repeated(entries: &[(Key, Node)]) -> impl Iterator<Item = &Key> {
    entries.iter().enumerate().filter_map(|(index, (key, _))| {
        entries[..index].iter().any(|(other, _)| other.text == key.text).then_some(key)
    })
}
