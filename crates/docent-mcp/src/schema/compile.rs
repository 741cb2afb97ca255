//! From a raw schema to a flat list of nodes.
//!
//! Fed by `document`, which knows where references lead, and by `keywords`, which read their
//! own part of each schema through the methods here. Feeds [`Validator`](super::Validator).
//!
//! Schemas wait in a queue and are compiled once each, however many references lead to them.
//! There is no recursion, so a deep schema costs memory and never stack.

use super::dialect::{Dialect, Inner, Token};
use super::document::{Document, Place};
use super::error::SchemaError;
use super::keywords::Keyword;
use super::keywords::types::Types;
use super::limits::SchemaLimits;
use super::node::{Node, NodeId};
use super::pattern::Pattern;
use super::preview;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The compiled schema: the first node is the root.
pub(super) struct Compiled {
    pub(super) nodes: Box<[Node]>,
    /// The schema that each dynamic anchor names in each resource.
    pub(super) dynamic_anchors: HashMap<(u32, u32), NodeId>,
}

/// The work in progress.
pub(super) struct Compiler<'s> {
    document: Document<'s>,
    limits: SchemaLimits,
    asserts_formats: bool,
    pattern_states: usize,
    nodes: Vec<Node>,
    /// Every schema met so far; those past `nodes.len()` still wait.
    queue: Vec<Waiting<'s>>,
    known: HashMap<*const Value, NodeId>,
    anchor_numbers: HashMap<&'s str, u32>,
}

/// A schema to compile, and how it was reached, for error messages.
struct Waiting<'s> {
    place: Place<'s>,
    from: Option<(NodeId, Token<'s>)>,
}

pub(super) fn compile(
    schema: &Value,
    limits: &SchemaLimits,
    asserts_formats: bool,
) -> Result<Compiled, SchemaError> {
    let mut compiler = Compiler {
        document: Document::scan(schema, limits)?,
        limits: *limits,
        asserts_formats,
        pattern_states: 0,
        nodes: Vec::new(),
        queue: Vec::new(),
        known: HashMap::new(),
        anchor_numbers: HashMap::new(),
    };
    compiler.enqueue(Place { schema, resource: 0 }, None);
    let mut dynamic_anchors = HashMap::new();
    loop {
        while compiler.nodes.len() < compiler.queue.len() {
            let node = compiler.next()?;
            compiler.nodes.push(node);
        }
        // The targets of dynamic references may be found only by now.
        if !compiler.add_dynamic_anchors(&mut dynamic_anchors) {
            break;
        }
    }
    Ok(Compiled { nodes: compiler.nodes.into(), dynamic_anchors })
}

impl<'s> Compiler<'s> {
    /// Compiles the schema at the head of the queue.
    fn next(&mut self) -> Result<Node, SchemaError> {
        let place = self.place();
        let resource = u32::try_from(place.resource).unwrap_or(u32::MAX);
        let node = |types, keywords: Vec<Keyword>| Node {
            types,
            resource,
            marks_children: keywords.iter().any(|k| matches!(k, Keyword::Unevaluated(_))),
            keywords: keywords.into(),
        };
        match place.schema {
            Value::Bool(true) => Ok(node(Types::ANY, Vec::new())),
            Value::Bool(false) => Ok(node(Types::NONE, Vec::new())),
            Value::Object(schema) => {
                let hidden = self.ref_hides_siblings(schema);
                let types = if hidden { Types::ANY } else { Types::compile(self, schema)? };
                let keywords = Keyword::compile_all(self, schema)?;
                self.enqueue_definitions(schema);
                Ok(node(types, keywords))
            }
            other => {
                let found = preview::describe(other);
                Err(self.malformed(format!("a schema is an object or a boolean, found {found}")))
            }
        }
    }

    /// Compiles definitions that nothing refers to as well, so that what is wrong in them is
    /// found now.
    fn enqueue_definitions(&mut self, schema: &'s Map<String, Value>) {
        for keyword in ["$defs", "definitions"] {
            let Some(Value::Object(entries)) = schema.get(keyword) else { continue };
            for (key, value) in entries {
                self.child(value, Token { keyword, inner: Inner::Key(key) });
            }
        }
    }

    /// Numbers every anchor that a dynamic reference uses; true when that added work.
    fn add_dynamic_anchors(&mut self, out: &mut HashMap<(u32, u32), NodeId>) -> bool {
        let mut found = Vec::new();
        for (index, resource) in self.document.resources.iter().enumerate() {
            for (name, place) in &resource.dynamic_anchors {
                if let Some(&number) = self.anchor_numbers.get(name) {
                    found.push((u32::try_from(index).unwrap_or(u32::MAX), number, *place));
                }
            }
        }
        for (resource, number, place) in found {
            let id = self.node(place);
            out.insert((resource, number), id);
        }
        self.nodes.len() < self.queue.len()
    }

