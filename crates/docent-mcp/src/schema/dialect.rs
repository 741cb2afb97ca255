//! The two dialects, and where each one keeps schemas inside schemas.
//!
//! Fed by `$schema`. Read by the document scan and the compiler, which must tell a schema
//! from plain data: `{"enum": [{"$ref": "x"}]}` holds no reference.

use super::error::SchemaError;
use super::violation::escape;
use serde_json::{Map, Value};
use std::fmt;

/// A version of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Draft202012,
    Draft7,
}

/// How a keyword holds its subschemas.
#[derive(Clone, Copy)]
enum Shape {
    One,
    List,
    Map,
    OneOrList,
}

/// The step from a schema to one of its subschemas: a keyword, and for lists and maps the
/// place inside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'s> {
    pub(super) keyword: &'s str,
    pub(super) inner: Inner<'s>,
}

/// The place inside a keyword's value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Inner<'s> {
    Whole,
    Key(&'s str),
    Index(usize),
}

/// The step as part of a JSON pointer.
impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}", self.keyword)?;
        match self.inner {
            Inner::Whole => Ok(()),
            Inner::Key(key) => write!(f, "/{}", escape(key)),
            Inner::Index(index) => write!(f, "/{index}"),
        }
    }
}

impl Dialect {
    /// The dialect that `schema` declares, if it declares one.
    pub(super) fn declared(schema: &Map<String, Value>) -> Result<Option<Self>, SchemaError> {
        let Some(declared) = schema.get("$schema") else { return Ok(None) };
        let Some(uri) = declared.as_str() else {
            return Err(SchemaError::Dialect { dialect: super::preview::literal(declared) });
        };
        let bare = uri.trim_end_matches('#');
        let bare = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://"));
        match bare {
            Some("json-schema.org/draft/2020-12/schema") => Ok(Some(Self::Draft202012)),
            Some("json-schema.org/draft-07/schema") => Ok(Some(Self::Draft7)),
            _ => Err(SchemaError::Dialect { dialect: super::preview::cut(uri) }),
        }
    }

    /// Calls `visit` with every direct subschema of `schema`, in document order.
    pub(super) fn each_subschema<'s>(
        self,
        schema: &'s Map<String, Value>,
        mut visit: impl FnMut(Token<'s>, &'s Value),
    ) {
        for (keyword, value) in schema {
            let Some(shape) = self.shape(keyword) else { continue };
            match (shape, value) {
                (Shape::List | Shape::OneOrList, Value::Array(items)) => {
                    for (index, item) in items.iter().enumerate() {
                        visit(Token { keyword, inner: Inner::Index(index) }, item);
                    }
                }
                (Shape::Map, Value::Object(entries)) => {
                    for (key, item) in entries {
                        // In draft-07 `dependencies`, an array is a list of names.
                        if item.is_object() || item.is_boolean() {
                            visit(Token { keyword, inner: Inner::Key(key) }, item);
                        }
                    }
                }
                (Shape::One | Shape::OneOrList, Value::Object(_) | Value::Bool(_)) => {
                    visit(Token { keyword, inner: Inner::Whole }, value);
                }
                _ => {}
            }
        }
    }

    fn shape(self, keyword: &str) -> Option<Shape> {
        Some(match (keyword, self) {
            ("additionalProperties" | "propertyNames" | "contains", _)
            | ("not" | "if" | "then" | "else", _)
            | ("items" | "unevaluatedItems" | "unevaluatedProperties", Self::Draft202012)
            | ("additionalItems", Self::Draft7) => Shape::One,
            ("allOf" | "anyOf" | "oneOf", _) | ("prefixItems", Self::Draft202012) => Shape::List,
            // Schemas of both dialects use both names for definitions.
            ("properties" | "patternProperties" | "$defs" | "definitions", _)
            | ("dependentSchemas", Self::Draft202012)
            | ("dependencies", Self::Draft7) => Shape::Map,
            ("items", Self::Draft7) => Shape::OneOrList,
            _ => return None,
        })
    }
}
