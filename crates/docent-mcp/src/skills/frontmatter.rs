//! The YAML at the beginning of a `SKILL.md`, as the JSON that a listing has.
//!
//! Read with a library, because a listing holds *every* field that the author wrote, of any form,
//! and both sides have to understand it alike: a reader of our own for a part of YAML would refuse
//! or misread what others accept.

use serde_json::Value;

use crate::limits::Limits;
use crate::types::JsonObject;

/// The front matter of a `SKILL.md`. The error says what is wrong.
pub(super) fn parse(text: &str, limits: &Limits) -> Result<JsonObject, String> {
    let bytes_max = limits.skill_frontmatter_bytes_max;
    let yaml = block(text).ok_or("it does not begin with front matter between lines of `---`")?;
    if yaml.len() > bytes_max {
        return Err(format!("its front matter has more than {bytes_max} bytes"));
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 10_000,
            max_nodes: 10_000,
            max_aliases: 0,
            max_anchors: 0,
            max_documents: 1,
            max_depth: limits.json_depth_max,
            flow_nesting_limit: limits.json_depth_max,
            max_total_scalar_bytes: bytes_max,
        },
        // What YAML 1.2 says: `yes` is a word.
        strict_booleans: true,
        with_snippet: false,
    };
    let parsed: Value = serde_saphyr::from_str_with_options(yaml, options).map_err(|error| {
        let line = error.location().map_or(1, |location| location.line()) + 1;
        format!("its front matter is not readable YAML at line {line}")
    })?;
    let Value::Object(fields) = parsed else {
        return Err("its front matter is no list of fields".to_owned());
    };
    for required in ["name", "description"] {
        let value = fields.get(required).and_then(Value::as_str);
        if value.is_none_or(str::is_empty) {
            return Err(format!("its front matter has no text under `{required}`"));
        }
    }
    Ok(fields)
}

/// What stands between the first line, which is `---`, and the next such line.
fn block(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end_matches(['\n', '\r', ' ', '\t']) == "---" {
            return Some(&rest[..at]);
        }
        at += line.len();
    }
    None
}

/// Whether two values are the same; `1` and `1.0` are, because JSON writers differ there.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => same_fields(left, right),
        _ => left == right,
    }
}

/// [`same`] for objects.
pub(super) fn same_fields(left: &JsonObject, right: &JsonObject) -> bool {
    left.len() == right.len()
        && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_comes_through() {
        let text = "\u{feff}---\r\nname: a\r\ndescription: >-\r\n  two\r\n  lines\r\nmetadata:\r\n  \
                    version: \"2.1\"\r\n  tags: [x, y]\r\n  n: 1\r\n  yes: yes\r\n---  \r\n# Body\r\n---\r\n";
        let expected = json!({
            "name": "a",
            "description": "two lines",
            "metadata": { "version": "2.1", "tags": ["x", "y"], "n": 1, "yes": "yes" },
        });
        assert_eq!(Value::Object(parse(text, &Limits::default()).unwrap()), expected);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, expected) in [
            ("", "does not begin with front matter"),
            ("# Title", "does not begin with front matter"),
            ("---\nname: a", "does not begin with front matter"),
            (" ---\nname: a\n---\n", "does not begin with front matter"),
            ("---\n---\n", "no list of fields"),
            ("---\n- a\n---\n", "no list of fields"),
            ("---\nname: a\n---\n", "no text under `description`"),
            ("---\nname: 7\ndescription: x\n---\n", "no text under `name`"),
            ("---\nname: ''\ndescription: x\n---\n", "no text under `name`"),
            ("---\nname: a\nname: b\ndescription: x\n---\n", "not readable YAML"),
            ("---\nname: [\n---\n", "not readable YAML"),
            ("---\na: &x 1\nb: *x\nname: a\ndescription: x\n---\n", "not readable YAML"),
        ] {
            let error = parse(text, &Limits::default()).unwrap_err();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
        let limits = Limits { skill_frontmatter_bytes_max: 100, ..Limits::default() };
        let long = format!("---\nname: a\ndescription: {}\n---\n", "x".repeat(100));
        assert!(parse(&long, &limits).unwrap_err().contains("more than 100 bytes"));
        let deep = format!("---\nname: a\ndescription: x\nz: {}\n---\n", "[".repeat(10_000));
        assert!(parse(&deep, &Limits::default()).unwrap_err().contains("not readable YAML"));
    }

    #[test]
    fn numbers_are_compared_by_value() {
        assert!(same(&json!({ "a": [1, "x"] }), &json!({ "a": [1.0, "x"] })));
        for (left, right) in [
            (json!({ "a": 1 }), json!({ "a": 2 })),
            (json!({ "a": 1 }), json!({ "a": "1" })),
            (json!({ "a": 1 }), json!({ "a": 1, "b": null })),
            (json!([1]), json!([1, 1])),
        ] {
            assert!(!same(&left, &right), "{left} {right}");
        }
    }
}
