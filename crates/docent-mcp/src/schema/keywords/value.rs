//! `enum` and `const`: the value must be one of those listed.
//!
//! Fed by `compile` with the choices, by the walk with values; equality comes from `equal`.

use super::super::compile::Compiler;
use super::super::equal::equal;
use super::super::error::SchemaError;
use super::super::preview;
use super::super::violation::Path;
use super::super::walk::{Verdict, Walk};
use super::Keyword;
use serde_json::{Map, Value};

/// The allowed values. Strings are sorted for lookup, because nearly all choices are strings
/// and some lists have thousands.
#[derive(Debug)]
pub(in super::super) struct Choice {
    keyword: &'static str,
    strings: Box<[Box<str>]>,
    others: Box<[Value]>,
    /// The choices in the order they were written, ready for the message.
    listed: Box<str>,
}

pub(super) fn compile(
    compiler: &Compiler<'_>,
    schema: &Map<String, Value>,
    out: &mut Vec<Keyword>,
) -> Result<(), SchemaError> {
    match schema.get("enum") {
        None => {}
        Some(Value::Array(values)) => out.push(Keyword::Choice(Choice::of("enum", values))),
        Some(_) => return Err(compiler.malformed("`enum` must be an array")),
    }
    if let Some(value) = schema.get("const") {
        out.push(Keyword::Choice(Choice::of("const", std::slice::from_ref(value))));
    }
    Ok(())
}

impl Choice {
    fn of(keyword: &'static str, values: &[Value]) -> Self {
        let listed = preview::list(values.iter().map(preview::literal)).into();
        let strings = values.iter().filter_map(Value::as_str);
        let mut strings: Vec<Box<str>> = strings.map(Box::from).collect();
        strings.sort_unstable();
        let others = values.iter().filter(|value| !value.is_string()).cloned().collect();
        Self { keyword, strings: strings.into(), others, listed }
    }

    pub(super) fn check(&self, walk: &mut Walk<'_>, value: &Value, at: &Path<'_>) -> Verdict {
        if let Value::String(text) = value {
            // Each step of the search may compare the whole text.
            walk.charge(text.len() as u64 / 32)?;
            if self.strings.binary_search_by(|choice| (**choice).cmp(text)).is_ok() {
                return Ok(true);
            }
        } else {
            for choice in &self.others {
                if equal(walk, value, choice, at.depth)? {
                    return Ok(true);
                }
            }
        }
        walk.fail(at, self.keyword, || {
            let one_of = if self.strings.len() + self.others.len() > 1 { "one of " } else { "" };
            format!("expected {one_of}{}, found {}", self.listed, preview::describe(value))
        })
    }
}
