//! `properties`, `patternProperties`, and `additionalProperties`: one pass over the object
//! serves all three, because the last needs to know what the others took.
//!
//! Fed by `compile` with subschemas, by the walk with objects; marks what it looked at for
//! `unevaluated`. Tool arguments spend most of their check here.

use super::super::compile::Compiler;
use super::super::error::SchemaError;
use super::super::marks::Marks;
use super::super::node::NodeId;
use super::super::pattern::Pattern;
use super::super::preview;
use super::super::violation::Path;
use super::super::walk::{Verdict, Walk};
use super::Keyword;
use serde_json::{Map, Value};

/// The schemas for the properties of an object.
#[derive(Debug)]
pub(in super::super) struct Properties {
    named: Table,
    patterned: Box<[(Pattern, NodeId)]>,
    additional: Option<NodeId>,
}

/// Property names in the order they were written, and sorted when there are many.
#[derive(Debug, Default)]
struct Table {
    entries: Box<[(Box<str>, NodeId)]>,
    sorted: Option<Box<[u32]>>,
}

pub(super) fn compile<'s>(
    compiler: &mut Compiler<'s>,
    schema: &'s Map<String, Value>,
    out: &mut Vec<Keyword>,
) -> Result<(), SchemaError> {
    let named = compiler.schema_map(schema, "properties")?;
    let mut patterned = Vec::new();
    for (pattern, id) in compiler.schema_map(schema, "patternProperties")? {
        patterned.push((compiler.pattern(pattern)?, id));
    }
    let additional = compiler.schema(schema, "additionalProperties");
    if !named.is_empty() || !patterned.is_empty() || additional.is_some() {
        let (named, patterned) = (Table::new(named), patterned.into());
        out.push(Keyword::Properties(Box::new(Properties { named, patterned, additional })));
    }
    Ok(())
}

impl Table {
    /// Up to this many names, looking at each beats a binary search.
    const LINEAR_MAX: usize = 8;

    fn new(entries: Vec<(&str, NodeId)>) -> Self {
        let entries: Box<[(Box<str>, NodeId)]> =
            entries.into_iter().map(|(name, id)| (Box::from(name), id)).collect();
        let sorted = (entries.len() > Self::LINEAR_MAX).then(|| {
            let mut order: Box<[u32]> = (0u32..).take(entries.len()).collect();
            order.sort_unstable_by_key(|&index| &entries[index as usize].0);
            order
        });
        Self { entries, sorted }
    }

    /// Looks up a name. `expected` is where the caller thinks it is: values mostly have their
    /// properties in the order of the schema, so the name after the last one is tried first.
    fn get(&self, name: &str, expected: &mut usize) -> Option<NodeId> {
        let position = match self.entries.get(*expected) {
            Some((known, _)) if **known == *name => *expected,
            _ => self.position(name)?,
        };
        *expected = position + 1;
        Some(self.entries[position].1)
    }

    fn position(&self, name: &str) -> Option<usize> {
        let Some(sorted) = &self.sorted else {
            return self.entries.iter().position(|(known, _)| **known == *name);
        };
        let known = |index: u32| &*self.entries[index as usize].0;
        let found = sorted.binary_search_by(|&index| known(index).cmp(name)).ok()?;
        Some(sorted[found] as usize)
    }
}

impl Properties {
    pub(super) fn check(
        &self,
        walk: &mut Walk<'_>,
        object: &Map<String, Value>,
        at: &Path<'_>,
        mut marks: Option<&mut Marks>,
    ) -> Verdict {
        let mut fits = true;
        let mut unexpected = Vec::new();
        let mut expected = 0;
        if !object.is_empty() {
            walk.enter(at.depth)?;
        }
        for (index, (name, value)) in object.iter().enumerate() {
            walk.charge(1 + name.len() as u64 / 64)?;
            let mut known = false;
            if let Some(id) = self.named.get(name, &mut expected) {
                known = true;
                let verdict = walk.apply(id, value, &at.key(name), None)?;
                if walk.ends(&mut fits, verdict) {
                    return Ok(false);
                }
            }
            for (pattern, id) in &self.patterned {
                if pattern.matches(walk, name)? {
                    known = true;
                    let verdict = walk.apply(*id, value, &at.key(name), None)?;
                    if walk.ends(&mut fits, verdict) {
                        return Ok(false);
                    }
                }
            }
            if let (false, Some(id)) = (known, self.additional) {
                known = true;
                let verdict = if walk.validator.node(id).is_never() {
                    unexpected.push(name.as_str());
                    false
                } else {
                    walk.apply(id, value, &at.key(name), None)?
                };
                if walk.ends(&mut fits, verdict) {
                    return Ok(false);
                }
            }
            if let (true, Some(marks)) = (known, marks.as_deref_mut()) {
                marks.add(index);
            }
        }
        if !unexpected.is_empty() {
            walk.fail(at, "additionalProperties", || self.unexpected(&unexpected))?;
        }
        Ok(fits)
    }

    fn unexpected(&self, names: &[&str]) -> String {
        let plural = if names.len() == 1 { "property" } else { "properties" };
        let names = preview::list(names.iter().map(|name| preview::quoted(name)));
        let allowed =
            preview::list(self.named.entries.iter().map(|(name, _)| preview::quoted(name)));
        let allowed = match (allowed.is_empty(), self.patterned.is_empty()) {
            (true, true) => "no properties are allowed".to_owned(),
            (true, false) => "only names that match a pattern are allowed".to_owned(),
            (false, true) => format!("allowed: {allowed}"),
            (false, false) => format!("allowed: {allowed}, and names that match a pattern"),
        };
        format!("unexpected {plural} {names}; {allowed}")
    }
}
