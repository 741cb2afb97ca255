//! Elicitation forms: flat objects that a client can show as a form.
//!
//! Fed by the server, which must send nothing else, and by the client, which checks what it
//! was sent before showing it. [`form_schema`] derives a form from a Rust type, and
//! [`fill_defaults`] completes an answer.

mod form;

use super::preview;
use serde_json::{Map, Value};
use std::fmt;

pub use form::form_schema;

/// A schema is not a flat form.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormError {
    /// The property at fault; `None` for the form as a whole.
    pub property: Option<String>,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.property {
            Some(name) => write!(f, "form property {}: {}", preview::quoted(name), self.reason),
            None => write!(f, "form: {}", self.reason),
        }
    }
}

impl std::error::Error for FormError {}

/// Keywords that combine, nest, or refer; a form shows none of them.
const STRUCTURE: [&str; 18] = [
    "$ref",
    "$dynamicRef",
    "$defs",
    "definitions",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "properties",
    "patternProperties",
    "dependentSchemas",
    "propertyNames",
    "prefixItems",
    "items",
    "contains",
];

/// Checks that `schema` is a form: an object whose properties are strings, numbers, booleans,
/// or choices among strings, without nesting.
///
/// ```
/// use docent_mcp::schema::flat_form;
/// use serde_json::json;
///
/// flat_form(&json!({
///     "type": "object",
///     "properties": { "email": { "type": "string", "format": "email" } },
///     "required": ["email"],
/// }))?;
/// # Ok::<(), docent_mcp::schema::FormError>(())
/// ```
///
/// # Errors
///
/// Names the first property that does not fit, and why.
pub fn flat_form(schema: &Value) -> Result<(), FormError> {
    let whole = |reason: String| FormError { property: None, reason };
    let Some(form) = schema.as_object() else {
        return Err(whole("the schema must be an object".to_owned()));
    };
    if !super::has_object_root(schema) {
        return Err(whole("the root needs `type: \"object\"`".to_owned()));
    }
    no_structure(form, &["properties"]).map_err(whole)?;
    let Some(Value::Object(properties)) = form.get("properties") else {
        return Err(whole("`properties` must be an object".to_owned()));
    };
    for (name, property) in properties {
        field(property).map_err(|reason| FormError { property: Some(name.clone()), reason })?;
    }
    let required = match form.get("required") {
        None => &[],
        Some(Value::Array(names)) => names.as_slice(),
        Some(_) => return Err(whole("`required` must be an array of names".to_owned())),
    };
    for name in required {
        if !name.as_str().is_some_and(|name| properties.contains_key(name)) {
            let name = preview::literal(name);
            return Err(whole(format!("`required` names {name}, which is not a property")));
        }
    }
    Ok(())
}

/// Adds the default of every property that `answer` lacks.
pub fn fill_defaults(schema: &Value, answer: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    for (name, property) in properties {
        if let (Some(default), false) = (property.get("default"), answer.contains_key(name)) {
            answer.insert(name.clone(), default.clone());
        }
    }
}

fn no_structure(schema: &Map<String, Value>, except: &[&str]) -> Result<(), String> {
    let found = STRUCTURE.iter().find(|key| schema.contains_key(**key) && !except.contains(key));
    found.map_or(Ok(()), |key| Err(format!("`{key}` is not allowed in a form")))
}

/// Checks one property.
fn field(property: &Value) -> Result<(), String> {
    let Some(field) = property.as_object() else {
        return Err(format!("expected a schema, found {}", preview::describe(property)));
    };
    let default = field.get("default");
    let (fits, kind): (fn(&Value) -> bool, _) = match field.get("type").and_then(Value::as_str) {
        Some("string") => {
            no_structure(field, &["oneOf"])?;
            let choices = choices(field, "oneOf")?;
            if let (Some(names), Some(choices)) = (field.get("enumNames"), choices)
                && names.as_array().map(Vec::len) != Some(choices)
            {
                return Err("`enumNames` must have one name for each choice".to_owned());
            }
            let format = field.get("format").and_then(Value::as_str);
            if let Some(format) = format.filter(|f| super::format::Format::named(f).is_none()) {
                let known = "email, uri, date, or date-time";
                return Err(format!("format {} is not {known}", preview::quoted(format)));
            }
            (Value::is_string, "a string")
        }
        Some("number") => (Value::is_number, "a number"),
        Some("integer") => (is_integer, "an integer"),
        Some("boolean") => (Value::is_boolean, "a boolean"),
        Some("array") => {
            no_structure(field, &["items"])?;
            let items = field.get("items").and_then(Value::as_object);
            let items = items.ok_or("an array needs `items` with the choices")?;
            no_structure(items, &["anyOf"])?;
            if choices(items, "anyOf")?.is_none() {
                return Err("`items` needs `enum` or `anyOf` with the choices".to_owned());
            }
            (is_strings, "an array of strings")
        }
        _ => {
            let found = field.get("type").map_or("none".to_owned(), preview::literal);
            let known = "string, number, integer, boolean, or array of choices";
            return Err(format!("the type must be {known}, found {found}"));
        }
    };
    if !matches!(kind, "a string" | "an array of strings") {
        no_structure(field, &[])?;
        // Choices are strings in a form; a number with choices has no widget.
        if field.contains_key("enum") {
            return Err("`enum` needs `type: \"string\"`".to_owned());
        }
    }
    default.is_none_or(fits).then_some(()).ok_or_else(|| format!("`default` must be {kind}"))
}

/// How many choices `enum` offers, or `titled` with its `const` and `title` pairs.
fn choices(schema: &Map<String, Value>, titled: &str) -> Result<Option<usize>, String> {
    if let Some(plain) = schema.get("enum") {
        if !is_strings(plain) {
            return Err("`enum` must be an array of strings".to_owned());
        }
        return Ok(plain.as_array().map(Vec::len));
    }
    let Some(choices) = schema.get(titled) else { return Ok(None) };
    let is_choice = |choice: &Value| {
        choice.get("const").is_some_and(Value::is_string)
            && choice.get("title").is_some_and(Value::is_string)
    };
    match choices.as_array() {
        Some(choices) if choices.iter().all(is_choice) => Ok(Some(choices.len())),
        _ => Err(format!("each choice in `{titled}` needs a string `const` and a `title`")),
    }
}

fn is_integer(value: &Value) -> bool {
    value.as_number().is_some_and(|number| super::number::Num::of(number).is_integer())
}

fn is_strings(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
}
