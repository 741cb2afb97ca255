//! `minimum`, `maximum`, their exclusive forms, and `multipleOf`.
//!
//! Fed by `compile` with the bounds, by the walk with numbers; `super::super::number` does
//! the arithmetic.

use super::super::compile::Compiler;
use super::super::error::SchemaError;
use super::super::number::{Decimal, Num};
use super::super::preview;
use super::super::violation::Path;
use super::super::walk::{Verdict, Walk};
use super::Keyword;
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;

/// One end of a range.
#[derive(Debug)]
pub(in super::super) struct Bound {
    keyword: &'static str,
    /// How the value must not compare to the limit.
    wrong: Ordering,
    exclusive: bool,
    sign: &'static str,
    limit: Num,
    written: Number,
}

/// The divisor.
#[derive(Debug)]
pub(in super::super) struct MultipleOf {
    divisor: Decimal,
    written: Number,
}

/// Keyword, what fails, whether equality fails too, and how the bound reads.
const BOUNDS: [(&str, Ordering, bool, &str); 4] = [
    ("minimum", Ordering::Less, false, ">="),
    ("exclusiveMinimum", Ordering::Less, true, ">"),
    ("maximum", Ordering::Greater, false, "<="),
    ("exclusiveMaximum", Ordering::Greater, true, "<"),
];

pub(super) fn compile(
    compiler: &Compiler<'_>,
    schema: &Map<String, Value>,
    out: &mut Vec<Keyword>,
) -> Result<(), SchemaError> {
    for (keyword, wrong, exclusive, sign) in BOUNDS {
        let Some(written) = number(compiler, schema, keyword)? else { continue };
        let limit = Num::of(written);
        let written = written.clone();
        out.push(Keyword::Bound(Bound { keyword, wrong, exclusive, sign, limit, written }));
    }
    if let Some(written) = number(compiler, schema, "multipleOf")? {
        let divisor = Decimal::of(written).filter(|divisor| !divisor.is_zero());
        let positive = Num::of(written).compare(Num::Int(0)) == Ordering::Greater;
        let Some(divisor) = divisor.filter(|_| positive) else {
            return Err(compiler.malformed("`multipleOf` must be greater than 0"));
        };
        out.push(Keyword::MultipleOf(MultipleOf { divisor, written: written.clone() }));
    }
    Ok(())
}

fn number<'s>(
    compiler: &Compiler<'_>,
    schema: &'s Map<String, Value>,
    keyword: &str,
) -> Result<Option<&'s Number>, SchemaError> {
    match schema.get(keyword) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number)),
        Some(other) => Err(compiler.malformed(format!(
            "`{keyword}` must be a number, found {}",
            preview::describe(other)
        ))),
    }
}

impl Bound {
    pub(super) fn check(&self, walk: &mut Walk<'_>, number: &Number, at: &Path<'_>) -> Verdict {
        let order = Num::of(number).compare(self.limit);
        if order != self.wrong && !(self.exclusive && order == Ordering::Equal) {
            return Ok(true);
        }
        walk.fail(at, self.keyword, || {
            format!("expected a number {} {}, found {number}", self.sign, self.written)
        })
    }
}

impl MultipleOf {
    pub(super) fn check(&self, walk: &mut Walk<'_>, number: &Number, at: &Path<'_>) -> Verdict {
        // Writing a float out costs as much as a few schemas.
        walk.charge(4)?;
        if Decimal::of(number).is_some_and(|number| number.is_multiple_of(self.divisor)) {
            return Ok(true);
        }
        walk.fail(at, "multipleOf", || {
            format!("expected a multiple of {}, found {number}", self.written)
        })
    }
}
