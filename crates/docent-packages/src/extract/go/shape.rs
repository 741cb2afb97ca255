//! Structures and interfaces: what is shown of them, and their members.

use tree_sitter::Node;

use super::comment::Doc;
use super::declare::{Member, SHARING_MAX, Type, first_result};
use super::syntax::{documented, line, local_types, reference, text};
use super::text::{dedented, is_exported, one_line, without_comments};

/// A structure with its exported fields, as `go doc` prints it.
pub(super) fn structure(node: Node<'_>, tabs: usize, source: &str, made: &mut Type) -> String {
    let mut cursor = node.walk();
    let list = node.named_children(&mut cursor).find(|one| one.kind() == "field_declaration_list");
    let mut lines: Vec<String> = Vec::new();
    let mut is_trimmed = false;
    let fields = list.map(|list| documented(list, source)).unwrap_or_default();
    for field in fields.iter().filter(|field| field.node.kind() == "field_declaration") {
        let node = field.node;
        let mut cursor = node.walk();
        let names = node.children_by_field_name("name", &mut cursor);
        let names: Vec<&str> =
            names.filter(|name| name.kind() != ",").map(|name| text(name, source)).collect();
        let Some(kind) = node.child_by_field_name("type") else { continue };
        let shown = dedented(&without_comments(text(kind, source)), tabs).into_owned();
        let tag = node.child_by_field_name("tag");
        let tag = tag.map(|tag| format!(" {}", text(tag, source))).unwrap_or_default();
        if names.is_empty() {
            let Some(mut embedded) = reference(kind, source) else { continue };
            embedded.pointer |= text(node, source).trim_start().starts_with('*');
            let star = if embedded.pointer { "*" } else { "" };
            if is_exported(&embedded.name) {
                let signature = format!("{star}{}{tag}", shown.trim_start_matches('*'));
                lines.push(signature.clone());
                let (docs, line) = (field.all_docs(), line(node));
                let (name, of) = (embedded.name.clone(), Some(embedded.clone()));
                made.members.push(Member { name, of, signature, docs, line });
            } else {
                is_trimmed = true;
            }
            made.embedded.push(embedded);
            continue;
        }
        if names.iter().all(|name| is_exported(name)) {
            lines.push(format!("{} {shown}{tag}", names.join(", ")));
            local_types(kind, source, &mut made.mentions);
        } else {
            is_trimmed = true;
        }
        let docs = field.all_docs();
        let may_share = names.len() <= SHARING_MAX;
        for (at, name) in names.iter().enumerate().filter(|(_, name)| is_exported(name)) {
            made.members.push(Member {
                name: (*name).to_owned(),
                of: reference(kind, source),
                signature: format!("{name} {}{tag}", dedented(&shown, 1)),
                docs: if at == 0 || may_share { docs.clone() } else { Doc::default() },
                line: line(node),
            });
        }
    }
    body("struct", lines, is_trimmed.then_some("fields"))
}

/// An interface with its exported methods and what it embeds.
pub(super) fn interface(node: Node<'_>, tabs: usize, source: &str, made: &mut Type) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut is_trimmed = false;
    for element in documented(node, source) {
        let node = element.node;
        match node.kind() {
            "method_elem" => {
                let name = node.child_by_field_name("name").map(|name| text(name, source));
                let Some(name) = name.filter(|name| is_exported(name)) else {
                    is_trimmed = true;
                    continue;
                };
                let signature = one_line(&dedented(text(node, source), tabs));
                lines.push(signature.clone());
                local_types(node, source, &mut made.mentions);
                let (docs, line) = (element.all_docs(), line(node));
                let result = node.child_by_field_name("result");
                let of = result.and_then(|result| first_result(result, source));
                made.members.push(Member { name: name.to_owned(), of, signature, docs, line });
            }
            "type_elem" => {
                let shown = one_line(&dedented(text(node, source), tabs));
                let is_one = node.named_child_count() == 1;
                let named = node.named_child(0).filter(|_| is_one);
                let named =
                    named.filter(|one| matches!(one.kind(), "type_identifier" | "qualified_type"));
                match named.and_then(|one| reference(one, source)) {
                    Some(embedded) => {
                        let is_open = matches!(embedded.name.as_str(), "error" | "comparable");
                        if is_exported(&embedded.name) || is_open {
                            lines.push(shown);
                        } else {
                            is_trimmed = true;
                        }
                        made.embedded.push(embedded);
                    }
                    None => {
                        // An instance of a generic interface is embedded as well.
                        made.embedded.extend(
                            node.named_child(0)
                                .filter(|_| is_one)
                                .and_then(|one| reference(one, source)),
                        );
                        lines.push(shown);
                    }
                }
            }
            _ => {}
        }
    }
    body("interface", lines, is_trimmed.then_some("methods"))
}

fn body(word: &str, mut lines: Vec<String>, trimmed: Option<&str>) -> String {
    if let Some(what) = trimmed {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("// Has unexported {what}."));
    }
    if lines.is_empty() {
        return format!("{word}{{}}");
    }
    let mut out = format!("{word} {{\n");
    for line in lines {
        if !line.is_empty() {
            out.push('\t');
            out.push_str(&line);
        }
        out.push('\n');
    }
    out.push('}');
    out
}
