//! Ways through a syntax tree: children with their comments, the names in a type.
//!
//! Nothing here goes by recursion: a tree is as deep as whoever wrote the source liked.

use tree_sitter::{Node, Parser, Tree};

use super::comment::{Doc, doc};
use super::text::is_exported;

/// Parses a source whose bodies are left out.
pub(super) fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_go::LANGUAGE.into()).ok()?;
    parser.parse(text, None)
}

/// The text of a node.
pub(super) fn text<'a>(node: Node<'_>, source: &'a str) -> &'a str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The line of a node, from 1.
pub(super) fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX).saturating_add(1)
}

/// The tabs that the line of a node begins with.
pub(super) fn tabs(node: Node<'_>, source: &str) -> usize {
    /// Nobody indents further, and a file may be one line.
    const BYTES_MAX: usize = 64;
    let end = node.start_byte();
    let start = source.floor_char_boundary(end.saturating_sub(BYTES_MAX));
    let before = source.get(start..end).unwrap_or_default();
    let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
    line.len() - line.trim_start_matches('\t').len()
}

/// A node and the comments around it.
pub(super) struct Documented<'t, 's> {
    pub(super) node: Node<'t>,
    /// Those right above it.
    above: Vec<&'s str>,
    /// Those behind it, on its last line.
    behind: Vec<&'s str>,
}

impl Documented<'_, '_> {
    /// What the comment above says.
    pub(super) fn docs(&self) -> Doc {
        doc(&self.above)
    }

    /// What the comment above says, and the one behind.
    pub(super) fn all_docs(&self) -> Doc {
        let mut above = doc(&self.above);
        let behind = doc(&self.behind);
        if !above.text.is_empty() && !behind.text.is_empty() {
            above.text.push_str("\n\n");
        }
        above.text.push_str(&behind.text);
        above.deprecated = above.deprecated.or(behind.deprecated);
        above
    }
}

/// The named children of a node with their comments, in order.
pub(super) fn documented<'t, 's>(node: Node<'t>, source: &'s str) -> Vec<Documented<'t, 's>> {
    let mut found: Vec<Documented<'t, 's>> = Vec::new();
    let mut above: Vec<&'s str> = Vec::new();
    // The row after the last comment above.
    let mut next_row = 0;
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let (start, end) = (child.start_position().row, child.end_position().row);
        if child.kind() != "comment" {
            let is_right_above = next_row == start || next_row == start + 1;
            let above = if is_right_above { std::mem::take(&mut above) } else { Vec::new() };
            found.push(Documented { node: child, above, behind: Vec::new() });
            next_row = 0;
            continue;
        }
        if let Some(last) = found.last_mut()
            && last.node.end_position().row == start
            && next_row != start + 1
        {
            last.behind.push(text(child, source));
            continue;
        }
        if next_row != start && next_row != start + 1 {
            above.clear();
        }
        above.push(text(child, source));
        next_row = end + 1;
    }
    found
}

/// A type's name, and the package it is from if it is another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reference {
    pub(super) package: Option<String>,
    pub(super) name: String,
    /// Whether it stands behind a `*`.
    pub(super) pointer: bool,
}

/// The named type that a type expression is about: `*T`, `T[K]`, `pkg.T`.
pub(super) fn reference(node: Node<'_>, source: &str) -> Option<Reference> {
    let mut node = node;
    let mut pointer = false;
    loop {
        match node.kind() {
            "type_identifier" | "identifier" => {
                let name = text(node, source).to_owned();
                return Some(Reference { package: None, name, pointer });
            }
            "qualified_type" => {
                let part = |field| {
                    node.child_by_field_name(field).map(|node| text(node, source).to_owned())
                };
                return Some(Reference { package: part("package"), name: part("name")?, pointer });
            }
            "generic_type" => node = node.child_by_field_name("type")?,
            "pointer_type" => {
                pointer = true;
                node = node.named_child(0)?;
            }
            "parenthesized_type" | "type_elem" | "type_constraint" => node = node.named_child(0)?,
            _ => return None,
        }
    }
}

/// The types of this package, not exported, that a type expression names.
pub(super) fn local_types(node: Node<'_>, source: &str, found: &mut Vec<String>) {
    const FOUND_MAX: usize = 16;
    let mut cursor = node.walk();
    loop {
        let at = cursor.node();
        if at.kind() == "type_identifier" {
            let name = text(at, source);
            if !is_exported(name) && !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
        if found.len() >= FOUND_MAX {
            return;
        }
        if at.kind() != "qualified_type" && cursor.goto_first_child() {
            continue;
        }
        loop {
            if cursor.node() == node {
                return;
            }
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
