//! `x-mcp-header` and elicitation forms: the rules of the protocol for schemas.

use super::super::{HeaderType, fill_defaults, flat_form, mirrored_headers};
use serde_json::{Value, json};

fn tool(properties: Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

#[test]
fn headers_are_found_in_order() {
    let schema = tool(json!({
        "region": { "type": "string", "x-mcp-header": "Region" },
        "plain": { "type": "string" },
        "options": tool(json!({
            "limit": { "type": ["integer", "null"], "x-mcp-header": "Max-Items" },
            // A property of that name is not an annotation, and neither is data.
            "x-mcp-header": { "type": "string", "default": { "x-mcp-header": "No" } },
        })),
        "dry": { "type": "boolean", "x-mcp-header": "Method" },
    }));
    let headers = mirrored_headers(&schema).unwrap();
    let found: Vec<_> =
        headers.iter().map(|h| (h.header_name(), h.path.join("."), h.value_type)).collect();
    let expected = [
        ("Mcp-Param-Region", "region", HeaderType::String),
        ("Mcp-Param-Max-Items", "options.limit", HeaderType::Integer),
        ("Mcp-Param-Method", "dry", HeaderType::Boolean),
    ];
    assert_eq!(found, expected.map(|(name, path, kind)| (name.into(), path.into(), kind)));

    let arguments = json!({ "region": "", "options": { "limit": 5 }, "dry": null });
    let arguments = arguments.as_object().unwrap();
    let values: Vec<_> = headers.iter().map(|header| header.value(arguments)).collect();
    assert_eq!(values, [Some(&json!("")), Some(&json!(5)), None]);
}

#[test]
fn header_rules_are_enforced() {
    let text = |name: &str| json!({ "type": "string", "x-mcp-header": name });
    let table = [
        (tool(json!({ "a": text("") })), "/properties/a", "empty"),
        (tool(json!({ "a": text("My Region") })), "/properties/a", "not an HTTP header name"),
        (tool(json!({ "a": text("Region:Primary") })), "/properties/a", "not an HTTP header name"),
        (tool(json!({ "a": text("R\u{e9}gion") })), "/properties/a", "not an HTTP header name"),
        (tool(json!({ "a": text("Region\t1") })), "/properties/a", "not an HTTP header name"),
        (tool(json!({ "a": text("Region\r\nX") })), "/properties/a", "not an HTTP header name"),
        (tool(json!({ "a": text("Region"), "b": text("Region") })), "/properties/b", "twice"),
        (tool(json!({ "a": text("MyField"), "b": text("myfield") })), "/properties/b", "twice"),
        (tool(json!({ "a": { "type": "object", "x-mcp-header": "A" } })), "/properties/a", "type"),
        (tool(json!({ "a": { "type": "array", "x-mcp-header": "A" } })), "/properties/a", "type"),
        (tool(json!({ "a": { "type": "null", "x-mcp-header": "A" } })), "/properties/a", "type"),
        (tool(json!({ "a": { "type": "number", "x-mcp-header": "A" } })), "/properties/a", "type"),
        (tool(json!({ "a": { "x-mcp-header": "A" } })), "/properties/a", "type"),
        (
            tool(json!({ "a": { "type": ["string", "integer"], "x-mcp-header": "A" } })),
            "/properties/a",
            "type",
        ),
        (
            tool(json!({ "a": { "type": "string", "x-mcp-header": 1 } })),
            "/properties/a",
            "expected a string",
        ),
        (
            tool(json!({ "a": { "type": "array", "items": text("A") } })),
            "/properties/a/items",
            "`properties`",
        ),
        (tool(json!({ "a": { "anyOf": [text("A")] } })), "/properties/a/anyOf/0", "`properties`"),
        (json!({ "$defs": { "a": text("A") } }), "/$defs/a", "`properties`"),
        (json!({ "additionalProperties": text("A") }), "/additionalProperties", "`properties`"),
        (
            json!({ "allOf": [tool(json!({ "a": text("A") }))] }),
            "/allOf/0/properties/a",
            "`properties`",
        ),
        (text("A"), "", "`properties`"),
    ];
    for (schema, at, reason) in table {
        let error = mirrored_headers(&schema).expect_err(&schema.to_string());
        assert_eq!(error.at, at, "{schema}");
        assert!(error.reason.contains(reason), "{schema}: {error}");
    }
}

#[test]
fn forms_are_flat() {
    let fields = [
        json!({ "type": "string", "title": "Name", "minLength": 1, "default": "a" }),
        json!({ "type": "string", "format": "date-time" }),
        json!({ "type": "integer", "minimum": 0, "default": 30 }),
        json!({ "type": "number", "default": 95.5 }),
        json!({ "type": "boolean", "default": true }),
        json!({ "type": "string", "enum": ["a", "b"], "default": "a" }),
        json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"] }),
        json!({ "type": "string", "oneOf": [{ "const": "a", "title": "A" }] }),
        json!({ "type": "array", "items": { "type": "string", "enum": ["a"] }, "default": ["a"] }),
        json!({ "type": "array", "items": { "anyOf": [{ "const": "a", "title": "A" }] }, "minItems": 1 }),
    ];
    for field in fields {
        assert_eq!(flat_form(&tool(json!({ "f": field }))), Ok(()), "{field}");
    }
    assert_eq!(flat_form(&tool(json!({}))), Ok(()));
}

#[test]
fn other_schemas_are_not_forms() {
    let fields = [
        (json!(true), "expected a schema"),
        (json!({}), "the type must be"),
        (json!({ "type": ["string", "null"] }), "the type must be"),
        (json!({ "type": "object", "properties": {} }), "the type must be"),
        (json!({ "type": "integer", "enum": [1, 2] }), "needs `type: \"string\"`"),
        (json!({ "type": "string", "enum": [1] }), "array of strings"),
        (json!({ "type": "string", "enum": ["a"], "enumNames": [] }), "one name for each"),
        (json!({ "type": "string", "format": "ipv4" }), "format \"ipv4\""),
        (json!({ "type": "string", "anyOf": [] }), "`anyOf` is not allowed"),
        (json!({ "type": "string", "oneOf": [{ "const": "a" }] }), "`const` and a `title`"),
        (json!({ "type": "number", "$ref": "#" }), "`$ref` is not allowed"),
        (json!({ "type": "array", "items": { "type": "string" } }), "with the choices"),
        (json!({ "type": "array" }), "needs `items`"),
        (json!({ "type": "integer", "default": 1.5 }), "`default` must be an integer"),
        (json!({ "type": "string", "default": 1 }), "`default` must be a string"),
    ];
    for (field, reason) in fields {
        let error = flat_form(&tool(json!({ "f": field }))).expect_err(&field.to_string());
        assert_eq!(error.property.as_deref(), Some("f"), "{field}");
        assert!(error.reason.contains(reason), "{field}: {error}");
    }
    let wholes = [
        json!(true),
        json!({ "properties": {} }),
        json!({ "type": "object" }),
        json!({ "type": "object", "properties": {}, "required": ["a"] }),
        json!({ "type": "object", "properties": {}, "allOf": [] }),
        json!({ "type": "object", "properties": {}, "$defs": {} }),
    ];
    for whole in wholes {
        assert_eq!(flat_form(&whole).expect_err(&whole.to_string()).property, None);
    }
}

#[test]
fn defaults_fill_what_is_missing() {
    let form = tool(json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "note": { "type": "string" },
    }));
    let mut answer = json!({ "age": 5 });
    fill_defaults(&form, answer.as_object_mut().unwrap());
    assert_eq!(answer, json!({ "age": 5, "name": "John Doe" }));
}
