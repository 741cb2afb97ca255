//! One field of a form: text, a number, yes or no, or a choice.

use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

use super::Revision;
use super::choice::choice;
use super::enum_schema::{
    LegacyTitledEnumSchema, TitledMultiSelectEnumSchema, TitledSingleSelectEnumSchema,
    UntitledMultiSelectEnumSchema, UntitledSingleSelectEnumSchema,
};
use super::wire::{Adapt, Extra, WireFields, adapt_unchanged, wire};

adapt_unchanged!(Number);

/// One field of a form. Told apart by `type`, and choices by where their words are.
#[derive(Clone, Debug, PartialEq)]
pub enum PrimitiveSchema {
    /// Text.
    String(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// One of several words.
    UntitledSingleSelectEnum(UntitledSingleSelectEnumSchema),
    /// One of several words that have titles.
    TitledSingleSelectEnum(TitledSingleSelectEnumSchema),
    /// Some of several words.
    UntitledMultiSelectEnum(UntitledMultiSelectEnumSchema),
    /// Some of several words that have titles.
    TitledMultiSelectEnum(TitledMultiSelectEnumSchema),
    /// One of several words that have titles, as 2025-06-18 wrote it.
    LegacyTitledEnum(LegacyTitledEnumSchema),
    /// A schema that this crate does not know, kept as it came.
    Unknown(Extra),
}

wire! {
    /// Text.
    pub struct StringSchema {
        /// The label.
        opt title: String = "title",
        /// What belongs there.
        opt description: String = "description",
        /// The least number of characters.
        opt min_length: u64 = "minLength",
        /// The greatest number of characters.
        opt max_length: u64 = "maxLength",
        /// What kind of text.
        opt format: StringFormat = "format",
        /// What is there at first.
        opt default: String = "default" [since V2025_11_25],
    }

    /// A number.
    pub struct NumberSchema {
        /// Whether fractions are allowed.
        req kind: NumberKind = "type",
        /// The label.
        opt title: String = "title",
        /// What belongs there.
        opt description: String = "description",
        /// The least value.
        opt minimum: Number = "minimum",
        /// The greatest value.
        opt maximum: Number = "maximum",
        /// What is there at first.
        opt default: Number = "default" [since V2025_11_25],
    }

    /// Yes or no.
    pub struct BooleanSchema {
        /// The label.
        opt title: String = "title",
        /// What it decides.
        opt description: String = "description",
        /// What is there at first.
        opt default: bool = "default",
    }
}

choice! {
    /// What kind of text a field takes.
    pub enum StringFormat {
        /// An email address.
        #[default]
        Email = "email",
        /// A URI.
        Uri = "uri",
        /// A day.
        Date = "date",
        /// A day and a time.
        DateTime = "date-time",
    }
}

choice! {
    /// Whether a number may have a fraction.
    pub enum NumberKind {
        /// It may.
        #[default]
        Number = "number",
        /// It may not.
        Integer = "integer",
    }
}

impl StringSchema {
    /// Text under a label.
    pub fn titled(title: impl Into<String>) -> Self {
        StringSchema { title: Some(title.into()), ..Default::default() }
    }
}

impl NumberSchema {
    /// A number under a label.
    pub fn titled(kind: NumberKind, title: impl Into<String>) -> Self {
        NumberSchema { kind, title: Some(title.into()), ..Default::default() }
    }
}

impl BooleanSchema {
    /// Yes or no under a label.
    pub fn titled(title: impl Into<String>) -> Self {
        BooleanSchema { title: Some(title.into()), ..Default::default() }
    }
}

impl Serialize for PrimitiveSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use PrimitiveSchema as P;
        match self {
            P::String(schema) => with_type("string", schema, serializer),
            P::Number(schema) => schema.serialize(serializer),
            P::Boolean(schema) => with_type("boolean", schema, serializer),
            P::UntitledSingleSelectEnum(schema) => with_type("string", schema, serializer),
            P::TitledSingleSelectEnum(schema) => with_type("string", schema, serializer),
            P::UntitledMultiSelectEnum(schema) => with_type("array", schema, serializer),
            P::TitledMultiSelectEnum(schema) => with_type("array", schema, serializer),
            P::LegacyTitledEnum(schema) => with_type("string", schema, serializer),
            P::Unknown(fields) => fields.serialize(serializer),
        }
    }
}

