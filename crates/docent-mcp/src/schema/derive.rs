//! Schemas from Rust types, in the form that clients and language models read best.
//!
//! Fed by `schemars`, which turns doc comments into descriptions, enums into choices, and
//! serde defaults into defaults. Feeds tool registration: [`arguments_schema`] becomes
//! `inputSchema` and [`result_schema`] becomes `outputSchema`.
//!
//! Types used inside a type are written in place rather than under `$defs`, because many
//! clients do not follow `$ref`; only recursive types keep one. `$schema` is left out: 2020-12
//! is the default, and older revisions of the protocol do not know the field.

use super::error::SchemaError;
use super::preview;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema for tool arguments of type `T`: always an object at the root.
///
/// A type without fields, the unit type included, accepts only the empty object.
///
/// ```
/// use docent_mcp::schema::arguments_schema;
/// use serde_json::json;
///
/// #[derive(schemars::JsonSchema, serde::Deserialize)]
/// struct Forecast {
///     /// Name of the city.
///     city: String,
///     days: Option<u8>,
/// }
///
/// let schema = arguments_schema::<Forecast>()?;
/// assert_eq!(schema["properties"]["city"], json!({
///     "type": "string",
///     "description": "Name of the city.",
/// }));
/// assert_eq!(schema["required"], json!(["city"]));
///
/// let none = json!({ "type": "object", "additionalProperties": false });
/// assert_eq!(arguments_schema::<()>()?, none);
/// # Ok::<(), docent_mcp::schema::SchemaError>(())
/// ```
///
/// # Errors
///
/// [`SchemaError::NotAnObject`] when `T` can never be a JSON object, such as a `String`.
pub fn arguments_schema<T: JsonSchema>() -> Result<Value, SchemaError> {
    let mut schema = derive::<T>(SchemaSettings::draft2020_12().for_deserialize());
    let not_an_object = |found: String| SchemaError::NotAnObject {
        type_name: T::schema_name().into_owned(),
        found,
    };
    let is_documentation = |key: &String| matches!(key.as_str(), "title" | "description");
    // A type such as `serde_json::Value`.
    let allows_everything = schema.keys().all(is_documentation);
    match schema.get("type") {
        // `()` and unit structs: nothing to pass.
        Some(Value::String(name)) if name == "null" => return Ok(no_arguments(&schema)),
        Some(Value::String(name)) if name == "object" => {}
        Some(Value::String(name)) => return Err(not_an_object(format!("of type {name}"))),
        Some(Value::Array(names)) if !names.contains(&json!("object")) => {
            let names = preview::list(names.iter().map(preview::literal));
            return Err(not_an_object(format!("of one of the types {names}")));
        }
        // `Option<T>`, an enum of objects, any value: narrowed to objects.
        _ => set_first(&mut schema, "type", json!("object")),
    }
    let has_no_fields = schema.keys().all(|key| key == "type" || is_documentation(key));
    if has_no_fields && !allows_everything {
        return Ok(no_arguments(&schema));
    }
    Ok(Value::Object(schema))
}

/// The schema of a tool's structured result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResultSchema {
    /// The schema.
    pub schema: Value,
    /// Whether its root is an object. Revisions before 2026-07-28 allow nothing else.
    pub object_root: bool,
}

/// The schema of results of type `T`, as `T` is serialized.
///
/// ```
/// use docent_mcp::schema::result_schema;
///
/// let list = result_schema::<Vec<u8>>();
/// assert_eq!(list.schema["type"], "array");
/// assert!(!list.object_root);
/// ```
pub fn result_schema<T: JsonSchema>() -> ResultSchema {
    let schema = Value::Object(derive::<T>(SchemaSettings::draft2020_12().for_serialize()));
    let object_root = has_object_root(&schema);
    ResultSchema { schema, object_root }
}

/// Whether the root of `schema` says `type: "object"`.
pub fn has_object_root(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "object")
}

/// The derived schema without what only says how it was made.
pub(super) fn derive<T: JsonSchema>(settings: SchemaSettings) -> Map<String, Value> {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    // Serializing puts the keywords into a readable order; `to_value` would not.
    let mut schema = match serde_json::to_value(&schema).unwrap_or_else(|_| schema.to_value()) {
        Value::Object(schema) => schema,
        // The schema `true` or `false`.
        other => Map::from_iter((other == false).then(|| ("not".to_owned(), json!({})))),
    };
    // A title of one's own is kept; the name of the Rust type is not one.
    if schema.get("title").is_some_and(|title| *title == *T::schema_name()) {
        schema.shift_remove("title");
    }
    schema
}

/// Accepts the empty object only, as the specification recommends for tools without
/// parameters; keeps the documentation.
fn no_arguments(schema: &Map<String, Value>) -> Value {
    let mut out = schema.clone();
    out.retain(|key, _| matches!(key.as_str(), "title" | "description"));
    set_first(&mut out, "type", json!("object"));
    out.insert("additionalProperties".to_owned(), json!(false));
    Value::Object(out)
}

/// Sets `key`, where it stands if it is there, else in front.
fn set_first(schema: &mut Map<String, Value>, key: &str, value: Value) {
    match schema.get_mut(key) {
        Some(old) => *old = value,
        None => {
            schema.shift_insert(0, key.to_owned(), value);
        }
    }
}
