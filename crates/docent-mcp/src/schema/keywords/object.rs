//! The keywords about an object as a whole: `required`, counts, names, and dependencies.
//!
//! Fed by `compile` with names and subschemas, by the walk with objects.

use super::super::compile::Compiler;
use super::super::dialect::Dialect;
use super::super::error::SchemaError;
use super::super::marks::Marks;
use super::super::node::NodeId;
use super::super::preview;
use super::super::violation::Path;
use super::super::walk::{Verdict, Walk};
use super::Keyword;
use serde_json::{Map, Value};

/// `required`.
#[derive(Debug)]
pub(in super::super) struct Required(Box<[Box<str>]>);

/// `minProperties` and `maxProperties`.
#[derive(Debug)]
pub(in super::super) struct PropertyCount {
    min: u64,
    max: u64,
}

/// `propertyNames`.
#[derive(Debug)]
pub(in super::super) struct PropertyNames(NodeId);

/// `dependentRequired` and `dependentSchemas`, or draft-07 `dependencies`.
#[derive(Debug)]
pub(in super::super) struct Dependent(Box<[(Box<str>, Demand)]>);

#[derive(Debug)]
enum Demand {
    Names(Required),
    Schema(NodeId),
}

pub(super) fn compile<'s>(
    compiler: &mut Compiler<'s>,
    schema: &'s Map<String, Value>,
    out: &mut Vec<Keyword>,
) -> Result<(), SchemaError> {
    if let Some(names) = schema.get("required") {
        let names = compiler.names("required", names)?;
        if !names.is_empty() {
            out.push(Keyword::Required(Required(names)));
        }
    }
    let min = compiler.count(schema, "minProperties")?;
    let max = compiler.count(schema, "maxProperties")?;
    if min.is_some() || max.is_some() {
        let (min, max) = (min.unwrap_or(0), max.unwrap_or(u64::MAX));
        out.push(Keyword::PropertyCount(PropertyCount { min, max }));
    }
    if let Some(names) = compiler.schema(schema, "propertyNames") {
        out.push(Keyword::PropertyNames(PropertyNames(names)));
    }
    let dependent = compile_dependent(compiler, schema)?;
    if !dependent.is_empty() {
        out.push(Keyword::Dependent(Dependent(dependent.into())));
    }
    Ok(())
}

fn compile_dependent<'s>(
    compiler: &mut Compiler<'s>,
    schema: &'s Map<String, Value>,
) -> Result<Vec<(Box<str>, Demand)>, SchemaError> {
    let (names, schemas) = match compiler.dialect() {
        Dialect::Draft202012 => ("dependentRequired", "dependentSchemas"),
        Dialect::Draft7 => ("dependencies", "dependencies"),
    };
    let mut out = Vec::new();
    match schema.get(names) {
        None => {}
        Some(Value::Object(entries)) => {
            for (name, demand) in entries {
                if names != schemas || demand.is_array() {
                    let demand = Demand::Names(Required(compiler.names(names, demand)?));
                    out.push((Box::from(name.as_str()), demand));
                }
            }
        }
        Some(_) => return Err(compiler.malformed(format!("`{names}` must be an object"))),
    }
    for (name, id) in compiler.schema_map(schema, schemas)? {
        out.push((Box::from(name), Demand::Schema(id)));
    }
    Ok(out)
}

/// Looks up one name. Hashing reads all of it, and names in schemas can be long.
fn has(walk: &mut Walk<'_>, object: &Map<String, Value>, name: &str) -> Verdict {
    walk.charge(name.len() as u64 / 64)?;
    Ok(object.contains_key(name))
}

impl Required {
    pub(super) fn check(
        &self,
        walk: &mut Walk<'_>,
        object: &Map<String, Value>,
        at: &Path<'_>,
    ) -> Verdict {
        self.demand(walk, object, at, None)
    }

    /// `by` is the property whose presence asks for the others, if it is only that.
    fn demand(
        &self,
        walk: &mut Walk<'_>,
        object: &Map<String, Value>,
        at: &Path<'_>,
        by: Option<&str>,
    ) -> Verdict {
        walk.charge(self.0.len() as u64 / 2)?;
        let mut complete = true;
        for name in &self.0 {
            complete = complete && has(walk, object, name)?;
        }
        if complete {
            return Ok(true);
        }
        walk.fail(at, if by.is_some() { "dependentRequired" } else { "required" }, || {
            let missing = self.0.iter().filter(|name| !object.contains_key(&***name));
            let missing: Vec<_> = missing.map(|name| preview::quoted(name)).collect();
            let plural = if missing.len() == 1 { "property" } else { "properties" };
            let missing = preview::list(missing.into_iter());
            match by {
                None => format!("missing required {plural} {missing}"),
                Some(name) => {
                    let name = preview::quoted(name);
                    format!("missing {plural} {missing}, required because {name} is present")
                }
            }
        })
    }
}

impl PropertyCount {
    pub(super) fn check(
        &self,
        walk: &mut Walk<'_>,
        object: &Map<String, Value>,
        at: &Path<'_>,
    ) -> Verdict {
        let found = object.len() as u64;
        if found < self.min {
            let least = preview::count(self.min, "property", "properties");
            walk.fail(at, "minProperties", || format!("expected at least {least}, found {found}"))
        } else if found > self.max {
            let most = preview::count(self.max, "property", "properties");
            walk.fail(at, "maxProperties", || format!("expected at most {most}, found {found}"))
        } else {
            Ok(true)
        }
    }
}

impl PropertyNames {
    pub(super) fn check(
        &self,
        walk: &mut Walk<'_>,
        object: &Map<String, Value>,
        at: &Path<'_>,
    ) -> Verdict {
        let mut fits = true;
        for name in object.keys() {
            walk.charge_bytes(name.len())?;
            let value = Value::String(name.clone());
            if walk.test(self.0, &value, at, None)? {
                continue;
            }
            let why = walk.explain(self.0, &value, &Path::ROOT);
            let verdict = walk.fail(at, "propertyNames", || {
                format!("property name {} is not allowed: {why}", preview::quoted(name))
            })?;
            if walk.ends(&mut fits, verdict) {
                break;
            }
        }
        Ok(fits)
    }
}

impl Dependent {
    pub(super) fn check(
        &self,
        walk: &mut Walk<'_>,
        value: &Value,
        object: &Map<String, Value>,
        at: &Path<'_>,
        mut marks: Option<&mut Marks>,
    ) -> Verdict {
        let mut fits = true;
        walk.charge(self.0.len() as u64 / 2)?;
        for (name, demand) in &self.0 {
            if !has(walk, object, name)? {
                continue;
            }
            let verdict = match demand {
                Demand::Names(names) => names.demand(walk, object, at, Some(name))?,
                Demand::Schema(id) => walk.apply(*id, value, at, marks.as_deref_mut())?,
            };
            if walk.ends(&mut fits, verdict) {
                break;
            }
        }
        Ok(fits)
    }
}
