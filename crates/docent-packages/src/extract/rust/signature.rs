//! Declarations as Rust writes them, without bodies, private fields and attributes.

use std::rc::Rc;

use ra_ap_syntax::SyntaxKind::{self, *};
use ra_ap_syntax::ast::{self, HasAttrs, HasGenericParams, HasName, HasVisibility};
use ra_ap_syntax::{AstNode, SyntaxNode};

use super::text::{is_without_bounds, written, written_without};

/// Longer lists of parameters are broken into lines.
const LINE_CHARACTERS_MAX: usize = 100;

/// Variants or fields that are listed in a declaration.
const LISTED_MAX: usize = 60;

/// Whether everybody can see it.
pub(super) fn is_public(item: &impl HasVisibility) -> bool {
    item.visibility().is_some_and(|it| it.pub_token().is_some() && it.visibility_inner().is_none())
}

/// A function; `is_public` adds `pub`.
pub(super) fn function(item: &ast::Fn, is_public: bool) -> String {
    let mut words: Vec<String> = Vec::new();
    if is_public {
        words.push("pub".to_owned());
    }
    if item.const_token().is_some() {
        words.push("const".to_owned());
    }
    if item.async_token().is_some() {
        words.push("async".to_owned());
    }
    if item.unsafe_token().is_some() {
        words.push("unsafe".to_owned());
    }
    words.extend(item.abi().map(|abi| written(abi.syntax())));
    words.push("fn".to_owned());
    let mut head = words.join(" ");
    head.push(' ');
    head.push_str(&name(item));
    head.push_str(&generics(item));
    let mut parameters = Vec::new();
    if let Some(list) = item.param_list() {
        parameters.extend(list.self_param().map(|this| receiver(&this)));
        parameters.extend(list.params().map(|parameter| written_parameter(&parameter)));
    }
    let result = item.ret_type().map_or(String::new(), |it| format!(" {}", written(it.syntax())));
    let mut text = format!("{head}({}){result}", parameters.join(", "));
    if text.chars().count() > LINE_CHARACTERS_MAX && !parameters.is_empty() {
        text = format!("{head}(\n    {},\n){result}", parameters.join(",\n    "));
    }
    text + &where_clause(item.where_clause())
}

/// `mut self` is the function's own business.
fn receiver(this: &ast::SelfParam) -> String {
    let text = written(this.syntax());
    text.strip_prefix("mut ").map_or(text.clone(), str::to_owned)
}

/// So is whether a parameter is taken by reference inside.
fn written_parameter(parameter: &ast::Param) -> String {
    let text = written(parameter.syntax());
    let inside = text.strip_prefix("ref ").unwrap_or(&text);
    inside.strip_prefix("mut ").unwrap_or(inside).to_owned()
}

/// A function that constants cannot use yet, for most.
pub(super) fn without_const(text: String) -> String {
    let (visibility, rest) = match text.strip_prefix("pub ") {
        Some(rest) => ("pub ", rest),
        None => ("", text.as_str()),
    };
    rest.strip_prefix("const ").map_or(text.clone(), |rest| format!("{visibility}{rest}"))
}

/// `<T: Debug>`, or nothing.
pub(super) fn generics(item: &impl HasGenericParams) -> String {
    item.generic_param_list().map_or(String::new(), |list| written(list.syntax()))
}

/// The conditions on types, each on its own line.
pub(super) fn where_clause(clause: Option<ast::WhereClause>) -> String {
    let Some(clause) = clause else { return String::new() };
    let shown = clause.predicates().filter(|it| {
        let bounds = ast::HasTypeBounds::type_bound_list(it);
        bounds.is_none_or(|list| !is_without_bounds(list.syntax()))
    });
    let all: Vec<String> = shown.map(|it| written(it.syntax())).collect();
    if all.is_empty() { String::new() } else { format!("\nwhere\n    {}", all.join(",\n    ")) }
}

pub(super) fn name(item: &impl HasName) -> String {
    item.name().map_or_else(|| "_".to_owned(), |name| name.text().to_string())
}

/// A structure with its public fields.
pub(super) fn structure(item: &ast::Struct) -> String {
    let head = format!("pub struct {}{}", name(item), generics(item));
    let bounds = where_clause(item.where_clause());
    match item.field_list() {
        None => format!("{head}{bounds};"),
        Some(ast::FieldList::RecordFieldList(fields)) => record(&head, &bounds, &fields),
        Some(ast::FieldList::TupleFieldList(fields)) => {
            format!("{head}({}){bounds};", tuple(&fields))
        }
    }
}

/// Whether a field is public and not hidden.
fn is_shown(field: &(impl HasVisibility + HasAttrs)) -> bool {
    let is_hidden = field.attrs().any(|attribute| {
        let text: String = attribute.syntax().to_string().split_whitespace().collect();
        text.starts_with("#[doc(") && text.contains("hidden")
    });
    is_public(field) && !is_hidden
}

