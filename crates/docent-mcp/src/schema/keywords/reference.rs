//! `$ref` and `$dynamicRef`: another schema of the same document applies here too.
//!
//! Fed by `document` with the target, by the walk with values and the dynamic scope.

use super::super::compile::Compiler;
use super::super::dialect::Dialect;
use super::super::error::SchemaError;
use super::super::marks::Marks;
use super::super::node::NodeId;
use super::super::violation::Path;
use super::super::walk::{Verdict, Walk};
use super::Keyword;
use serde_json::{Map, Value};

/// A reference to another schema.
#[derive(Debug)]
pub(in super::super) enum Reference {
    Static(NodeId),
    /// The outermost resource on the way here that has the anchor decides; `fallback` is
    /// where the reference leads on its own.
    Dynamic {
        anchor: u32,
        fallback: NodeId,
    },
}

pub(super) fn compile<'s>(
    compiler: &mut Compiler<'s>,
    schema: &'s Map<String, Value>,
    out: &mut Vec<Keyword>,
) -> Result<(), SchemaError> {
    if let Some(target) = compiler.target(schema, "$ref")? {
        out.push(Keyword::Reference(Reference::Static(compiler.node(target))));
    }
    if compiler.dialect() == Dialect::Draft7 {
        return Ok(());
    }
    if let Some(target) = compiler.target(schema, "$dynamicRef")? {
        let fallback = compiler.node(target);
        // Dynamic only when it names an anchor that was declared as dynamic where it leads.
        let anchor = schema["$dynamicRef"].as_str().and_then(|reference| {
            let (_, name) = super::super::uri::split_fragment(reference);
            compiler.dynamic_anchor(target.resource, name)
        });
        out.push(Keyword::Reference(match anchor {
            Some(anchor) => Reference::Dynamic { anchor, fallback },
            None => Reference::Static(fallback),
        }));
    }
    Ok(())
}

impl Reference {
    pub(super) fn check(
        &self,
        walk: &mut Walk<'_>,
        value: &Value,
        at: &Path<'_>,
        marks: Option<&mut Marks>,
    ) -> Verdict {
        let target = match *self {
            Self::Static(target) => target,
            Self::Dynamic { anchor, fallback } => {
                walk.charge(walk.scope.len() as u64 / 4)?;
                let validator = walk.validator;
                let mut outermost_first = walk.scope.iter();
                outermost_first
                    .find_map(|&resource| validator.dynamic_anchors.get(&(resource, anchor)))
                    .copied()
                    .unwrap_or(fallback)
            }
        };
        walk.apply(target, value, at, marks)
    }
}
