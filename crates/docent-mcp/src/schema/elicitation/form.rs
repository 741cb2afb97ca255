//! Forms from Rust types.
//!
//! Fed by the schema that `derive` makes. Forms have a smaller vocabulary than JSON Schema,
//! so optional fields, documented enums, and number formats are rewritten into it.

use super::super::derive::derive;
use super::{FormError, flat_form};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The form for values of type `T`: optional fields are simply not required, and the doc
/// comments of enum variants become the titles of choices.
///
/// ```
/// use docent_mcp::schema::form_schema;
/// use serde_json::json;
///
/// #[derive(schemars::JsonSchema)]
/// enum Size {
///     /// Fits in a pocket
///     Small,
///     Large,
/// }
///
/// #[derive(schemars::JsonSchema)]
/// struct Order {
///     size: Size,
///     note: Option<String>,
/// }
///
/// assert_eq!(form_schema::<Order>()?, json!({
///     "type": "object",
///     "properties": {
///         "size": { "type": "string", "oneOf": [
///             { "const": "Large", "title": "Large" },
///             { "const": "Small", "title": "Fits in a pocket" },
///         ] },
///         "note": { "type": "string" },
///     },
///     "required": ["size"],
/// }));
/// # Ok::<(), docent_mcp::schema::FormError>(())
/// ```
///
/// # Errors
///
/// When `T` has nested fields, or fields that are neither text, numbers, booleans, nor enums.
pub fn form_schema<T: JsonSchema>() -> Result<Value, FormError> {
    let mut form = derive::<T>(SchemaSettings::draft2020_12().for_deserialize());
    if let Some(Value::Object(properties)) = form.get_mut("properties") {
        properties.values_mut().filter_map(Value::as_object_mut).for_each(simplify);
    } else if form.get("type").is_some_and(|name| name == "object") {
        form.insert("properties".to_owned(), json!({}));
    }
    let form = Value::Object(form);
    flat_form(&form)?;
    Ok(form)
}

fn simplify(field: &mut Map<String, Value>) {
    drop_null(field);
    if let Some(choices) = titled_choices(field) {
        field.shift_insert(0, "type".to_owned(), json!("string"));
        field.insert("oneOf".to_owned(), choices);
    }
    if let Some(Value::Object(items)) = field.get_mut("items")
        && let Some(choices) = titled_choices(items)
    {
        *items = Map::from_iter([("anyOf".to_owned(), choices)]);
    }
    // `uint32` and the like; the bounds beside them stay.
    if field.get("type").is_some_and(|name| name == "integer" || name == "number") {
        field.shift_remove("format");
    }
}

/// An optional field: the form leaves it out instead of sending null.
fn drop_null(field: &mut Map<String, Value>) {
    if let Some(Value::Array(names)) = field.get_mut("type") {
        names.retain(|name| name != "null");
        if let [only] = names.as_slice() {
            let only = only.clone();
            field.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = field.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if field.get("default").is_some_and(Value::is_null) {
        field.shift_remove("default");
    }
    let is_null = |schema: &Value| schema.get("type").is_some_and(|name| name == "null");
    let inner = match field.get("anyOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([Value::Object(inner), null]) if is_null(null) => inner.clone(),
        _ => return,
    };
    field.shift_remove("anyOf");
    for (key, value) in inner {
        field.entry(key).or_insert(value);
    }
}

/// The choices of an enum with documented variants, each with a title.
fn titled_choices(schema: &Map<String, Value>) -> Option<Value> {
    let mut choices = Vec::new();
    for variant in schema.get("oneOf")?.as_array()? {
        if let Some(name) = variant.get("const") {
            let title = variant.get("title").or(variant.get("description")).unwrap_or(name);
            choices.push(json!({ "const": name, "title": title }));
        } else {
            for name in variant.get("enum")?.as_array()? {
                choices.push(json!({ "const": name, "title": name }));
            }
        }
    }
    Some(Value::Array(choices))
}
