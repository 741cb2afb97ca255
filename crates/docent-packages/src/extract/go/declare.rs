//! The declarations of one file, as [`super::package`] puts them together.

use tree_sitter::Node;

use super::comment::Doc;
use super::syntax::{Documented, Reference, documented, line, local_types, reference, tabs, text};
use super::text::{dedented, is_balanced, one_line, shown, value, without_comments};
use super::{shape, syntax};

/// Declarations that may share one comment.
pub(super) const SHARING_MAX: usize = 16;

/// What one file declares.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) path: String,
    /// What it says of its package.
    pub(super) docs: Doc,
    /// Imported packages, each with the name it has here if it is given one.
    pub(super) imports: Vec<(Option<String>, String)>,
    pub(super) functions: Vec<Function>,
    pub(super) types: Vec<Type>,
    pub(super) groups: Vec<Group>,
    /// The first line that could not be understood.
    pub(super) broken: Option<u32>,
}

/// A function or method.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) receiver: Option<Receiver>,
    /// From its name to its results.
    pub(super) signature: String,
    pub(super) docs: Doc,
    pub(super) line: u32,
    /// The named types that it returns, or returns slices of; those of this package.
    pub(super) results: Vec<String>,
    /// The type of its first result, if that is a named one or a pointer to it.
    pub(super) result: Option<Reference>,
    pub(super) type_parameters: Vec<String>,
    /// Types of this package, not exported, that it names.
    pub(super) mentions: Vec<String>,
}

/// Whom a method belongs to.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    /// As written: `c *Command`.
    pub(super) text: String,
    pub(super) name: String,
    pub(super) base: String,
    pub(super) pointer: bool,
}

/// A type.
#[derive(Clone, Debug)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) shape: Shape,
    pub(super) signature: String,
    pub(super) docs: Doc,
    pub(super) line: u32,
    /// Fields of a structure, or methods of an interface; exported ones.
    pub(super) members: Vec<Member>,
    /// What a structure or interface embeds.
    pub(super) embedded: Vec<Reference>,
    /// The type that an alias stands for, or that this one is made of.
    pub(super) target: Option<Reference>,
    pub(super) mentions: Vec<String>,
}

/// What a type is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Struct,
    Interface,
    Alias,
    Other,
}

/// A field or an interface's method.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: String,
    /// The type of the field, or of the method's first result, if that is a named one.
    pub(super) of: Option<Reference>,
    pub(super) signature: String,
    pub(super) docs: Doc,
    pub(super) line: u32,
}

/// Constants or variables that are declared together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) is_constant: bool,
    pub(super) docs: Doc,
    pub(super) specs: Vec<Spec>,
}

/// One line of a group.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub(super) names: Vec<String>,
    /// The type, which constants may have from a line above.
    pub(super) kind: Option<String>,
    /// The named type of this package that it is, as far as the line itself says so.
    pub(super) base: Option<String>,
    /// Whether the line has a type, or values, of its own.
    pub(super) has_type: bool,
    pub(super) has_values: bool,
    pub(super) values: Vec<String>,
    /// What each name is, as far as it can be told.
    pub(super) made: Vec<Made>,
    /// Which line of the group it is, from 0.
    pub(super) number: usize,
    pub(super) docs: Doc,
    pub(super) line: u32,
    pub(super) mentions: Vec<String>,
}

/// What a constant or variable is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Made {
    /// A value of a type.
    Of(Reference),
    /// What a function of this package returns.
    By(String),
    Unknown,
}

/// Reads a source whose bodies are left out.
pub(super) fn read(path: &str, source: &str) -> Option<File> {
    let tree = syntax::parse(source)?;
    let mut file = File { path: path.to_owned(), ..File::default() };
    for child in documented(tree.root_node(), source) {
        match child.node.kind() {
            "package_clause" => file.docs = child.docs(),
            "import_declaration" => imports(child.node, source, &mut file.imports),
            "function_declaration" | "method_declaration" => {
                file.functions.extend(function(&child, source));
            }
            "type_declaration" => types(&child, source, &mut file.types),
            "const_declaration" | "var_declaration" => file.groups.push(group(&child, source)),
            _ => {}
        }
        if child.node.has_error() {
            file.broken = file.broken.or(Some(line(child.node)));
        }
    }
    Some(file)
}

fn imports(node: Node<'_>, source: &str, found: &mut Vec<(Option<String>, String)>) {
    let mut cursor = node.walk();
    let mut add = |spec: Node<'_>| {
        let part = |field| spec.child_by_field_name(field).map(|node| text(node, source));
        if let Some(path) = part("path") {
            let path = path.trim_matches(['"', '`']).to_owned();
            found.push((part("name").map(str::to_owned), path));
        }
    };
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "import_spec" => add(child),
            "import_spec_list" => {
                let mut cursor = child.walk();
                child
                    .named_children(&mut cursor)
                    .filter(|child| child.kind() == "import_spec")
                    .for_each(&mut add);
            }
            _ => {}
        }
    }
}

