//! How keywords read their values from the raw schema.
//!
//! Fed by the keyword files. Subschemas go into the compiler's queue and come back as node
//! numbers; everything else comes back as plain data, or as an error that names the place.

use super::super::compile::Compiler;
use super::super::dialect::{Inner, Token};
use super::super::error::SchemaError;
use super::super::node::NodeId;
use super::super::number::Num;
use super::super::preview;
use serde_json::{Map, Value};

impl<'s> Compiler<'s> {
    /// The subschema under `keyword`.
    pub(in super::super) fn schema(
        &mut self,
        schema: &'s Map<String, Value>,
        keyword: &'s str,
    ) -> Option<NodeId> {
        let value = schema.get(keyword)?;
        Some(self.child(value, Token { keyword, inner: Inner::Whole }))
    }

    /// The list of subschemas under `keyword`.
    pub(in super::super) fn schema_list(
        &mut self,
        schema: &'s Map<String, Value>,
        keyword: &'s str,
    ) -> Result<Option<Box<[NodeId]>>, SchemaError> {
        let items = match schema.get(keyword) {
            None => return Ok(None),
            Some(Value::Array(items)) => items.iter().enumerate(),
            Some(_) => return Err(self.malformed(format!("`{keyword}` must be an array"))),
        };
        let ids = items
            .map(|(index, item)| self.child(item, Token { keyword, inner: Inner::Index(index) }));
        Ok(Some(ids.collect()))
    }

    /// The named subschemas under `keyword`; arrays in draft-07 `dependencies` are not any.
    pub(in super::super) fn schema_map(
        &mut self,
        schema: &'s Map<String, Value>,
        keyword: &'s str,
    ) -> Result<Vec<(&'s str, NodeId)>, SchemaError> {
        let entries = match schema.get(keyword) {
            None => return Ok(Vec::new()),
            Some(Value::Object(entries)) => entries,
            Some(_) => return Err(self.malformed(format!("`{keyword}` must be an object"))),
        };
        let entries = entries.iter().filter(|(_, v)| keyword != "dependencies" || !v.is_array());
        let ids = entries.map(|(key, value)| {
            (key.as_str(), self.child(value, Token { keyword, inner: Inner::Key(key) }))
        });
        Ok(ids.collect())
    }

    /// The count under `keyword`: an integer from 0 up, `2.0` included.
    pub(in super::super) fn count(
        &self,
        schema: &Map<String, Value>,
        keyword: &str,
    ) -> Result<Option<u64>, SchemaError> {
        let Some(value) = schema.get(keyword) else { return Ok(None) };
        let number = value.as_number().map(Num::of).filter(|number| number.is_integer());
        match number {
            Some(Num::Int(int)) if int >= 0 => Ok(Some(u64::try_from(int).unwrap_or(u64::MAX))),
            Some(Num::Float(float)) if float > 0.0 => Ok(Some(u64::MAX)),
            _ => Err(self.malformed(format!(
                "`{keyword}` must be an integer from 0 up, found {}",
                preview::describe(value)
            ))),
        }
    }

    /// The boolean under `keyword`.
    pub(in super::super) fn flag(
        &self,
        schema: &Map<String, Value>,
        keyword: &str,
    ) -> Result<bool, SchemaError> {
        match schema.get(keyword) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.malformed(format!("`{keyword}` must be a boolean"))),
        }
    }

    /// A list of property names.
    pub(in super::super) fn names(
        &self,
        keyword: &str,
        value: &Value,
    ) -> Result<Box<[Box<str>]>, SchemaError> {
        let names = value.as_array().and_then(|names| {
            names.iter().map(|name| name.as_str().map(Box::from)).collect::<Option<Box<[_]>>>()
        });
        names.ok_or_else(|| self.malformed(format!("`{keyword}` must be an array of strings")))
    }
}
