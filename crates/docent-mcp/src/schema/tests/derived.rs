//! Schemas derived from Rust types.

use super::super::{
    SchemaError, SchemaLimits, Validator, arguments_schema, form_schema, result_schema,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Plans a trip.
#[derive(JsonSchema, Serialize, Deserialize)]
struct Trip {
    /// Where to go.
    city: String,
    #[serde(default = "one")]
    days: u8,
    mode: Mode,
    stay: Option<Stay>,
}

#[derive(JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Train,
    Boat,
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Stay {
    nights: u32,
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Tree {
    children: Vec<Tree>,
}

#[derive(JsonSchema, Serialize, Deserialize)]
#[serde(tag = "op")]
enum Command {
    Start { name: String },
    Stop,
}

#[derive(JsonSchema)]
#[schemars(title = "Nothing at all")]
struct Nothing {}

fn one() -> u8 {
    1
}

#[test]
fn arguments_are_described_in_place_and_in_order() {
    let schema = arguments_schema::<Trip>().unwrap();
    let expected = json!({
        "description": "Plans a trip.",
        "type": "object",
        "properties": {
            "city": { "description": "Where to go.", "type": "string" },
            "days": { "type": "integer", "format": "uint8", "minimum": 0, "maximum": 255, "default": 1 },
            "mode": { "type": "string", "enum": ["train", "boat"] },
            "stay": {
                "type": ["object", "null"],
                "properties": { "nights": { "type": "integer", "format": "uint32", "minimum": 0 } },
                "required": ["nights"],
            },
        },
        "required": ["city", "mode"],
    });
    assert_eq!(schema.to_string(), expected.to_string());
    let validator = Validator::new(&schema, &SchemaLimits::default()).unwrap();
    assert!(validator.is_valid(&json!({ "city": "Oslo", "mode": "boat", "stay": null })));
    assert!(!validator.is_valid(&json!({ "city": "Oslo", "mode": "plane" })));
}

#[test]
fn every_argument_type_has_an_object_root() {
    let none = json!({ "type": "object", "additionalProperties": false });
    let titled = json!({
        "title": "Nothing at all", "type": "object", "additionalProperties": false,
    });
    let table: [(Result<Value, _>, Value); 5] = [
        (arguments_schema::<()>(), none),
        (arguments_schema::<Nothing>(), titled),
        (arguments_schema::<Value>(), json!({ "type": "object" })),
        (
            arguments_schema::<Map<String, Value>>(),
            json!({ "type": "object", "additionalProperties": true }),
        ),
        (
            arguments_schema::<Option<Tree>>(),
            json!({
                "type": "object",
                "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } } },
                "required": ["children"],
                "$defs": { "Tree": {
                    "type": "object",
                    "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } } },
                    "required": ["children"],
                } },
            }),
        ),
    ];
    for (schema, expected) in table {
        assert_eq!(schema.unwrap(), expected);
    }
    let command = arguments_schema::<Command>().unwrap();
    assert_eq!(command["type"], "object");
    let validator = Validator::new(&command, &SchemaLimits::default()).unwrap();
    assert!(validator.is_valid(&json!({ "op": "Start", "name": "x" })));
    assert!(!validator.is_valid(&json!({ "op": "Start" })));
    let refused = [arguments_schema::<String>(), arguments_schema::<Option<u8>>()];
    for error in refused.map(Result::unwrap_err) {
        assert!(matches!(error, SchemaError::NotAnObject { .. }), "{error}");
    }
}

#[test]
fn results_tell_their_root() {
    let table = [
        (result_schema::<Trip>(), true, json!("object")),
        (result_schema::<Tree>(), true, json!("object")),
        (result_schema::<Vec<Trip>>(), false, json!("array")),
        (result_schema::<String>(), false, json!("string")),
        (result_schema::<Option<Stay>>(), false, json!(["object", "null"])),
        (result_schema::<Value>(), false, Value::Null),
    ];
    for (result, object_root, kind) in table {
        assert_eq!(result.object_root, object_root, "{}", result.schema);
        assert_eq!(result.schema.get("type").cloned().unwrap_or_default(), kind);
        Validator::new(&result.schema, &SchemaLimits::default()).unwrap();
    }
    // What is always serialized is required in a result, though optional as an argument.
    assert_eq!(result_schema::<Trip>().schema["required"], json!(["city", "days", "mode", "stay"]));
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Form {
    name: Option<String>,
    age: Option<u8>,
    mode: Option<Mode>,
    sizes: Vec<Size>,
    size: Option<Size>,
}

#[derive(JsonSchema, Serialize, Deserialize)]
enum Size {
    /// Up to two
    Small,
    Large,
}

#[test]
fn forms_use_the_vocabulary_of_forms() {
    let sizes = json!([
        { "const": "Large", "title": "Large" },
        { "const": "Small", "title": "Up to two" },
    ]);
    let expected = json!({
        "name": { "type": "string" },
        "age": { "type": "integer", "minimum": 0, "maximum": 255 },
        "mode": { "type": "string", "enum": ["train", "boat"] },
        "sizes": { "type": "array", "items": { "anyOf": sizes } },
        "size": { "type": "string", "oneOf": sizes },
    });
    let form = form_schema::<Form>().unwrap();
    assert_eq!(form["properties"], expected);
    assert_eq!(form["required"], json!(["sizes"]));
    assert!(form_schema::<Nothing>().is_ok());
    let nested = form_schema::<Trip>().unwrap_err();
    assert_eq!(nested.property.as_deref(), Some("stay"));
    assert!(form_schema::<String>().is_err());
}
