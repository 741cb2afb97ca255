//! The array keywords: `prefixItems`, `items`, `contains`, counts, and uniqueness.
//!
//! Fed by `compile` with subschemas, by the walk with arrays; marks what it looked at for
//! `unevaluated`. Draft-07 writes the first two as array-form `items` and `additionalItems`.

use super::super::compile::Compiler;
use super::super::dialect::Dialect;
use super::super::equal;
use super::super::error::SchemaError;
use super::super::marks::Marks;
use super::super::node::NodeId;
use super::super::preview;
use super::super::violation::Path;
use super::super::walk::{Verdict, Walk};
use super::Keyword;
use serde_json::{Map, Value};

/// Schemas for the first items, one each, and one for all items after those.
#[derive(Debug)]
pub(in super::super) struct Items {
    prefix: Box<[NodeId]>,
    rest: Option<NodeId>,
}

/// `minItems` and `maxItems`.
#[derive(Debug)]
pub(in super::super) struct ItemCount {
    min: u64,
    max: u64,
}

/// `contains` with `minContains` and `maxContains`.
#[derive(Debug)]
pub(in super::super) struct Contains {
    schema: NodeId,
    min: u64,
    max: u64,
}

pub(super) fn compile<'s>(
    compiler: &mut Compiler<'s>,
    schema: &'s Map<String, Value>,
    out: &mut Vec<Keyword>,
) -> Result<(), SchemaError> {
    let min = compiler.count(schema, "minItems")?;
    let max = compiler.count(schema, "maxItems")?;
    if min.is_some() || max.is_some() {
        let (min, max) = (min.unwrap_or(0), max.unwrap_or(u64::MAX));
        out.push(Keyword::ItemCount(ItemCount { min, max }));
    }
    let modern = compiler.dialect() == Dialect::Draft202012;
    let (prefix, rest) =
        if modern { ("prefixItems", "items") } else { ("items", "additionalItems") };
    let tuple = if modern || schema.get("items").is_some_and(Value::is_array) {
        compiler.schema_list(schema, prefix)?
    } else {
        None
    };
    // Draft-07 ignores `additionalItems` unless `items` is an array.
    let rest = if modern || tuple.is_some() { rest } else { "items" };
    if modern && schema.get("items").is_some_and(Value::is_array) {
        return Err(compiler.malformed(
            "`items` is an array, which is the draft-07 form: use `prefixItems`, \
             or declare draft-07 in `$schema`",
        ));
    }
    let rest = compiler.schema(schema, rest);
    if tuple.is_some() || rest.is_some() {
        out.push(Keyword::Items(Items { prefix: tuple.unwrap_or_default(), rest }));
    }
    if let Some(contained) = compiler.schema(schema, "contains") {
        let min = if modern { compiler.count(schema, "minContains")? } else { None };
        let max = if modern { compiler.count(schema, "maxContains")? } else { None };
        let (min, max) = (min.unwrap_or(1), max.unwrap_or(u64::MAX));
        out.push(Keyword::Contains(Contains { schema: contained, min, max }));
    }
    if compiler.flag(schema, "uniqueItems")? {
        out.push(Keyword::Unique);
    }
    Ok(())
}

impl Items {
    pub(super) fn check(
        &self,
        walk: &mut Walk<'_>,
        items: &[Value],
        at: &Path<'_>,
        mut marks: Option<&mut Marks>,
    ) -> Verdict {
        let mut fits = true;
        if !items.is_empty() {
            walk.enter(at.depth)?;
        }
        for (index, item) in items.iter().enumerate() {
            let Some(id) = self.prefix.get(index).copied().or(self.rest) else { break };
            if index >= self.prefix.len() && walk.validator.node(id).is_never() {
                let verdict = walk.fail(at, "items", || {
                    let most = preview::count(self.prefix.len() as u64, "item", "items");
                    format!("expected at most {most}, found {}", items.len())
                })?;
                walk.ends(&mut fits, verdict);
                break;
            }
            let verdict = walk.apply(id, item, &at.index(index), None)?;
            if walk.ends(&mut fits, verdict) {
                break;
            }
            if let Some(marks) = marks.as_deref_mut() {
                marks.add(index);
            }
        }
        Ok(fits)
    }
}

impl ItemCount {
    pub(super) fn check(&self, walk: &mut Walk<'_>, items: &[Value], at: &Path<'_>) -> Verdict {
        let found = items.len() as u64;
        if found < self.min {
            let least = preview::count(self.min, "item", "items");
            walk.fail(at, "minItems", || format!("expected at least {least}, found {found}"))
        } else if found > self.max {
            let most = preview::count(self.max, "item", "items");
            walk.fail(at, "maxItems", || format!("expected at most {most}, found {found}"))
        } else {
            Ok(true)
        }
    }
}

impl Contains {
    pub(super) fn check(
        &self,
        walk: &mut Walk<'_>,
        items: &[Value],
        at: &Path<'_>,
        mut marks: Option<&mut Marks>,
    ) -> Verdict {
        if !items.is_empty() {
            walk.enter(at.depth)?;
        }
        let mut found = 0;
        for (index, item) in items.iter().enumerate() {
            if !walk.test(self.schema, item, &at.index(index), None)? {
                continue;
            }
            found += 1;
            match marks.as_deref_mut() {
                Some(marks) => marks.add(index),
                None if found >= self.min && self.max == u64::MAX => return Ok(true),
                None => {}
            }
        }
        if found < self.min {
            walk.fail(at, if self.min == 1 { "contains" } else { "minContains" }, || {
                let least = preview::count(self.min, "item that fits", "items that fit");
                format!("expected at least {least} the schema `contains`, found {found}")
            })
        } else if found > self.max {
            walk.fail(at, "maxContains", || {
                let most = preview::count(self.max, "item that fits", "items that fit");
                format!("expected at most {most} the schema `contains`, found {found}")
            })
        } else {
            Ok(true)
        }
    }
}

pub(super) fn unique(walk: &mut Walk<'_>, items: &[Value], at: &Path<'_>) -> Verdict {
    let Some((first, second)) = equal::duplicate(walk, items, at.depth)? else { return Ok(true) };
    walk.fail(at, "uniqueItems", || {
        let item = preview::literal(&items[first]);
        format!("expected no duplicates, found {item} at both {first} and {second}")
    })
}