fn function(child: &Documented<'_, '_>, source: &str) -> Option<Function> {
    let node = child.node;
    let field = |name| node.child_by_field_name(name);
    let name = field("name")?;
    let parameters = field("parameters")?;
    let result = field("result");
    let end = result.unwrap_or(parameters).end_byte();
    let receiver = match field("receiver") {
        Some(list) => Some(receiver(list, source)?),
        None => None,
    };
    let mut mentions = Vec::new();
    let mut results = Vec::new();
    let first = result.and_then(|result| first_result(result, source));
    local_types(parameters, source, &mut mentions);
    if let Some(result) = result {
        local_types(result, source, &mut mentions);
        let mut cursor = result.walk();
        let listed: Vec<Node<'_>> = match result.kind() {
            "parameter_list" => result
                .named_children(&mut cursor)
                .filter_map(|one| one.child_by_field_name("type"))
                .collect(),
            _ => vec![result],
        };
        results = listed.into_iter().filter_map(|one| made(one, source)).collect();
    }
    let type_parameters = type_parameters(node, source);
    let of_receiver = field("receiver").map(|list| type_arguments(list, source));
    let of_receiver = of_receiver.unwrap_or_default();
    let is_parameter = |found: &Reference| {
        let mut all = type_parameters.iter().chain(&of_receiver);
        found.package.is_none() && all.any(|name| *name == found.name)
    };
    let first = first.filter(|found| !is_parameter(found));
    mentions.retain(|name| !type_parameters.contains(name));
    let signature = one_line(source.get(name.start_byte()..end)?);
    // What could not be parsed may end in the middle.
    if node.has_error() && !is_balanced(&signature) {
        return None;
    }
    Some(Function {
        name: text(name, source).to_owned(),
        receiver,
        signature,
        docs: child.docs(),
        line: line(node),
        results,
        result: first,
        type_parameters,
        mentions,
    })
}

/// The type of the first of the results.
pub(super) fn first_result(result: Node<'_>, source: &str) -> Option<Reference> {
    let mut cursor = result.walk();
    match result.kind() {
        "parameter_list" => {
            let first = result.named_children(&mut cursor).find(|one| one.kind() != "comment")?;
            reference(first.child_by_field_name("type")?, source)
        }
        _ => reference(result, source),
    }
}

/// The names of a declaration's type parameters.
pub(super) fn type_parameters(node: Node<'_>, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(list) = node.child_by_field_name("type_parameters") {
        let mut cursor = list.walk();
        for one in list.named_children(&mut cursor) {
            let mut cursor = one.walk();
            let names = one.children_by_field_name("name", &mut cursor);
            found.extend(names.map(|name| text(name, source).to_owned()));
        }
    }
    found
}

/// The names that a receiver gives to the type parameters of its type.
fn type_arguments(list: Node<'_>, source: &str) -> Vec<String> {
    let written = text(list, source);
    let inside = written.split_once('[').map_or("", |(_, rest)| rest);
    let inside = inside.split(']').next().unwrap_or_default();
    inside.split(',').map(|name| name.trim().to_owned()).collect()
}

/// The named type of this package that a function makes: `T`, `*T`, `[]T`.
fn made(node: Node<'_>, source: &str) -> Option<String> {
    let node = match node.kind() {
        "slice_type" | "array_type" => node.child_by_field_name("element")?,
        _ => node,
    };
    reference(node, source).filter(|found| found.package.is_none()).map(|found| found.name)
}

fn receiver(list: Node<'_>, source: &str) -> Option<Receiver> {
    let mut cursor = list.walk();
    let one = list.named_children(&mut cursor).find(|one| one.kind() == "parameter_declaration")?;
    let kind = one.child_by_field_name("type")?;
    let found = reference(kind, source)?;
    let name = one.child_by_field_name("name").map(|name| text(name, source)).unwrap_or_default();
    Some(Receiver {
        text: one_line(text(one, source)),
        name: name.to_owned(),
        base: found.name,
        pointer: kind.kind() == "pointer_type",
    })
}

fn types(child: &Documented<'_, '_>, source: &str, found: &mut Vec<Type>) {
    let specs = documented(child.node, source);
    let of_group = child.docs();
    for spec in &specs {
        let mut docs = spec.docs();
        // Many types with nothing of their own to say do not all repeat it.
        if docs == Doc::default() && specs.len() <= SHARING_MAX {
            docs = of_group.clone();
        }
        found.extend(one_type(spec.node, docs, source));
    }
}

