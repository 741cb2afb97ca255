//! A converted entry as the text of a file.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Conversion;
use crate::config::dialect::Dialect;
use crate::config::input::Input;

impl Conversion {
    /// A whole file with this server alone, in the format of the client.
    #[must_use]
    pub fn to_file(&self) -> String {
        // What has no place in an empty text has none anywhere; only YAML cannot be changed.
        self.put_into("").unwrap_or_else(|_| {
            let mut text = String::new();
            yaml(&self.tree(), 0, &mut text);
            text
        })
    }

    /// The tables from the root of a file down to the entry, and the questions beside them.
    fn tree(&self) -> Value {
        let path = Dialect::of(self.client).roots.last().copied().unwrap_or_default();
        let servers = json!({ &self.server: self.entry });
        let mut tree = path.iter().rev().fold(servers, |tree, key| json!({ *key: tree }));
        if !self.inputs.is_empty() {
            tree["inputs"] = self.questions();
        }
        tree
    }

    /// The questions as a file holds them.
    pub(crate) fn questions(&self) -> Value {
        self.inputs.iter().map(question).collect()
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
