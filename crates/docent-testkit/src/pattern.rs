//! JSON with holes, to say what a message must look like.
//!
//! | in the pattern | matches |
//! |---|---|
//! | `"…"` | anything |
//! | `"…text…"`, `"text…"`, `"…text"` | a string that holds, starts with or ends with the text |
//! | an object with the key `"…"` | the same object, with any further keys |
//! | anything else | itself; numbers by value |

use serde_json::Value;

/// The hole.
const ANY: &str = "…";

/// Compares, and says where and how the value differs from the pattern.
pub fn matches(pattern: &Value, value: &Value) -> Result<(), String> {
    at("", pattern, value)
}

fn at(path: &str, pattern: &Value, value: &Value) -> Result<(), String> {
    let differs = || Err(format!("at {path:?}: expected {pattern}, got {value}"));
    match (pattern, value) {
        (Value::String(pattern), value) if pattern.contains(ANY) => match text(pattern, value) {
            true => Ok(()),
            false => differs(),
        },
        (Value::Object(pattern), Value::Object(value)) => {
            for (key, pattern) in pattern.iter().filter(|(key, _)| *key != ANY) {
                match value.get(key) {
                    Some(value) => at(&format!("{path}/{key}"), pattern, value)?,
                    None => return Err(format!("at {path:?}: `{key}` is missing")),
                }
            }
            let unexpected = value.keys().find(|key| !pattern.contains_key(*key));
            match unexpected.filter(|_| !pattern.contains_key(ANY)) {
                Some(key) => Err(format!("at {path:?}: `{key}` is unexpected: {}", value[key])),
                None => Ok(()),
            }
        }
        (Value::Array(pattern), Value::Array(values)) if pattern.len() == values.len() => pattern
            .iter()
            .zip(values)
            .enumerate()
            .try_for_each(|(n, (pattern, value))| at(&format!("{path}/{n}"), pattern, value)),
        (Value::Number(pattern), Value::Number(value)) if pattern.as_f64() == value.as_f64() => {
            Ok(())
        }
        (pattern, value) if pattern == value => Ok(()),
        _ => differs(),
    }
}

fn text(pattern: &str, value: &Value) -> bool {
    if pattern == ANY {
        return true;
    }
    let Some(value) = value.as_str() else { return false };
    match (pattern.strip_prefix(ANY), pattern.strip_suffix(ANY)) {
        (Some(_), Some(_)) => value.contains(pattern.trim_matches('…')),
        (Some(end), None) => value.ends_with(end),
        (None, Some(start)) => value.starts_with(start),
        (None, None) => value == pattern,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn patterns() {
        for (pattern, value, expected) in [
            (json!("…"), json!([1]), true),
            (json!("a…"), json!("abc"), true),
            (json!("…c"), json!("abc"), true),
            (json!("…b…"), json!("abc"), true),
            (json!("…x…"), json!("abc"), false),
            (json!("a…"), json!(1), false),
            (json!({"a": 1}), json!({"a": 1.0}), true),
            (json!({"a": 1}), json!({"a": 1, "b": 2}), false),
            (json!({"a": 1, "…": 0}), json!({"a": 1, "b": 2}), true),
            (json!({"a": 1, "…": 0}), json!({"b": 2}), false),
            (json!([1, "…"]), json!([1, 2]), true),
            (json!([1, "…"]), json!([1]), false),
        ] {
            assert_eq!(matches(&pattern, &value).is_ok(), expected, "{pattern} {value}");
        }
    }
}
