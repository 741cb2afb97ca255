//! The schema of a form: an object whose properties are plain fields, in the order to ask them.

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::primitive_schema::PrimitiveSchema;
use super::wire::Adapt;
use super::{JsonObject, Revision};

/// The schema of a form.
///
/// ```
/// # use docent_mcp::types::{RequestedSchema, StringSchema, BooleanSchema};
/// let form = RequestedSchema::new()
///     .required("name", StringSchema::titled("Your name"))
///     .optional("news", BooleanSchema::titled("Send me news"));
/// assert_eq!(serde_json::Value::from(form)["required"][0], "name");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestedSchema {
    /// The fields, in order.
    pub properties: Vec<(String, PrimitiveSchema)>,
    /// Those that have to be filled in.
    pub required: Vec<String>,
    /// Every other keyword, kept as it came.
    pub extra: JsonObject,
}

impl RequestedSchema {
    /// A form without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field that has to be filled in.
    pub fn required(mut self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        let name = name.into();
        self.required.push(name.clone());
        self.properties.push((name, field.into()));
        self
    }

    /// Adds a field that may stay empty.
    pub fn optional(mut self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        self.properties.push((name.into(), field.into()));
        self
    }
}

impl From<RequestedSchema> for Value {
    fn from(schema: RequestedSchema) -> Self {
        serde_json::to_value(schema).expect("a schema is always representable")
    }
}

impl Serialize for RequestedSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Properties<'a>(&'a [(String, PrimitiveSchema)]);
        impl Serialize for Properties<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().map(|(name, field)| (name, field)))
            }
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "object")?;
        map.serialize_entry("properties", &Properties(&self.properties))?;
        if !self.required.is_empty() {
            map.serialize_entry("required", &self.required)?;
        }
        for (keyword, value) in &self.extra {
            map.serialize_entry(keyword, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for RequestedSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let mut extra = JsonObject::deserialize(deserializer)?;
        extra.shift_remove("type");
        let properties = match extra.shift_remove("properties") {
            Some(Value::Object(properties)) => properties,
            Some(_) => return Err(D::Error::custom("`properties` is not an object")),
            None => JsonObject::new(),
        };
        let properties = properties
            .into_iter()
            .map(|(name, field)| Ok((name, serde_json::from_value(field)?)))
            .collect::<serde_json::Result<_>>()
            .map_err(D::Error::custom)?;
        let required = extra.shift_remove("required").map(serde_json::from_value).transpose();
        Ok(RequestedSchema {
            properties,
            required: required.map_err(D::Error::custom)?.unwrap_or_default(),
            extra,
        })
    }
}

impl Adapt for RequestedSchema {
    /// 2025-06-18 has no fields that take several words. They are left out, and the answer then
    /// lacks them: nothing else in that revision could give a list back.
    fn adapt(&mut self, revision: Revision) {
        if revision < Revision::V2025_11_25 {
            self.extra.shift_remove("$schema");
            self.properties.retain(|(_, field)| {
                !matches!(
                    field,
                    PrimitiveSchema::UntitledMultiSelectEnum(_)
                        | PrimitiveSchema::TitledMultiSelectEnum(_)
                )
            });
            let properties = &self.properties;
            self.required.retain(|name| properties.iter().any(|(field, _)| field == name));
        }
        for (_, field) in &mut self.properties {
            field.adapt(revision);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_for_2025_06_18_is_rewritten() {
        let given = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "name": { "type": "string", "default": "x" },
                "color": { "type": "string", "oneOf": [{ "const": "r", "title": "Red" }] },
                "many": { "type": "array", "items": { "type": "string", "enum": ["a"] } },
                "yes": { "type": "boolean", "default": true },
            },
            "required": ["name", "many"],
        });
        let rewritten = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "color": { "type": "string", "enum": ["r"], "enumNames": ["Red"] },
                "yes": { "type": "boolean", "default": true },
            },
            "required": ["name"],
        });
        let sent = |revision| {
            let mut schema = RequestedSchema::deserialize(&given).unwrap();
            schema.adapt(revision);
            Value::from(schema)
        };
        assert_eq!(sent(Revision::V2025_06_18), rewritten);
        assert_eq!(sent(Revision::V2025_11_25), given);
    }
}