    fn place(&self) -> Place<'s> {
        self.queue[self.nodes.len()].place
    }

    fn enqueue(&mut self, place: Place<'s>, from: Option<(NodeId, Token<'s>)>) -> NodeId {
        let next = NodeId::new(self.queue.len());
        let id = *self.known.entry(place.schema).or_insert(next);
        match self.queue.get_mut(id.position()) {
            None => self.queue.push(Waiting { place, from }),
            // First reached by reference, now found in its place.
            Some(waiting) => waiting.from = waiting.from.or(from),
        }
        id
    }

    /// The node for a schema found by reference.
    pub(super) fn node(&mut self, place: Place<'s>) -> NodeId {
        self.enqueue(place, None)
    }

    /// The node for a direct subschema of the current one.
    pub(super) fn child(&mut self, schema: &'s Value, token: Token<'s>) -> NodeId {
        let resource = self.document.resource_of(schema).unwrap_or(self.place().resource);
        let from = Some((NodeId::new(self.nodes.len()), token));
        self.enqueue(Place { schema, resource }, from)
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.document.resources[self.place().resource].dialect
    }

    pub(super) fn asserts_formats(&self) -> bool {
        self.asserts_formats
    }

    /// Draft-07 ignores everything beside `$ref`.
    pub(super) fn ref_hides_siblings(&self, schema: &Map<String, Value>) -> bool {
        self.dialect() == Dialect::Draft7 && schema.get("$ref").is_some_and(Value::is_string)
    }

    /// Where the reference under `keyword` leads.
    pub(super) fn target(
        &self,
        schema: &'s Map<String, Value>,
        keyword: &str,
    ) -> Result<Option<Place<'s>>, SchemaError> {
        let reference = match schema.get(keyword) {
            None => return Ok(None),
            Some(Value::String(reference)) => reference,
            Some(_) => return Err(self.malformed(format!("`{keyword}` must be a string"))),
        };
        let max = self.limits.reference_bytes_max;
        if reference.len() > max {
            return Err(SchemaError::TooLarge { limit: "reference_bytes_max", max });
        }
        match self.document.resolve(self.place().resource, reference) {
            Some(place) => Ok(Some(place)),
            None => {
                Err(SchemaError::Unresolved { at: self.pointer(), reference: reference.clone() })
            }
        }
    }

    /// The number of a dynamic anchor, when `resource` declares one of that name.
    pub(super) fn dynamic_anchor(&mut self, resource: usize, name: &'s str) -> Option<u32> {
        self.document.resources[resource].dynamic_anchors.get(name)?;
        let next = u32::try_from(self.anchor_numbers.len()).ok()?;
        Some(*self.anchor_numbers.entry(name).or_insert(next))
    }

    /// Compiles a regular expression.
    pub(super) fn pattern(&mut self, text: &str) -> Result<Pattern, SchemaError> {
        let max = self.limits.pattern_bytes_max;
        if text.len() > max {
            return Err(SchemaError::TooLarge { limit: "pattern_bytes_max", max });
        }
        let states_left = self.limits.pattern_states_max - self.pattern_states;
        match Pattern::new(text, states_left) {
            Ok(pattern) => {
                self.pattern_states += pattern.states();
                Ok(pattern)
            }
            Err(super::pattern::PatternError::TooManyStates) => Err(SchemaError::TooLarge {
                limit: "pattern_states_max",
                max: self.limits.pattern_states_max,
            }),
            Err(super::pattern::PatternError::Unsupported(reason)) => Err(SchemaError::Pattern {
                at: self.pointer(),
                pattern: preview::cut(text),
                reason,
            }),
        }
    }

    /// The error for a keyword of the current schema.
    pub(super) fn malformed(&self, reason: impl Into<String>) -> SchemaError {
        SchemaError::Malformed { at: self.pointer(), reason: reason.into() }
    }

    /// JSON pointer to the current schema, from the root or the last reference followed.
    fn pointer(&self) -> String {
        let mut tokens = Vec::new();
        let mut next = Some(NodeId::new(self.nodes.len()));
        while let Some((parent, token)) = next.and_then(|id| self.queue[id.position()].from) {
            tokens.push(token.to_string());
            next = Some(parent);
        }
        tokens.reverse();
        tokens.concat()
    }
}
