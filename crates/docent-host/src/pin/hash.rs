//! From a tool's definition to hashes, for the whole and for each part.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ring::digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::hex;

/// A definition, as hashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pin {
    /// Of the whole definition.
    pub(super) hash: String,
    /// Of each part but the name, shortened: they say where a change is, not whether there is one.
    pub(super) parts: BTreeMap<String, String>,
}

const SHORT: usize = 16;

impl Pin {
    /// Takes a definition apart. Where keys stand in a table makes no difference.
    pub(super) fn of(tool: &Value) -> Self {
        let parts = tool.as_object().into_iter().flatten();
        let parts = parts.filter(|(name, _)| *name != "name");
        let short = |value| hash(value)[..SHORT].to_owned();
        Pin {
            hash: hash(tool),
            parts: parts.map(|(name, value)| (name.clone(), short(value))).collect(),
        }
    }
}

/// The name of a tool; empty if its definition has none.
pub(super) fn name(tool: &Value) -> &str {
    tool.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn hash(value: &Value) -> String {
    let mut text = String::new();
    canonical(value, &mut text);
    hex(digest::digest(&digest::SHA256, text.as_bytes()).as_ref())
}

/// JSON with sorted keys and without spaces.
fn canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(entries) => {
            let sorted: BTreeMap<_, _> = entries.iter().collect();
            text.push('{');
            for (index, (key, value)) in sorted.into_iter().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                let _ = write!(text, "{comma}{}:", Value::from(key.as_str()));
                canonical(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                canonical(item, text);
            }
            text.push(']');
        }
        scalar => {
            let _ = write!(text, "{scalar}");
        }
    }
}
