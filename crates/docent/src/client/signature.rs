//! A tool as the signature of a function, which is how people read them.

use docent_mcp::types::Tool;
use serde_json::Value;

/// How deep types are written out.
const DEPTH_MAX: usize = 3;

/// `name(needed: type, other?: type = default)`.
pub(crate) fn signature(name: &str, tool: &Tool) -> String {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let is_needed =
        |name: &str| required.is_some_and(|list| list.iter().any(|one| one.as_str() == Some(name)));
    let mut parameters: Vec<(bool, String)> = Vec::new();
    for (name, schema) in properties.into_iter().flatten() {
        let needed = is_needed(name);
        let mark = if needed { "" } else { "?" };
        let default = schema.get("default").map_or(String::new(), |value| format!(" = {value}"));
        parameters.push((!needed, format!("{name}{mark}: {}{default}", kind(schema, 0))));
    }
    // Stable, so that each group keeps the order of the server.
    parameters.sort_by_key(|(optional, _)| *optional);
    let parameters: Vec<String> = parameters.into_iter().map(|(_, text)| text).collect();
    format!("{name}({})", parameters.join(", "))
}

/// The type that a schema describes, in a few words.
fn kind(schema: &Value, depth: usize) -> String {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return choices.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(ways) = schema.get(key).and_then(Value::as_array).filter(|_| depth < DEPTH_MAX)
        {
            let mut ways: Vec<String> = ways.iter().map(|one| kind(one, depth + 1)).collect();
            ways.dedup();
            return ways.join(" | ");
        }
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => {
            let items = schema.get("items").filter(|_| depth < DEPTH_MAX);
            format!("{}[]", items.map_or("any".to_owned(), |items| kind(items, depth + 1)))
        }
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | ")
        }
        _ => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn needed_parameters_come_first() {
        let schema = json!({ "type": "object", "required": ["a"], "properties": {
            "limit": { "type": "integer", "default": 10 },
            "a": { "type": "array", "items": { "enum": ["x", "y"] } },
            "either": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
        }});
        let tool = Tool::new("find", "", schema);
        let expected = "find(a: \"x\" | \"y\"[], limit?: integer = 10, either?: string | null)";
        assert_eq!(signature("find", &tool), expected);
    }
}
