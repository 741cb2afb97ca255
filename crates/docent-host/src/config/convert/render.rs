//! A converted entry as the text of a file.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Conversion;
use crate::config::dialect::Dialect;
use crate::config::input::Input;
use crate::config::read::Format;

impl Conversion {
    /// A whole file with this server alone, in the format of the client.
    #[must_use]
    pub fn to_file(&self) -> String {
        let dialect = Dialect::of(self.client);
        match dialect.format {
            Format::Toml => self.to_toml(),
            Format::Json(_) => format!("{:#}\n", self.tree()),
            Format::Yaml => {
                let mut text = String::new();
                yaml(&self.tree(), 0, &mut text);
                text
            }
        }
    }

    /// The tables from the root of a file down to the entry, and the questions beside them.
    pub(crate) fn tree(&self) -> Value {
        let path = Dialect::of(self.client).roots[0];
        let servers = json!({ &self.server: self.entry });
        let mut tree = path.iter().rev().fold(servers, |tree, key| json!({ *key: tree }));
        if !self.inputs.is_empty() {
            tree["inputs"] = self.inputs.iter().map(question).collect();
        }
        tree
    }

    /// The server's tables, to be put at the end of a file.
    pub(crate) fn to_toml(&self) -> String {
        let path = Dialect::of(self.client).roots[0].join(".");
        let mut text = String::new();
        table(&format!("{path}.{}", key(&self.server)), &self.entry, &mut text);
        for input in &self.inputs {
            let _ = writeln!(text, "\n[[inputs]]");
            fields(&question(input), &mut text);
        }
        text
    }
}

fn question(input: &Input) -> Value {
    let mut question = json!({
        "type": if input.options.is_empty() { "promptString" } else { "pickString" },
        "id": input.id,
        "description": input.description,
    });
    if input.password {
        question["password"] = json!(true);
    }
    if let Some(default) = &input.default {
        question["default"] = json!(default);
    }
    if !input.options.is_empty() {
        question["options"] = json!(input.options);
    }
    question
}

/// A table with its header; the tables in it follow with theirs.
fn table(path: &str, value: &Value, text: &mut String) {
    let _ = writeln!(text, "[{path}]");
    fields(value, text);
    for (name, inner) in value.as_object().into_iter().flatten() {
        if inner.is_object() {
            text.push('\n');
            table(&format!("{path}.{}", key(name)), inner, text);
        }
    }
}

fn fields(value: &Value, text: &mut String) {
    for (name, value) in value.as_object().into_iter().flatten() {
        if !value.is_object() {
            let _ = writeln!(text, "{} = {}", key(name), toml(value));
        }
    }
}

fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => toml(&json!(name)),
    }
}

fn toml(value: &Value) -> String {
    match value {
        Value::String(text) => toml::Value::String(text.clone()).to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(toml).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// YAML in blocks. Texts are written as JSON texts, which are YAML too.
fn yaml(value: &Value, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    for (name, value) in value.as_object().into_iter().flatten() {
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        let name = if plain { name.clone() } else { json!(name).to_string() };
        match value {
            Value::Object(_) => {
                let _ = writeln!(text, "{indent}{name}:");
                yaml(value, depth + 1, text);
            }
            _ => {
                let _ = writeln!(text, "{indent}{name}: {value}");
            }
        }
    }
}
