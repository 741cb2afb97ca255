//! The words of OTLP in JSON.

use serde_json::{Value, json};

/// An attribute.
pub(super) fn attribute(key: &str, value: impl Into<Value>) -> Value {
    let value = match value.into() {
        Value::Number(number) => json!({ "intValue": number.to_string() }),
        Value::Bool(value) => json!({ "boolValue": value }),
        value => json!({ "stringValue": value }),
    };
    json!({ "key": key, "value": value })
}

/// All attributes that have a value.
pub(super) fn attributes<'a>(
    pairs: impl IntoIterator<Item = (&'a str, Option<Value>)>,
) -> Vec<Value> {
    let known = pairs.into_iter().filter_map(|(key, value)| Some((key, value?)));
    known.map(|(key, value)| attribute(key, value)).collect()
}

/// Who measures.
pub(super) fn scope() -> Value {
    json!({ "name": "docent-host", "version": env!("CARGO_PKG_VERSION") })
}
