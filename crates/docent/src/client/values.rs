//! Arguments from the command line: `key=text`, `key:=json`, or an object on standard input.

use std::io::Read as _;

use docent_mcp::types::JsonObject;
use serde_json::Value;

use crate::failure::Failure;

/// The longest object that is read from standard input.
const INPUT_BYTES_MAX: u64 = 16 << 20;

/// The arguments of a call. What is written as text becomes what the schema wants where that is
/// plain: a number, a truth value, a list.
pub(crate) fn arguments(pairs: &[String], schema: &Value) -> Result<JsonObject, Failure> {
    if pairs == ["-"] {
        return from_input();
    }
    let mut arguments = JsonObject::default();
    for pair in pairs {
        let (key, value) = one(pair, schema)?;
        arguments.insert(key, value);
    }
    Ok(arguments)
}

/// All of standard input as one object.
fn from_input() -> Result<JsonObject, Failure> {
    let mut text = String::new();
    let mut input = std::io::stdin().lock().take(INPUT_BYTES_MAX);
    input
        .read_to_string(&mut text)
        .map_err(|error| Failure::io("standard input cannot be read", &error))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("standard input is not a JSON object: {error}")))
}

fn one(pair: &str, schema: &Value) -> Result<(String, Value), Failure> {
    let wrong = || {
        Failure::usage(format!("`{pair}` is no argument"))
            .hint("write `key=text`, `key:=json`, or `-` for an object on standard input")
    };
    let (key, text) = pair.split_once('=').ok_or_else(wrong)?;
    if let Some(key) = key.strip_suffix(':') {
        let value = serde_json::from_str(text).map_err(|error| {
            Failure::usage(format!("the value of `{key}` is not JSON: {error}"))
        })?;
        return Ok((key.to_owned(), value));
    }
    if key.is_empty() {
        return Err(wrong());
    }
    let kind = schema.pointer(&format!("/properties/{}/type", escaped(key)));
    Ok((key.to_owned(), typed(text, kind.and_then(Value::as_str))))
}

/// A key inside a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Text as a value of that type, if it can be read as one; as text otherwise, so that whoever checks
/// it says what is wrong.
fn typed(text: &str, kind: Option<&str>) -> Value {
    let parsed = || serde_json::from_str::<Value>(text).ok();
    let value = match kind {
        Some("integer" | "number") => parsed().filter(Value::is_number),
        Some("boolean") => parsed().filter(Value::is_boolean),
        Some("object") => parsed().filter(Value::is_object),
        Some("array") => parsed()
            .filter(Value::is_array)
            .or_else(|| Some(text.split(',').map(|part| Value::from(part.trim())).collect())),
        _ => None,
    };
    value.unwrap_or_else(|| Value::from(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_follow_the_schema() {
        let schema = json!({ "properties": {
            "n": { "type": "integer" }, "b": { "type": "boolean" }, "l": { "type": "array" },
            "s": { "type": "string" },
        }});
        let pairs =
            ["n=3", "b=true", "l=a, b", "s=3", "x:={\"y\":1}", "free=a=b"].map(str::to_owned);
        let expected = json!({
            "n": 3, "b": true, "l": ["a", "b"], "s": "3", "x": { "y": 1 }, "free": "a=b",
        });
        let found = arguments(&pairs, &schema).expect("arguments");
        assert_eq!(Value::Object(found), expected);
        for wrong in ["n", "=3", "x:=nothing"] {
            assert!(arguments(&[wrong.to_owned()], &schema).is_err(), "{wrong}");
        }
        // What does not fit stays as it is, for the server to refuse.
        let unfit = arguments(&["n=three".to_owned()], &schema).expect("arguments");
        assert_eq!(unfit["n"], "three");
    }
}
