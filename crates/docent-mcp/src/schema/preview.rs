//! Short renderings of JSON values for messages, whatever the size of the value.
//!
//! Fed by every keyword that reports a violation. Feeds the text that a language model or a
//! person reads to correct the value.

use serde_json::Value;
use std::fmt::Write as _;

const TEXT_BYTES_MAX: usize = 80;
const MESSAGE_BYTES_MAX: usize = 300;
const LIST_ITEMS_MAX: usize = 16;

/// The value as JSON, cut when long.
pub(super) fn literal(value: &Value) -> String {
    let mut sink = Sink { text: String::new(), full: false };
    sink.value(value);
    sink.text
}

/// The kind of the value and the value: `integer 5`, `string "a"`, `null`.
pub(super) fn describe(value: &Value) -> String {
    let kind = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(_) => "boolean",
        Value::Number(number) if super::number::Num::of(number).is_integer() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("{kind} {}", literal(value))
}

/// The text in JSON quotes, cut when long.
pub(super) fn quoted(text: &str) -> String {
    let mut sink = Sink { text: String::new(), full: false };
    sink.string(text);
    sink.text
}

/// The text itself, cut when long.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_BYTES_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A message cut to a length at which several of them still make one message.
pub(super) fn clip(mut text: String) -> String {
    let mut end = MESSAGE_BYTES_MAX.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if end < text.len() {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Joins already rendered items with commas, and counts those left out.
pub(super) fn list(items: impl ExactSizeIterator<Item = String>) -> String {
    let total = items.len();
    let mut out = String::new();
    for (index, item) in items.take(LIST_ITEMS_MAX).enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        out.push_str(&item);
    }
    if total > LIST_ITEMS_MAX {
        let _ = write!(out, " and {} more", total - LIST_ITEMS_MAX);
    }
    out
}

/// `1 item`, `2 items`.
pub(super) fn count(number: u64, singular: &str, plural: &str) -> String {
    format!("{number} {}", if number == 1 { singular } else { plural })
}

/// Writes JSON up to the limit. Nothing past the limit is even looked at, so the cost does
/// not depend on the size of the value; each level writes a bracket, so neither does depth.
struct Sink {
    text: String,
    full: bool,
}

impl Sink {
    fn push(&mut self, c: char) {
        if self.full {
            return;
        }
        self.full = self.text.len() >= TEXT_BYTES_MAX;
        self.text.push(if self.full { '…' } else { c });
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.string(text),
            Value::Array(items) => {
                self.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.push(',');
                    }
                    if self.full {
                        return;
                    }
                    self.value(item);
                }
                self.push(']');
            }
            Value::Object(entries) => {
                self.push('{');
                for (index, (name, entry)) in entries.iter().enumerate() {
                    if index > 0 {
                        self.push(',');
                    }
                    self.string(name);
                    self.push(':');
                    if self.full {
                        return;
                    }
                    self.value(entry);
                }
                self.push('}');
            }
            scalar => scalar.to_string().chars().for_each(|c| self.push(c)),
        }
    }

    fn string(&mut self, text: &str) {
        self.push('"');
        for c in text.chars() {
            if self.full {
                return;
            }
            match c {
                '"' | '\\' => {
                    self.push('\\');
                    self.push(c);
                }
                _ if c.is_control() => c.escape_unicode().for_each(|c| self.push(c)),
                _ => self.push(c),
            }
        }
        self.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::{describe, literal, quoted};
    use serde_json::json;

    #[test]
    fn renderings_are_short_and_whole_characters() {
        let table = [
            (json!(null), "null", "null"),
            (json!(true), "true", "boolean true"),
            (json!(5.0), "5.0", "integer 5.0"),
            (json!(2.5), "2.5", "number 2.5"),
            (json!("a\"b"), "\"a\\\"b\"", "string \"a\\\"b\""),
            (json!([1, 2]), "[1,2]", "array [1,2]"),
        ];
        for (value, short, long) in table {
            assert_eq!(literal(&value), short);
            assert_eq!(describe(&value), long);
        }
        let long = "é".repeat(1_000);
        assert!(quoted(&long).len() < 90);
        assert!(literal(&json!([long])).ends_with('…'));
    }
}