fn tuple(fields: &ast::TupleFieldList) -> String {
    let all: Vec<String> = fields
        .fields()
        .map(|field| match is_shown(&field) {
            true => written(field.syntax()),
            false => "_".to_owned(),
        })
        .collect();
    if !all.is_empty() && all.iter().all(|field| field == "_") {
        return "/* private fields */".to_owned();
    }
    all.join(", ")
}

fn record(head: &str, bounds: &str, fields: &ast::RecordFieldList) -> String {
    let all: Vec<ast::RecordField> = fields.fields().collect();
    let public = all.iter().filter(|field| is_shown(*field));
    let mut lines: Vec<String> = public.map(|field| written(field.syntax()) + ",").collect();
    if lines.len() < all.len() {
        lines.push("/* private fields */".to_owned());
    }
    braces(head, bounds, lines)
}

fn braces(head: &str, bounds: &str, mut lines: Vec<String>) -> String {
    let gap = if bounds.is_empty() { " " } else { "\n" };
    if lines.is_empty() {
        return format!("{head}{bounds}{gap}{{}}");
    }
    if let [only] = &lines[..]
        && only.starts_with("/*")
    {
        return format!("{head}{bounds}{gap}{{ {only} }}");
    }
    if lines.len() > LISTED_MAX {
        let more = lines.len() - LISTED_MAX;
        lines.truncate(LISTED_MAX);
        lines.push(format!("/* {more} more */"));
    }
    format!("{head}{bounds}{gap}{{\n    {}\n}}", lines.join("\n    "))
}

/// The names of all fields, public or not.
pub(super) fn field_names(fields: &ast::RecordFieldList) -> Vec<Rc<str>> {
    fields.fields().map(|field| name(&field).trim_start_matches("r#").into()).collect()
}

pub(super) fn union(item: &ast::Union) -> String {
    let head = format!("pub union {}{}", name(item), generics(item));
    let bounds = where_clause(item.where_clause());
    match item.record_field_list() {
        Some(fields) => record(&head, &bounds, &fields),
        None => format!("{head}{bounds} {{}}"),
    }
}

/// An enumeration with its variants, of which those that `is_shown` holds for.
pub(super) fn enumeration(item: &ast::Enum, variants: &[String]) -> String {
    let head = format!("pub enum {}{}", name(item), generics(item));
    let lines = variants.iter().map(|variant| format!("{variant},"));
    braces(&head, &where_clause(item.where_clause()), lines.collect())
}

/// A variant with its fields.
pub(super) fn variant(item: &ast::Variant) -> String {
    written(item.syntax())
}

/// A trait without its items.
pub(super) fn trait_head(item: &ast::Trait) -> String {
    let unsafety = if item.unsafe_token().is_some() { "unsafe " } else { "" };
    let auto = if item.auto_token().is_some() { "auto " } else { "" };
    let bounds =
        ast::HasTypeBounds::type_bound_list(item).filter(|list| list.bounds().next().is_some());
    let bounds = bounds.map_or(String::new(), |list| format!(": {}", written(list.syntax())));
    let head = format!("pub {unsafety}{auto}trait {}{}{bounds}", name(item), generics(item));
    head + &where_clause(item.where_clause())
}

/// A declaration up to its value or body, with or without `pub`.
pub(super) fn head(item: &SyntaxNode, is_public: bool, without: &[SyntaxKind]) -> String {
    let text = written_without(item, &|node| {
        let kind = node.kind();
        kind == VISIBILITY || without.contains(&kind)
    });
    let text = text.trim_end_matches([';', ' ']);
    let text = text.trim_end_matches('=').trim_end();
    if is_public { format!("pub {text}") } else { text.to_owned() }
}

/// A constant or static: its value only when it is short.
pub(super) fn value(item: &SyntaxNode, is_public: bool) -> String {
    const VALUE_CHARACTERS_MAX: usize = 60;
    let whole = head(item, is_public, &[]);
    let short = whole.split_once(" = ").is_some_and(|(_, value)| {
        value.chars().count() <= VALUE_CHARACTERS_MAX && !value.contains('{')
    });
    if short {
        return whole;
    }
    whole.split_once(" = ").map_or(whole.clone(), |(head, _)| head.to_owned())
}

/// The patterns of a macro: what it can be called with. `head` is what stands before them, and `end`
/// what ends each.
pub(super) fn macro_patterns(head: &str, patterns: &[String], end: char) -> String {
    const PATTERNS_MAX: usize = 24;
    let mut lines: Vec<String> = patterns
        .iter()
        .take(PATTERNS_MAX)
        .map(|pattern| format!("{pattern} => {{ ... }}{end}"))
        .collect();
    if patterns.len() > PATTERNS_MAX {
        lines.push(format!("/* {} more */", patterns.len() - PATTERNS_MAX));
    }
    format!("{head} {{\n    {}\n}}", lines.join("\n    "))
}
