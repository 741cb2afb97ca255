//! The schema document: its size, and the names that its parts go by.
//!
//! Fed by the raw schema. Feeds the compiler, which asks it where each `$ref` leads. A
//! document is one or more *resources*: the root, and every subschema with its own `$id`.
//! Names resolve against the resource they stand in, and only inside the document.

use super::dialect::Dialect;
use super::error::SchemaError;
use super::limits::SchemaLimits;
use super::uri;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A schema and the index of the resource it belongs to.
#[derive(Clone, Copy)]
pub(super) struct Place<'s> {
    pub(super) schema: &'s Value,
    pub(super) resource: usize,
}

/// A part of the document with its own base URI.
pub(super) struct Resource<'s> {
    pub(super) dialect: Dialect,
    base: String,
    root: &'s Value,
    anchors: HashMap<&'s str, Place<'s>>,
    pub(super) dynamic_anchors: HashMap<&'s str, Place<'s>>,
}

/// Every resource of a schema document.
pub(super) struct Document<'s> {
    pub(super) resources: Vec<Resource<'s>>,
    by_uri: HashMap<String, usize>,
    /// Resource roots by their address inside the document.
    by_root: HashMap<*const Value, usize>,
}

impl<'s> Document<'s> {
    /// Measures the document and finds its resources and anchors.
    pub(super) fn scan(root: &'s Value, limits: &SchemaLimits) -> Result<Self, SchemaError> {
        measure(root, limits)?;
        let dialect = match root.as_object() {
            Some(schema) => Dialect::declared(schema)?.unwrap_or(Dialect::Draft202012),
            None => Dialect::Draft202012,
        };
        let mut document =
            Self { resources: Vec::new(), by_uri: HashMap::new(), by_root: HashMap::new() };
        document.add_resource(String::new(), root, dialect);
        let mut pending = vec![Place { schema: root, resource: 0 }];
        while let Some(mut place) = pending.pop() {
            let Some(schema) = place.schema.as_object() else { continue };
            document.identify(schema, &mut place, limits)?;
            let Place { resource, .. } = place;
            document.resources[resource].dialect.each_subschema(schema, |_, child| {
                pending.push(Place { schema: child, resource });
            });
        }
        Ok(document)
    }

    /// Where `reference` leads from inside `resource`; `None` when nowhere in here.
    pub(super) fn resolve(&self, resource: usize, reference: &str) -> Option<Place<'s>> {
        let (name, fragment) = uri::split_fragment(reference);
        let resource = if name.is_empty() {
            resource
        } else {
            *self.by_uri.get(&uri::resolve(&self.resources[resource].base, name))?
        };
        let fragment = uri::percent_decode(fragment)?;
        let target = &self.resources[resource];
        if fragment.is_empty() {
            Some(Place { schema: target.root, resource })
        } else if fragment.starts_with('/') {
            self.follow(Place { schema: target.root, resource }, &fragment)
        } else {
            target.anchors.get(fragment.as_str()).copied()
        }
    }

    /// The resource that `schema` is the root of, if it is one.
    pub(super) fn resource_of(&self, schema: &Value) -> Option<usize> {
        self.by_root.get(&std::ptr::from_ref(schema)).copied()
    }

    /// Walks a JSON pointer, entering resources on the way.
    fn follow(&self, mut place: Place<'s>, pointer: &str) -> Option<Place<'s>> {
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            place.schema = match place.schema {
                Value::Object(entries) => entries.get(&token)?,
                Value::Array(items) => items.get(token.parse::<usize>().ok()?)?,
                _ => return None,
            };
            place.resource = self.resource_of(place.schema).unwrap_or(place.resource);
        }
        Some(place)
    }

    fn add_resource(&mut self, base: String, root: &'s Value, dialect: Dialect) -> usize {
        let index = self.resources.len();
        self.by_uri.entry(base.clone()).or_insert(index);
        self.by_root.insert(root, index);
        self.resources.push(Resource {
            dialect,
            base,
            root,
            anchors: HashMap::new(),
            dynamic_anchors: HashMap::new(),
        });
        index
    }

    /// Records `$id` and anchors; moves `place` into the resource that `$id` begins.
    fn identify(
        &mut self,
        schema: &'s Map<String, Value>,
        place: &mut Place<'s>,
        limits: &SchemaLimits,
    ) -> Result<(), SchemaError> {
        let name = |keyword: &str| -> Result<Option<&'s str>, SchemaError> {
            let Some(text) = schema.get(keyword).and_then(Value::as_str) else { return Ok(None) };
            within("reference_bytes_max", text.len(), limits.reference_bytes_max)?;
            Ok(Some(text))
        };
        let dialect = self.resources[place.resource].dialect;
        // In draft-07, everything beside `$ref` is ignored, `$id` too.
        let hidden = dialect == Dialect::Draft7 && schema.contains_key("$ref");
        if let Some(id) = name("$id")?.filter(|_| !hidden) {
            let (uri, fragment) = uri::split_fragment(id);
            if !uri.is_empty() {
                let base = uri::resolve(&self.resources[place.resource].base, uri);
                // A relative `$id` inside a relative `$id` inherits the whole folder.
                within("reference_bytes_max", base.len(), limits.reference_bytes_max)?;
                if std::ptr::eq(place.schema, self.resources[0].root) {
                    self.by_uri.insert(base.clone(), 0);
                    self.resources[0].base = base;
                } else {
                    let resources = self.resources.len();
                    within("schema_resources_max", resources, limits.schema_resources_max)?;
                    let dialect = Dialect::declared(schema)?.unwrap_or(dialect);
                    place.resource = self.add_resource(base, place.schema, dialect);
                }
            }
            if dialect == Dialect::Draft7 && !fragment.is_empty() {
                self.resources[place.resource].anchors.insert(fragment, *place);
            }
        }
        let resource = &mut self.resources[place.resource];
        if resource.dialect == Dialect::Draft202012 {
            if let Some(anchor) = name("$anchor")? {
                resource.anchors.insert(anchor, *place);
            }
            if let Some(anchor) = name("$dynamicAnchor")? {
                resource.anchors.insert(anchor, *place);
                resource.dynamic_anchors.insert(anchor, *place);
            }
        }
        Ok(())
    }
}

fn within(limit: &'static str, size: usize, max: usize) -> Result<(), SchemaError> {
    if size > max { Err(SchemaError::TooLarge { limit, max }) } else { Ok(()) }
}

/// Refuses documents that are too deep or too large. Iterative: depth is what it measures.
fn measure(root: &Value, limits: &SchemaLimits) -> Result<(), SchemaError> {
    let mut values = 0;
    let mut pending = vec![(root, 1)];
    while let Some((value, depth)) = pending.pop() {
        values += 1;
        let children = match value {
            Value::Array(items) => items.len(),
            Value::Object(entries) => entries.len(),
            _ => continue,
        };
        let total = values + pending.len() + children;
        within("schema_values_max", total, limits.schema_values_max)?;
        within("schema_depth_max", depth, limits.schema_depth_max)?;
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(entries) => {
                pending.extend(entries.values().map(|entry| (entry, depth + 1)));
            }
            _ => {}
        }
    }
    Ok(())
}
