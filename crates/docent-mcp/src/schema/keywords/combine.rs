//! Schemas combined: `allOf`, `anyOf`, `oneOf`, `not`, and `if` with `then` and `else`.
//!
//! Fed by `compile` with subschemas, by the walk with values; passes on the marks of those
//! branches that fit, for `unevaluated`.

use super::super::compile::Compiler;
use super::super::error::SchemaError;
use super::super::marks::Marks;
use super::super::node::NodeId;
use super::super::preview;
use super::super::violation::Path;
use super::super::walk::{Verdict, Walk};
use super::Keyword;
use serde_json::{Map, Value};

/// Alternatives explained one by one in a message.
const EXPLAINED_MAX: usize = 4;

/// A combination of schemas, all applied to the same value.
#[derive(Debug)]
pub(in super::super) enum Combine {
    All(Box<[NodeId]>),
    Any(Box<[NodeId]>),
    One(Box<[NodeId]>),
    Not(NodeId),
    If { condition: NodeId, then: Option<NodeId>, otherwise: Option<NodeId> },
}

pub(super) fn compile<'s>(
    compiler: &mut Compiler<'s>,
    schema: &'s Map<String, Value>,
    out: &mut Vec<Keyword>,
) -> Result<(), SchemaError> {
    let all = compiler.schema_list(schema, "allOf")?.map(Combine::All);
    let any = compiler.schema_list(schema, "anyOf")?.map(Combine::Any);
    let one = compiler.schema_list(schema, "oneOf")?.map(Combine::One);
    let not = compiler.schema(schema, "not").map(Combine::Not);
    let then = compiler.schema(schema, "then");
    let otherwise = compiler.schema(schema, "else");
    let condition = compiler.schema(schema, "if");
    let condition = condition.map(|condition| Combine::If { condition, then, otherwise });
    out.extend([all, any, one, not, condition].into_iter().flatten().map(Keyword::Combine));
    Ok(())
}

impl Combine {
    pub(super) fn check(
        &self,
        walk: &mut Walk<'_>,
        value: &Value,
        at: &Path<'_>,
        marks: Option<&mut Marks>,
    ) -> Verdict {
        match self {
            Self::All(schemas) => all(walk, schemas, value, at, marks),
            Self::Any(schemas) => any(walk, schemas, value, at, marks),
            Self::One(schemas) => one(walk, schemas, value, at, marks),
            Self::Not(schema) => {
                if !walk.test(*schema, value, at, None)? {
                    return Ok(true);
                }
                walk.fail(at, "not", || {
                    let found = preview::describe(value);
                    format!("expected a value that does not fit the schema `not`, found {found}")
                })
            }
            Self::If { condition, then, otherwise } => {
                let mut marks = marks;
                let fits = branch(walk, *condition, value, at, marks.as_deref_mut())?;
                let next = if fits { then } else { otherwise };
                next.map_or(Ok(true), |schema| walk.apply(schema, value, at, marks))
            }
        }
    }
}

/// Tests one branch, and keeps its marks only when it fits.
fn branch(
    walk: &mut Walk<'_>,
    schema: NodeId,
    value: &Value,
    at: &Path<'_>,
    marks: Option<&mut Marks>,
) -> Verdict {
    let Some(marks) = marks else { return walk.test(schema, value, at, None) };
    let mut own = marks.blank();
    walk.charge(own.cost())?;
    let fits = walk.test(schema, value, at, Some(&mut own))?;
    if fits {
        marks.merge(&own);
    }
    Ok(fits)
}

fn all(
    walk: &mut Walk<'_>,
    schemas: &[NodeId],
    value: &Value,
    at: &Path<'_>,
    mut marks: Option<&mut Marks>,
) -> Verdict {
    let mut fits = true;
    for &schema in schemas {
        let verdict = walk.apply(schema, value, at, marks.as_deref_mut())?;
        if walk.ends(&mut fits, verdict) {
            break;
        }
    }
    Ok(fits)
}

fn any(
    walk: &mut Walk<'_>,
    schemas: &[NodeId],
    value: &Value,
    at: &Path<'_>,
    mut marks: Option<&mut Marks>,
) -> Verdict {
    let mut fits = false;
    for &schema in schemas {
        fits |= branch(walk, schema, value, at, marks.as_deref_mut())?;
        // With marks, the other branches that fit count as having looked at children too.
        if fits && marks.is_none() {
            break;
        }
    }
    if fits {
        return Ok(true);
    }
    let why = alternatives(walk, schemas, value, at);
    walk.fail(at, "anyOf", || why)
}

fn one(
    walk: &mut Walk<'_>,
    schemas: &[NodeId],
    value: &Value,
    at: &Path<'_>,
    mut marks: Option<&mut Marks>,
) -> Verdict {
    let mut fitting = None;
    for (index, &schema) in schemas.iter().enumerate() {
        let fits = branch(walk, schema, value, at, marks.as_deref_mut())?;
        match (fits, fitting) {
            (false, _) => {}
            (true, None) => fitting = Some(index),
            (true, Some(first)) => {
                return walk.fail(at, "oneOf", || {
                    format!(
                        "expected to fit exactly one alternative, found {} \
                         which fits both number {} and number {}",
                        preview::describe(value),
                        first + 1,
                        index + 1
                    )
                });
            }
        }
    }
    if fitting.is_some() {
        return Ok(true);
    }
    let why = alternatives(walk, schemas, value, at);
    walk.fail(at, "oneOf", || why)
}

/// Says for each alternative why the value does not fit; empty on a quiet walk.
fn alternatives(walk: &mut Walk<'_>, schemas: &[NodeId], value: &Value, at: &Path<'_>) -> String {
    if !walk.is_reporting() {
        return String::new();
    }
    if let [only] = schemas {
        return walk.explain(*only, value, at);
    }
    let mut why = format!("fits none of the {} alternatives", schemas.len());
    for (index, &schema) in schemas.iter().take(EXPLAINED_MAX).enumerate() {
        let reason = walk.explain(schema, value, at);
        why.push_str(&format!("{} ({}) {reason}", if index == 0 { ":" } else { ";" }, index + 1));
    }
    if schemas.len() > EXPLAINED_MAX {
        why.push_str("; …");
    }
    why
}
