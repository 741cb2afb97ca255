//! What an expression is, and what a type expression means.

use tree_sitter::Node;

use super::scopes::{Origin, Scopes, Type, names};
use super::{at, children, text};
use crate::check::uses::{Call, Step};

/// How many steps one use may have.
pub(super) const STEPS_MAX: usize = 64;

/// How many parts of an expression are looked at to tell its type.
const DEEP_MAX: usize = 200;

impl<'t> Scopes<'t> {
    /// What a value is.
    pub(super) fn value(&self, node: Node<'_>, source: &'t str) -> Type<'t> {
        self.value_within(node, source, DEEP_MAX)
    }

    fn value_within(&self, node: Node<'_>, source: &'t str, left: usize) -> Type<'t> {
        let Some(left) = left.checked_sub(1) else { return Type::Unknown };
        let field = |name| node.child_by_field_name(name);
        let inner = |node: Option<Node<'_>>| {
            node.map(|node| self.value_within(node, source, left)).unwrap_or_default()
        };
        match node.kind() {
            "identifier" => {
                let name = text(node, source);
                match self.get(name) {
                    Some(known) => known.clone(),
                    None => self.imported(name).map(Type::Foreign).unwrap_or_default(),
                }
            }
            "selector_expression" => {
                let Some(name) = field("field") else { return Type::Unknown };
                match inner(field("operand")) {
                    Type::Foreign(origin) => then(
                        origin,
                        Step::Name { name: text(name, source).to_owned(), at: at(name) },
                    ),
                    Type::Local(of) => {
                        let fields = self.fields.get(of);
                        let found = fields.and_then(|fields| fields.get(text(name, source)));
                        found.cloned().unwrap_or_default()
                    }
                    _ => Type::Unknown,
                }
            }
            "call_expression" => self.called(node, source, left),
            "composite_literal" | "type_conversion_expression" | "type_assertion_expression" => {
                field("type").map(|kind| self.of_type(kind, source)).unwrap_or_default()
            }
            "unary_expression" => match text(node, source).as_bytes().first() {
                Some(b'&' | b'*') => inner(field("operand")),
                _ => Type::Unknown,
            },
            "parenthesized_expression" => inner(children(node).first().copied()),
            "index_expression" => match inner(field("operand")) {
                Type::Many(of) => *of,
                _ => Type::Unknown,
            },
            "slice_expression" => match inner(field("operand")) {
                many @ Type::Many(_) => many,
                _ => Type::Unknown,
            },
            "qualified_type" | "pointer_type" | "generic_type" => self.of_type(node, source),
            _ => Type::Unknown,
        }
    }

    /// What a call gives first.
    fn called(&self, node: Node<'_>, source: &'t str, left: usize) -> Type<'t> {
        let field = |name| node.child_by_field_name(name);
        let Some(function) = field("function") else { return Type::Unknown };
        let first = || field("arguments").and_then(|list| children(list).first().copied());
        match function.kind() {
            "identifier" => {
                let name = text(function, source);
                if self.is_inner(name) {
                    return Type::Unknown;
                }
                if let Some(results) = self.results.get(&("", name)) {
                    return results.first().cloned().unwrap_or_default();
                }
                if self.fields.contains_key(name) {
                    return Type::Local(name);
                }
                if self.get(name).is_some() {
                    return Type::Unknown;
                }
                match name {
                    "make" | "new" => {
                        let of = first().map(|kind| self.of_type(kind, source));
                        of.unwrap_or_default()
                    }
                    "append" => first()
                        .map(|list| self.value_within(list, source, left))
                        .unwrap_or_default(),
                    _ => Type::Unknown,
                }
            }
            "selector_expression" => {
                let operand = function.child_by_field_name("operand");
                let of = operand.map(|one| self.value_within(one, source, left));
                let name = function.child_by_field_name("field");
                match (of, name) {
                    (Some(Type::Local(of)), Some(name)) => {
                        let results = self.results.get(&(of, text(name, source)));
                        results.and_then(|all| all.first()).cloned().unwrap_or_default()
                    }
                    _ => match self.value_within(function, source, left) {
                        Type::Foreign(origin) => then(origin, Step::Call(Call::default())),
                        _ => Type::Unknown,
                    },
                }
            }
            _ => match self.value_within(function, source, left) {
                Type::Foreign(origin) => then(origin, Step::Call(Call::default())),
                _ => Type::Unknown,
            },
        }
    }

    /// All that a call gives, if this file declares what is called.
    pub(super) fn results(&self, node: Node<'_>, source: &'t str) -> Option<&[Type<'t>]> {
        let function = node.child_by_field_name("function")?;
        let all = match function.kind() {
            "identifier" if !self.is_inner(text(function, source)) => {
                self.results.get(&("", text(function, source)))
            }
            "selector_expression" => {
                let of = self.value(function.child_by_field_name("operand")?, source);
                let Type::Local(of) = of else { return None };
                self.results.get(&(of, text(function.child_by_field_name("field")?, source)))
            }
            _ => None,
        };
        all.map(Vec::as_slice)
    }

    /// A value of the type that is written here.
    pub(super) fn of_type(&self, node: Node<'_>, source: &'t str) -> Type<'t> {
        self.of_type_within(node, source, DEEP_MAX)
    }

    fn of_type_within(&self, node: Node<'_>, source: &'t str, left: usize) -> Type<'t> {
        let Some(left) = left.checked_sub(1) else { return Type::Unknown };
        let field = |name| node.child_by_field_name(name);
        let inner = |node: Option<Node<'_>>| {
            node.map(|node| self.of_type_within(node, source, left)).unwrap_or_default()
        };
        match node.kind() {
            "qualified_type" => match self.named(node, source) {
                Some(origin) => then(origin, Step::New(Call::default())),
                None => Type::Unknown,
            },
            // Where an expression may stand, a type looks like one.
            "selector_expression" => match self.value(node, source) {
                Type::Foreign(origin) => then(origin, Step::New(Call::default())),
                _ => Type::Unknown,
            },
            "type_identifier" | "identifier" => {
                let name = text(node, source);
                if self.is_inner(name) {
                    return Type::Unknown;
                }
                match self.fields.get_key_value(name) {
                    Some((name, _)) => Type::Local(name),
                    None => self.aliases.get(name).cloned().unwrap_or_default(),
                }
            }
            "generic_type" => inner(field("type")),
            "pointer_type" | "parenthesized_type" => inner(children(node).first().copied()),
            "unary_expression" if text(node, source).starts_with('*') => inner(field("operand")),
            "slice_type" | "array_type" | "implicit_length_array_type" => {
                Type::Many(Box::new(inner(field("element"))))
            }
            "map_type" => Type::Many(Box::new(inner(field("value")))),
            _ => Type::Unknown,
        }
    }

    /// The type that `package.Name` names.
    pub(super) fn named(&self, node: Node<'_>, source: &'t str) -> Option<Origin> {
        let package = text(node.child_by_field_name("package")?, source);
        let name = node.child_by_field_name("name")?;
        if self.get(package).is_some() {
            return None;
        }
        let mut origin = self.imported(package)?;
        origin.steps.push(Step::Name { name: text(name, source).to_owned(), at: at(name) });
        Some(origin)
    }

    /// The types of parameters or results, one for each name.
    pub(super) fn listed(&self, list: Node<'_>, source: &'t str) -> Vec<(&'t str, Type<'t>)> {
        if list.kind() != "parameter_list" {
            return vec![("", self.of_type(list, source))];
        }
        let mut found = Vec::new();
        for one in children(list) {
            let kind = one.child_by_field_name("type");
            let mut of = kind.map(|kind| self.of_type(kind, source)).unwrap_or_default();
            if one.kind() == "variadic_parameter_declaration" {
                of = Type::Many(Box::new(of));
            }
            let names = names(one, source);
            if names.is_empty() {
                found.push(("", of));
                continue;
            }
            found.extend(names.into_iter().map(|name| (name, of.clone())));
        }
        found
    }
}

/// One step further, unless there are too many.
fn then<'t>(mut origin: Origin, step: Step) -> Type<'t> {
    if origin.steps.len() >= STEPS_MAX {
        return Type::Unknown;
    }
    origin.steps.push(step);
    Type::Foreign(origin)
}
