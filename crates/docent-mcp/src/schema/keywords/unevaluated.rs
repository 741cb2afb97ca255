//! `unevaluatedProperties` and `unevaluatedItems`: a schema for the children that no other
//! keyword looked at, here or in the schemas combined and referred to from here.
//!
//! Fed by the marks that the other keywords leave; checked after all of them.

use super::super::compile::Compiler;
use super::super::dialect::Dialect;
use super::super::error::SchemaError;
use super::super::marks::Marks;
use super::super::node::NodeId;
use super::super::preview;
use super::super::violation::Path;
use super::super::walk::{Stop, Verdict, Walk};
use super::Keyword;
use serde_json::{Map, Value};

/// A schema for the remaining children.
#[derive(Debug)]
pub(in super::super) enum Unevaluated {
    Properties(NodeId),
    Items(NodeId),
}

pub(super) fn compile<'s>(
    compiler: &mut Compiler<'s>,
    schema: &'s Map<String, Value>,
    out: &mut Vec<Keyword>,
) -> Result<(), SchemaError> {
    if compiler.dialect() == Dialect::Draft7 {
        return Ok(());
    }
    let properties = compiler.schema(schema, "unevaluatedProperties");
    let items = compiler.schema(schema, "unevaluatedItems");
    out.extend(properties.map(|id| Keyword::Unevaluated(Unevaluated::Properties(id))));
    out.extend(items.map(|id| Keyword::Unevaluated(Unevaluated::Items(id))));
    Ok(())
}

impl Unevaluated {
    pub(super) fn check(
        &self,
        walk: &mut Walk<'_>,
        value: &Value,
        at: &Path<'_>,
        marks: Option<&mut Marks>,
    ) -> Verdict {
        let Some(marks) = marks else { return Ok(true) };
        match (self, value) {
            (Self::Properties(schema), Value::Object(entries)) => {
                walk.charge(entries.len() as u64 / 16)?;
                for (position, (name, child)) in entries.iter().enumerate() {
                    let here = at.key(name);
                    if let Some(why) = refusal(walk, *schema, position, child, &here, marks)? {
                        return walk.fail(at, "unevaluatedProperties", || {
                            format!("unexpected property {}{why}", preview::quoted(name))
                        });
                    }
                }
            }
            (Self::Items(schema), Value::Array(items)) => {
                walk.charge(items.len() as u64 / 16)?;
                for (position, child) in items.iter().enumerate() {
                    let here = at.index(position);
                    if let Some(why) = refusal(walk, *schema, position, child, &here, marks)? {
                        return walk.fail(at, "unevaluatedItems", || {
                            let item = preview::literal(child);
                            format!("unexpected item {item} at position {position}{why}")
                        });
                    }
                }
            }
            _ => {}
        }
        Ok(true)
    }
}

/// Why a child is refused, as the end of a message; `None` when it is marked already, or
/// fits and is marked now.
fn refusal(
    walk: &mut Walk<'_>,
    schema: NodeId,
    position: usize,
    child: &Value,
    at: &Path<'_>,
    marks: &mut Marks,
) -> Result<Option<String>, Stop> {
    if marks.has(position) {
        return Ok(None);
    }
    walk.enter(at.depth - 1)?;
    if walk.test(schema, child, at, None)? {
        marks.add(position);
        return Ok(None);
    }
    if walk.validator.node(schema).is_never() {
        return Ok(Some(String::new()));
    }
    Ok(Some(format!(": {}", walk.explain(schema, child, at))))
}