fn with_type<S: Serializer>(
    kind: &str,
    schema: &impl WireFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("type", kind)?;
    schema.serialize_fields(&mut map, Some("type"))?;
    map.end()
}

impl<'de> Deserialize<'de> for PrimitiveSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use PrimitiveSchema as P;
        let mut fields = Extra::deserialize(deserializer)?;
        let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if matches!(kind.as_str(), "string" | "boolean" | "array") {
            fields.shift_remove("type");
        }
        let has = |key| fields.contains_key(key);
        let items_have = |key| fields.get("items").is_some_and(|items| items.get(key).is_some());
        let decode: fn(Value) -> serde_json::Result<P> = match kind.as_str() {
            "string" if has("oneOf") => {
                |v| serde_json::from_value(v).map(P::TitledSingleSelectEnum)
            }
            "string" if has("enumNames") => |v| serde_json::from_value(v).map(P::LegacyTitledEnum),
            "string" if has("enum") => {
                |v| serde_json::from_value(v).map(P::UntitledSingleSelectEnum)
            }
            "string" => |v| serde_json::from_value(v).map(P::String),
            "boolean" => |v| serde_json::from_value(v).map(P::Boolean),
            "number" | "integer" => |v| serde_json::from_value(v).map(P::Number),
            "array" if items_have("anyOf") => {
                |v| serde_json::from_value(v).map(P::TitledMultiSelectEnum)
            }
            "array" if items_have("enum") => {
                |v| serde_json::from_value(v).map(P::UntitledMultiSelectEnum)
            }
            "array" => {
                fields.insert("type".to_owned(), kind.into());
                return Ok(P::Unknown(fields));
            }
            _ => return Ok(P::Unknown(fields)),
        };
        decode(Value::Object(fields)).map_err(D::Error::custom)
    }
}

impl Adapt for PrimitiveSchema {
    fn adapt(&mut self, revision: Revision) {
        use PrimitiveSchema as P;
        if let P::TitledSingleSelectEnum(schema) = self
            && revision < Revision::V2025_11_25
        {
            *self = P::LegacyTitledEnum(std::mem::take(schema).into());
        }
        match self {
            P::String(schema) => schema.adapt(revision),
            P::Number(schema) => schema.adapt(revision),
            P::Boolean(schema) => schema.adapt(revision),
            P::UntitledSingleSelectEnum(schema) => schema.adapt(revision),
            P::TitledSingleSelectEnum(schema) => schema.adapt(revision),
            P::UntitledMultiSelectEnum(schema) => schema.adapt(revision),
            P::TitledMultiSelectEnum(schema) => schema.adapt(revision),
            P::LegacyTitledEnum(schema) => schema.adapt(revision),
            P::Unknown(_) => {}
        }
    }
}

macro_rules! from_schema {
    ($($Schema:ident => $Variant:ident),* $(,)?) => { $(
        impl From<$Schema> for PrimitiveSchema {
            fn from(schema: $Schema) -> Self {
                PrimitiveSchema::$Variant(schema)
            }
        }
    )* };
}
from_schema! {
    StringSchema => String,
    NumberSchema => Number,
    BooleanSchema => Boolean,
    UntitledSingleSelectEnumSchema => UntitledSingleSelectEnum,
    TitledSingleSelectEnumSchema => TitledSingleSelectEnum,
    UntitledMultiSelectEnumSchema => UntitledMultiSelectEnum,
    TitledMultiSelectEnumSchema => TitledMultiSelectEnum,
    LegacyTitledEnumSchema => LegacyTitledEnum,
}
