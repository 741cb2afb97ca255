//! Through a file from top to bottom: declares what is declared, notes what is used.

use tree_sitter::Node;

use super::scopes::{Origin, Scopes, Type, import_specs, names};
use super::{all, at, children, has_sign, text};
use crate::check::found::Why;
use crate::check::uses::{Call, Step, Use, Uses};
use crate::hashing::HashMap;

/// How deep statements and expressions are followed.
const DEEP_MAX: usize = 2_000;

pub(super) struct Walk<'t> {
    source: &'t str,
    scopes: Scopes<'t>,
    pub(super) uses: Uses,
    deep: usize,
}

impl<'t> Walk<'t> {
    pub(super) fn new(source: &'t str) -> Self {
        let mut scopes = Scopes::default();
        scopes.open();
        Self { source, scopes, uses: Uses::default(), deep: 0 }
    }

    pub(super) fn file(&mut self, root: Node<'_>) {
        let declarations = children(root);
        let of_kind = |kind: &'static str| {
            declarations.iter().copied().filter(move |child| child.kind() == kind)
        };
        for spec in of_kind("import_declaration").flat_map(import_specs) {
            self.scopes.import(spec, self.source);
        }
        for import in 0..self.scopes.imports.len() {
            self.used(Origin { imports: vec![import], steps: Vec::new() });
        }
        // What is declared at the top is known everywhere, types before what is made of them.
        for spec in of_kind("type_declaration").flat_map(children) {
            self.type_name(spec);
        }
        for spec in of_kind("type_declaration").flat_map(children) {
            self.type_shape(spec);
        }
        for function in of_kind("function_declaration").chain(of_kind("method_declaration")) {
            self.results(function);
        }
        for declaration in of_kind("const_declaration").chain(of_kind("var_declaration")) {
            self.variables(declaration);
        }
        for child in declarations {
            match child.kind() {
                "import_declaration" => {}
                // They have been declared.
                "const_declaration" | "var_declaration" | "type_declaration" => {
                    self.inside(child);
                }
                _ => self.visit(child),
            }
        }
    }

    fn type_name(&mut self, spec: Node<'_>) {
        let Some(name) = spec.child_by_field_name("name") else { return };
        let kind = spec.child_by_field_name("type").map(|kind| kind.kind());
        if kind == Some("struct_type") {
            self.scopes.fields.insert(text(name, self.source), HashMap::default());
        }
    }

    fn type_shape(&mut self, spec: Node<'_>) {
        let (Some(name), Some(kind)) =
            (spec.child_by_field_name("name"), spec.child_by_field_name("type"))
        else {
            return;
        };
        let name = text(name, self.source);
        // Its parameters are types that nobody knows.
        self.scopes.open();
        self.type_parameters(spec);
        match kind.kind() {
            "struct_type" => {
                let mut fields = HashMap::default();
                for field in children(kind).into_iter().flat_map(children) {
                    let Some(kind) = field.child_by_field_name("type") else { continue };
                    let of = self.scopes.of_type(kind, self.source);
                    let mut names = names(field, self.source);
                    if names.is_empty() {
                        let last = text(kind, self.source).rsplit(['.', '*']).next();
                        names.extend(last.and_then(|last| last.split('[').next()));
                    }
                    fields.extend(names.into_iter().map(|name| (name, of.clone())));
                }
                self.scopes.fields.insert(name, fields);
            }
            _ => {
                let of = self.scopes.of_type(kind, self.source);
                let of = match (spec.kind(), of) {
                    ("type_alias", of) | (_, of @ Type::Many(_)) => of,
                    _ => Type::Unknown,
                };
                self.scopes.aliases.insert(name, of);
            }
        }
        self.scopes.close();
    }

    fn type_parameters(&mut self, declaration: Node<'_>) {
        let list = declaration.child_by_field_name("type_parameters");
        for parameter in list.map(children).unwrap_or_default() {
            for name in names(parameter, self.source) {
                self.scopes.declare(name, Type::Unknown);
            }
        }
    }

    /// Notes what a function of this file returns.
    fn results(&mut self, function: Node<'_>) {
        let field = |name| function.child_by_field_name(name);
        let Some(name) = field("name") else { return };
        let mut owner = "";
        self.scopes.open();
        self.type_parameters(function);
        if let Some(receiver) = field("receiver") {
            let written = text(receiver, self.source);
            let kind = written.rsplit([' ', '*', '(']).next().unwrap_or_default();
            owner = kind.trim_end_matches(')').trim();
            // The parameters of its type are named anew.
            if written.contains('[') {
                owner = "[]";
            }
        }
        let results = field("result").map(|list| self.scopes.listed(list, self.source));
        self.scopes.close();
        let results = results.unwrap_or_default().into_iter().map(|(_, of)| of).collect();
        self.scopes.results.insert((owner, text(name, self.source)), results);
    }

    /// Declares the constants or variables of a declaration.
    fn variables(&mut self, declaration: Node<'_>) {
        let specs = children(declaration).into_iter().flat_map(|child| match child.kind() {
            "var_spec_list" => children(child),
            _ => vec![child],
        });
        for spec in specs {
            let names = names(spec, self.source);
            let of = match spec.child_by_field_name("type") {
                Some(kind) if spec.kind() == "var_spec" => {
                    vec![self.scopes.of_type(kind, self.source); names.len()]
                }
                None if spec.kind() == "var_spec" => {
                    let values = spec.child_by_field_name("value").map(children);
                    self.values(&values.unwrap_or_default(), names.len())
                }
                _ => Vec::new(),
            };
            for (at, name) in names.into_iter().enumerate() {
                self.scopes.declare(name, of.get(at).cloned().unwrap_or_default());
            }
        }
    }

    /// What so many names get from some expressions.
    fn values(&self, expressions: &[Node<'_>], names: usize) -> Vec<Type<'t>> {
        match expressions {
            [one] if names > 1 => match self.scopes.results(*one, self.source) {
                Some(results) => results.to_vec(),
                None => vec![self.scopes.value(*one, self.source)],
            },
            all => all.iter().map(|one| self.scopes.value(*one, self.source)).collect(),
        }
    }

    fn inside(&mut self, node: Node<'_>) {
        for child in children(node) {
            self.visit(child);
        }
    }

    /// A block of its own.
    fn block(&mut self, node: Node<'_>) {
        self.scopes.open();
        self.inside(node);
        self.scopes.close();
    }

    fn visit(&mut self, node: Node<'_>) {
        if self.deep >= DEEP_MAX {
            let what = "it nests deeper than the limit".to_owned();
            self.uses.doubts.push((Why::NotParsed, what, at(node)));
            return;
        }
        self.deep += 1;
        self.step(node);
        self.deep -= 1;
    }

    fn step(&mut self, node: Node<'_>) {
        let field = |name| node.child_by_field_name(name);
        match node.kind() {
            "function_declaration" | "method_declaration" | "func_literal" => self.function(node),
            "block"
            | "if_statement"
            | "for_statement"
            | "expression_switch_statement"
            | "select_statement"
            | "expression_case"
            | "default_case"
            | "communication_case" => {
                self.block(node);
            }
            "type_switch_statement" => self.type_switch(node),
            "short_var_declaration" => {
                let (left, right) = (field("left"), field("right"));
                if let Some(right) = right {
                    self.visit(right);
                }
                let names = left.map(children).unwrap_or_default();
                let of = self.values(&right.map(children).unwrap_or_default(), names.len());
                for (at, name) in names.into_iter().enumerate() {
                    let of = of.get(at).cloned().unwrap_or_default();
                    self.scopes.declare_new(text(name, self.source), of);
                }
            }
            "range_clause" => self.range(node),
            "receive_statement" => {
                if let Some(right) = field("right") {
                    self.visit(right);
                }
                let left = field("left").map(children).unwrap_or_default();
                for name in left {
                    if has_sign(node, ":=") {
                        self.scopes.declare(text(name, self.source), Type::Unknown);
                    } else {
                        self.visit(name);
                    }
                }
            }
            "const_declaration" | "var_declaration" => {
                self.inside(node);
                self.variables(node);
            }
            "type_declaration" => {
                for name in children(node).into_iter().flat_map(|spec| names(spec, self.source)) {
                    self.scopes.declare(name, Type::Unknown);
                }
                self.inside(node);
            }
            "type_spec" | "type_alias" => {
                self.scopes.open();
                self.type_parameters(node);
                self.inside(node);
                self.scopes.close();
            }
            "selector_expression" => {
                if let Type::Foreign(origin) = self.scopes.value(node, self.source) {
                    self.used(origin);
                }
                if let Some(operand) = field("operand") {
                    self.visit(operand);
                }
            }
            "qualified_type" => {
                if let Some(origin) = self.scopes.named(node, self.source) {
                    self.used(origin);
                }
            }
            "composite_literal" => {
                if let Some(kind) = field("type") {
                    self.visit(kind);
                    let of = self.scopes.of_type(kind, self.source);
                    field("body").into_iter().for_each(|body| self.literal(body, &of));
                }
            }
            "import_declaration" | "package_clause" | "comment" => {}
            _ => self.inside(node),
        }
    }

    fn function(&mut self, node: Node<'_>) {
        self.scopes.open();
        self.type_parameters(node);
        for list in ["type_parameters", "receiver", "parameters", "result"] {
            if let Some(list) = node.child_by_field_name(list) {
                self.visit(list);
            }
        }
        for list in ["receiver", "parameters", "result"] {
            let Some(list) = node.child_by_field_name(list) else { continue };
            if list.kind() == "parameter_list" {
                for (name, of) in self.scopes.listed(list, self.source) {
                    self.scopes.declare(name, of);
                }
            }
        }
        // The body is one block with the parameters.
        if let Some(body) = node.child_by_field_name("body") {
            self.inside(body);
        }
        self.scopes.close();
    }

    fn range(&mut self, node: Node<'_>) {
        let right = node.child_by_field_name("right");
        right.into_iter().for_each(|right| self.visit(right));
        let left = node.child_by_field_name("left").map(children).unwrap_or_default();
        if !has_sign(node, ":=") {
            left.into_iter().for_each(|one| self.visit(one));
            return;
        }
        let element = match right.map(|right| self.scopes.value(right, self.source)) {
            Some(Type::Many(of)) => *of,
            _ => Type::Unknown,
        };
        for (at, name) in left.into_iter().enumerate() {
            let of = if at == 1 { element.clone() } else { Type::Unknown };
            self.scopes.declare(text(name, self.source), of);
        }
    }

    fn type_switch(&mut self, node: Node<'_>) {
        self.scopes.open();
        for part in ["initializer", "value"] {
            node.child_by_field_name(part).into_iter().for_each(|part| self.visit(part));
        }
        let alias = node.child_by_field_name("alias").map(children).unwrap_or_default();
        let alias = alias.first().map(|name| text(*name, self.source));
        let mut cursor = node.walk();
        let cases: Vec<Node<'_>> = node
            .named_children(&mut cursor)
            .filter(|case| matches!(case.kind(), "type_case" | "default_case"))
            .collect();
        for case in cases {
            self.scopes.open();
            let of = match all(case, "type").as_slice() {
                [one] => self.scopes.of_type(*one, self.source),
                _ => Type::Unknown,
            };
            if let Some(alias) = alias {
                self.scopes.declare(alias, of);
            }
            self.inside(case);
            self.scopes.close();
        }
        self.scopes.close();
    }

    /// The elements of a value that is written out.
    fn literal(&mut self, body: Node<'_>, of: &Type<'t>) {
        let mut fields: Vec<(String, u32)> = Vec::new();
        for element in children(body) {
            let (key, value) = match element.kind() {
                "keyed_element" => {
                    (element.child_by_field_name("key"), element.child_by_field_name("value"))
                }
                _ => (None, Some(element)),
            };
            if let Some(key) = key.and_then(|key| children(key).first().copied()) {
                match key.kind() {
                    "identifier" => fields.push((text(key, self.source).to_owned(), at(key))),
                    "literal_value" => self.literal(key, &Type::Unknown),
                    _ => self.visit(key),
                }
            }
            let value = value.and_then(|value| children(value).first().copied());
            match value {
                Some(value) if value.kind() == "literal_value" => {
                    let inner = match of {
                        Type::Many(of) => (**of).clone(),
                        _ => Type::Unknown,
                    };
                    self.deep += 1;
                    if self.deep < DEEP_MAX {
                        self.literal(value, &inner);
                    }
                    self.deep -= 1;
                }
                Some(value) => self.visit(value),
                None => {}
            }
        }
        if let Type::Foreign(origin) = of {
            let mut origin = origin.clone();
            // The last step makes the value; which fields it gets is a part of that.
            if let Some(Step::New(call)) = origin.steps.last_mut().filter(|_| !fields.is_empty()) {
                *call = Call { keywords: fields, ..Call::default() };
                self.used(origin);
            }
        }
    }

    fn used(&mut self, origin: Origin) {
        for import in origin.imports {
            let Some(import) = self.scopes.imports.get(import) else { continue };
            let (module, steps) = (import.path.to_owned(), origin.steps.clone());
            self.uses.uses.push(Use { module, at: import.at, steps, doubt: None });
        }
    }
}
