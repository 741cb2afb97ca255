//! `minLength`, `maxLength`, `pattern`, and, on request, `format`.
//!
//! Fed by `compile` with the bounds, by the walk with text; `pattern` and `format` decide.

use super::super::compile::Compiler;
use super::super::error::SchemaError;
use super::super::format::Format;
use super::super::pattern::Pattern;
use super::super::preview;
use super::super::violation::Path;
use super::super::walk::{Verdict, Walk};
use super::Keyword;
use serde_json::{Map, Value};

/// Bounds on the length, in code points.
#[derive(Debug)]
pub(in super::super) struct Length {
    min: u64,
    max: u64,
}

/// A regular expression that must match somewhere in the text.
#[derive(Debug)]
pub(in super::super) struct Matches {
    pattern: Pattern,
    written: Box<str>,
}

pub(super) fn compile(
    compiler: &mut Compiler<'_>,
    schema: &Map<String, Value>,
    out: &mut Vec<Keyword>,
) -> Result<(), SchemaError> {
    let min = compiler.count(schema, "minLength")?;
    let max = compiler.count(schema, "maxLength")?;
    if min.is_some() || max.is_some() {
        let (min, max) = (min.unwrap_or(0), max.unwrap_or(u64::MAX));
        out.push(Keyword::Length(Length { min, max }));
    }
    match schema.get("pattern") {
        None => {}
        Some(Value::String(text)) => {
            let pattern = compiler.pattern(text)?;
            let written = preview::cut(text).into();
            out.push(Keyword::Pattern(Matches { pattern, written }));
        }
        Some(_) => return Err(compiler.malformed("`pattern` must be a string")),
    }
    if compiler.asserts_formats() {
        let format = schema.get("format").and_then(Value::as_str).and_then(Format::named);
        out.extend(format.map(Keyword::Format));
    }
    Ok(())
}

impl Length {
    pub(super) fn check(&self, walk: &mut Walk<'_>, text: &str, at: &Path<'_>) -> Verdict {
        // A code point takes one to four bytes, so the byte length often decides.
        let bytes = text.len() as u64;
        if bytes.div_ceil(4) >= self.min && bytes <= self.max {
            return Ok(true);
        }
        walk.charge_bytes(text.len())?;
        let chars = text.chars().count() as u64;
        if chars < self.min {
            walk.fail(at, "minLength", || self.message("at least", self.min, chars, text))
        } else if chars > self.max {
            walk.fail(at, "maxLength", || self.message("at most", self.max, chars, text))
        } else {
            Ok(true)
        }
    }

    fn message(&self, side: &str, limit: u64, found: u64, text: &str) -> String {
        let limit = preview::count(limit, "character", "characters");
        format!("expected {side} {limit}, found {found} in {}", preview::quoted(text))
    }
}

impl Matches {
    pub(super) fn check(&self, walk: &mut Walk<'_>, text: &str, at: &Path<'_>) -> Verdict {
        if self.pattern.matches(walk, text)? {
            return Ok(true);
        }
        walk.fail(at, "pattern", || {
            format!(
                "expected a string that matches the pattern {}, found {}",
                self.written,
                preview::quoted(text)
            )
        })
    }
}

pub(super) fn format(format: Format, walk: &mut Walk<'_>, text: &str, at: &Path<'_>) -> Verdict {
    walk.charge(1 + text.len() as u64 / 64)?;
    if format.admits(text) {
        return Ok(true);
    }
    walk.fail(at, "format", || {
        format!("expected {}, found {}", format.description(), preview::quoted(text))
    })
}
