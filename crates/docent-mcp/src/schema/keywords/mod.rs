//! The keywords of JSON Schema, one file per family.
//!
//! Each file holds both halves of its keywords: `compile` reads them from the raw schema once
//! and refuses malformed ones; `check` applies them to a value, and passes over values of
//! other types, as JSON Schema asks. Fed by `compile`, run by `walk`.

mod array;
mod combine;
mod number;
mod object;
mod properties;
mod read;
mod reference;
mod string;
pub(super) mod types;
mod unevaluated;
mod value;

use super::compile::Compiler;
use super::error::SchemaError;
use super::marks::Marks;
use super::violation::Path;
use super::walk::{Verdict, Walk};
use serde_json::{Map, Value};

/// One compiled keyword, or several that only make sense together.
#[derive(Debug)]
pub(super) enum Keyword {
    Choice(value::Choice),
    Bound(number::Bound),
    MultipleOf(number::MultipleOf),
    Length(string::Length),
    Pattern(string::Matches),
    Format(super::format::Format),
    Items(array::Items),
    ItemCount(array::ItemCount),
    Contains(array::Contains),
    Unique,
    Required(object::Required),
    PropertyCount(object::PropertyCount),
    Properties(Box<properties::Properties>),
    PropertyNames(object::PropertyNames),
    Dependent(object::Dependent),
    Combine(combine::Combine),
    Reference(reference::Reference),
    Unevaluated(unevaluated::Unevaluated),
}

impl Keyword {
    /// Reads all keywords of `schema` except `type`, in the order in which they are checked:
    /// cheap ones first, `unevaluated…` last because it depends on the others.
    pub(super) fn compile_all<'s>(
        compiler: &mut Compiler<'s>,
        schema: &'s Map<String, Value>,
    ) -> Result<Vec<Self>, SchemaError> {
        let mut out = Vec::new();
        if compiler.ref_hides_siblings(schema) {
            reference::compile(compiler, schema, &mut out)?;
            return Ok(out);
        }
        value::compile(compiler, schema, &mut out)?;
        number::compile(compiler, schema, &mut out)?;
        string::compile(compiler, schema, &mut out)?;
        array::compile(compiler, schema, &mut out)?;
        object::compile(compiler, schema, &mut out)?;
        properties::compile(compiler, schema, &mut out)?;
        reference::compile(compiler, schema, &mut out)?;
        combine::compile(compiler, schema, &mut out)?;
        unevaluated::compile(compiler, schema, &mut out)?;
        Ok(out)
    }

    pub(super) fn check(
        &self,
        walk: &mut Walk<'_>,
        value: &Value,
        at: &Path<'_>,
        marks: Option<&mut Marks>,
    ) -> Verdict {
        match (self, value) {
            (Self::Choice(keyword), _) => keyword.check(walk, value, at),
            (Self::Bound(keyword), Value::Number(number)) => keyword.check(walk, number, at),
            (Self::MultipleOf(keyword), Value::Number(number)) => keyword.check(walk, number, at),
            (Self::Length(keyword), Value::String(text)) => keyword.check(walk, text, at),
            (Self::Pattern(keyword), Value::String(text)) => keyword.check(walk, text, at),
            (Self::Format(keyword), Value::String(text)) => {
                string::format(*keyword, walk, text, at)
            }
            (Self::Items(keyword), Value::Array(items)) => keyword.check(walk, items, at, marks),
            (Self::ItemCount(keyword), Value::Array(items)) => keyword.check(walk, items, at),
            (Self::Contains(keyword), Value::Array(items)) => keyword.check(walk, items, at, marks),
            (Self::Unique, Value::Array(items)) => array::unique(walk, items, at),
            (Self::Required(keyword), Value::Object(object)) => keyword.check(walk, object, at),
            (Self::PropertyCount(keyword), Value::Object(object)) => {
                keyword.check(walk, object, at)
            }
            (Self::Properties(keyword), Value::Object(object)) => {
                keyword.check(walk, object, at, marks)
            }
            (Self::PropertyNames(keyword), Value::Object(object)) => {
                keyword.check(walk, object, at)
            }
            (Self::Dependent(keyword), Value::Object(object)) => {
                keyword.check(walk, value, object, at, marks)
            }
            (Self::Combine(keyword), _) => keyword.check(walk, value, at, marks),
            (Self::Reference(keyword), _) => keyword.check(walk, value, at, marks),
            (Self::Unevaluated(keyword), _) => keyword.check(walk, value, at, marks),
            _ => Ok(true),
        }
    }
}
