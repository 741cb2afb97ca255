//! Go: imports, what is selected from them, and the values whose types are evident.
//!
//! Types do not change in Go, so that a name means one thing from its declaration on. [`scopes`]
//! keeps what names stand for, [`types`] tells what an expression is, and [`walk`] goes through the
//! file in its order. A package that is imported without a name goes by one that only the package
//! itself knows; which import is meant is left to the judge.

mod scopes;
mod types;
mod walk;

use tree_sitter::{Node, Parser};

use super::Finder;
use crate::check::code::Language;
use crate::check::uses::Uses;

pub(super) struct Go;

impl Finder for Go {
    fn find(&self, text: &str, _: Language) -> Uses {
        let mut parser = Parser::new();
        let is_set = parser.set_language(&tree_sitter_go::LANGUAGE.into()).is_ok();
        let Some(tree) = is_set.then(|| parser.parse(text, None)).flatten() else {
            return Uses::none("its parser gave up");
        };
        if tree.root_node().has_error() {
            return Uses::none("it has syntax errors");
        }
        let mut walk = walk::Walk::new(text);
        walk.file(tree.root_node());
        walk.uses
    }
}

/// The text of a node.
fn text<'t>(node: Node<'_>, source: &'t str) -> &'t str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// Where a node begins.
fn at(node: Node<'_>) -> u32 {
    u32::try_from(node.start_byte()).unwrap_or(u32::MAX)
}

/// The named children of a node, comments left out.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

/// The children in a field, without the commas between them.
fn all<'n>(node: Node<'n>, field: &str) -> Vec<Node<'n>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor).filter(Node::is_named).collect()
}

/// Whether one of the signs of a node is this one.
fn has_sign(node: Node<'_>, sign: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == sign)
}
