//! What is told of values where they themselves must not show: the record of calls, and pages that
//! people look at. What is not written down cannot leak.

use serde_json::Value;

/// The kind and length of each argument, by its name, in place of its value.
#[must_use]
pub fn outline(arguments: &Value) -> Value {
    let Value::Object(arguments) = arguments else { return kind(arguments).into() };
    let outlined = arguments.iter().map(|(name, value)| (name.clone(), kind(value).into()));
    Value::Object(outlined.collect())
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "boolean".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::String(text) => format!("string of {}", text.chars().count()),
        Value::Array(items) => format!("array of {}", items.len()),
        Value::Object(fields) => format!("object of {}", fields.len()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_told_without_their_values() {
        let outlined = outline(&json!({ "token": "hunter2", "n": 7, "list": [1, 2], "o": {} }));
        let expected = json!({ "token": "string of 7", "n": "number", "list": "array of 2", "o": "object of 0" });
        assert_eq!(outlined, expected);
    }
}