fn one_type(node: Node<'_>, docs: Doc, source: &str) -> Option<Type> {
    let name_node = node.child_by_field_name("name")?;
    let kind = node.child_by_field_name("type")?;
    let is_alias = node.kind() == "type_alias";
    let tabs = tabs(node, source);
    let head = source.get(node.start_byte()..kind.start_byte())?;
    let head = format!("type {} ", one_line(head));
    let mut made = Type {
        name: text(name_node, source).to_owned(),
        shape: if is_alias { Shape::Alias } else { Shape::Other },
        signature: String::new(),
        docs,
        line: line(node),
        members: Vec::new(),
        embedded: Vec::new(),
        target: reference(kind, source),
        mentions: Vec::new(),
    };
    let body = match kind.kind() {
        "struct_type" => {
            made.shape = if is_alias { Shape::Alias } else { Shape::Struct };
            shape::structure(kind, tabs, source, &mut made)
        }
        "interface_type" => {
            made.shape = if is_alias { Shape::Alias } else { Shape::Interface };
            shape::interface(kind, tabs, source, &mut made)
        }
        other => {
            local_types(kind, source, &mut made.mentions);
            match other {
                "function_type" => one_line(text(kind, source)),
                _ => dedented(&without_comments(text(kind, source)), tabs).into_owned(),
            }
        }
    };
    let parameters = type_parameters(node, source);
    for member in &mut made.members {
        let is_parameter = |of: &Reference| of.package.is_none() && parameters.contains(&of.name);
        member.of.take_if(|of| is_parameter(of));
    }
    made.signature = shown(head + &body);
    Some(made)
}

fn group(child: &Documented<'_, '_>, source: &str) -> Group {
    let is_constant = child.node.kind() == "const_declaration";
    let mut specs: Vec<Documented<'_, '_>> = documented(child.node, source);
    if let [list] = specs.as_slice()
        && list.node.kind() == "var_spec_list"
    {
        specs = documented(list.node, source);
    }
    specs.retain(|spec| matches!(spec.node.kind(), "const_spec" | "var_spec"));
    let mut group = Group { is_constant, docs: child.docs(), specs: Vec::new() };
    // What a line without a type and values repeats.
    let mut repeated: (Option<String>, Vec<String>, Vec<Made>) = Default::default();
    let only = specs.len() == 1;
    for (number, child) in specs.iter().enumerate() {
        let mut spec = spec(child, number, source);
        if only && spec.docs == Doc::default() {
            spec.docs = group.docs.clone();
        }
        if is_constant {
            if spec.has_values {
                repeated = (spec.kind.clone(), spec.values.clone(), spec.made.clone());
            } else if !spec.has_type {
                (spec.kind, spec.values, spec.made) = repeated.clone();
            }
        }
        group.specs.push(spec);
    }
    group
}

fn spec(child: &Documented<'_, '_>, number: usize, source: &str) -> Spec {
    let node = child.node;
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor);
    let names = names.filter(|name| name.kind() != ",");
    let names: Vec<String> = names.map(|name| text(name, source).to_owned()).collect();
    let kind = node.child_by_field_name("type");
    let base = kind.and_then(|kind| reference(kind, source));
    let mut made: Vec<Made> = match (&base, kind) {
        (Some(base), _) => vec![Made::Of(base.clone()); names.len()],
        _ => Vec::new(),
    };
    let base = base.filter(|base| base.package.is_none()).map(|base| base.name);
    let tabs = tabs(node, source);
    let mut values = Vec::new();
    if let Some(list) = node.child_by_field_name("value") {
        let mut cursor = list.walk();
        let all = list.named_children(&mut cursor).filter(|one| one.kind() != "comment");
        let all: Vec<Node<'_>> = all.collect();
        if kind.is_none() && all.len() == names.len() {
            made.extend(all.iter().map(|one| what_is(*one, source)));
        }
        values.extend(all.iter().map(|one| value(text(*one, source), tabs)));
    }
    let mut mentions = Vec::new();
    if let Some(kind) = kind {
        local_types(kind, source, &mut mentions);
    }
    Spec {
        names,
        has_type: kind.is_some(),
        has_values: !values.is_empty(),
        kind: kind.map(|kind| dedented(&without_comments(text(kind, source)), tabs).into_owned()),
        base,
        values,
        made,
        number,
        docs: child.all_docs(),
        line: line(node),
        mentions,
    }
}

/// What the value of a variable is, where it says so itself.
fn what_is(node: Node<'_>, source: &str) -> Made {
    let unknown = Made::Unknown;
    match node.kind() {
        "unary_expression" if text(node, source).starts_with('&') => {
            match node.child_by_field_name("operand") {
                Some(inner) if inner.kind() == "composite_literal" => what_is(inner, source),
                _ => unknown,
            }
        }
        "composite_literal" => {
            let of = node.child_by_field_name("type").and_then(|kind| reference(kind, source));
            of.map_or(unknown, Made::Of)
        }
        "call_expression" => match node.child_by_field_name("function") {
            Some(function) if function.kind() == "identifier" => {
                Made::By(text(function, source).to_owned())
            }
            _ => unknown,
        },
        _ => unknown,
    }
}
