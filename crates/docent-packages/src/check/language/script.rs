//! TypeScript and JavaScript: imports, requires, and what is done with what they bind.
//!
//! Names are resolved by the parser's own scope analysis, so that a local `z` is not taken for the
//! imported one.

use std::collections::HashMap;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument, AssignmentTarget, BinaryOperator, BindingPattern, CallExpression, ChainElement,
    Expression, ImportDeclarationSpecifier, JSXMemberExpression, JSXMemberExpressionObject,
    ModuleExportName, ObjectPropertyKind, Program, PropertyKey, SimpleAssignmentTarget,
    TSExternalModuleDeclaration, TSModuleReference, TSQualifiedName, TSTypeName, UnaryOperator,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::Parser;
use oxc_semantic::{Scoping, SemanticBuilder, SymbolId};
use oxc_span::{GetSpan, SourceType};

use super::Finder;
use crate::check::code::Language;
use crate::check::found::Why;
use crate::check::uses::{At, Call, Step, Use, Uses};

pub(super) struct Script;

/// How many steps one use may have.
const STEPS_MAX: usize = 64;

impl Finder for Script {
    fn find(&self, text: &str, language: Language) -> Uses {
        let allocator = Allocator::default();
        let kind = match language {
            Language::TypeScript => SourceType::ts(),
            Language::Tsx => SourceType::tsx(),
            _ => SourceType::unambiguous().with_jsx(true),
        };
        let parsed = Parser::new(&allocator, text, kind).parse();
        if parsed.panicked || !parsed.diagnostics.is_empty() {
            return Uses::none("it has syntax errors");
        }
        let semantic = SemanticBuilder::new().build(&parsed.program).semantic;
        let mut walk =
            Walk { scoping: semantic.scoping(), origins: HashMap::new(), uses: Uses::default() };
        walk.imports(&parsed.program);
        walk.visit_program(&parsed.program);
        walk.uses
    }
}

/// Where a name leads: a module, and the steps from there.
#[derive(Clone)]
struct Origin {
    module: String,
    at: At,
    steps: Vec<Step>,
}

struct Walk<'s> {
    scoping: &'s Scoping,
    origins: HashMap<SymbolId, Origin>,
    uses: Uses,
}

impl Walk<'_> {
    /// The import statements, which bind their names wherever they stand.
    fn imports(&mut self, program: &Program<'_>) {
        for statement in &program.body {
            use oxc_ast::ast::Statement;
            match statement {
                Statement::ImportDeclaration(import) => {
                    let module = import.source.value.as_str();
                    let at = import.source.span.start + 1;
                    self.module(module, at);
                    for specifier in import.specifiers.iter().flatten() {
                        let (steps, local) = match specifier {
                            ImportDeclarationSpecifier::ImportSpecifier(one) => {
                                (vec![imported(&one.imported)], &one.local)
                            }
                            ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                                let at = one.local.span.start;
                                (vec![name("default", at)], &one.local)
                            }
                            ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                                (Vec::new(), &one.local)
                            }
                        };
                        let origin = Origin { module: module.to_owned(), at, steps };
                        if !origin.steps.is_empty() {
                            self.used(origin.clone(), Vec::new());
                        }
                        self.bind(local.symbol_id.get(), origin);
                    }
                }
                Statement::ExportFromDeclaration(export) => {
                    let module = export.source.value.as_str();
                    let at = export.source.span.start + 1;
                    self.module(module, at);
                    for specifier in &export.specifiers {
                        let steps = vec![imported(&specifier.local)];
                        let origin = Origin { module: module.to_owned(), at, steps };
                        self.used(origin, Vec::new());
                    }
                }
                Statement::ExportAllDeclaration(export) => {
                    self.module(export.source.value.as_str(), export.source.span.start + 1);
                }
                Statement::TSImportEqualsDeclaration(import) => {
                    if let TSModuleReference::ExternalModuleReference(from) =
                        &import.module_reference
                    {
                        let module = from.expression.value.as_str();
                        let at = from.expression.span.start + 1;
                        self.module(module, at);
                        let origin = Origin { module: module.to_owned(), at, steps: Vec::new() };
                        self.bind(import.id.symbol_id.get(), origin);
                    }
                }
                _ => {}
            }
        }
    }

    fn module(&mut self, module: &str, at: At) {
        self.used(Origin { module: module.to_owned(), at, steps: Vec::new() }, Vec::new());
    }

    /// Notes what a name stands for, unless it stands for something else as well.
    fn bind(&mut self, symbol: Option<SymbolId>, origin: Origin) {
        let Some(symbol) = symbol else { return };
        let again = !self.scoping.symbol_redeclarations(symbol).is_empty();
        if !again && !self.scoping.symbol_is_mutated(symbol) {
            self.origins.insert(symbol, origin);
        }
    }

    fn used(&mut self, origin: Origin, more: Vec<Step>) {
        let Origin { module, at, mut steps } = origin;
        steps.extend(more);
        if steps.len() <= STEPS_MAX && !is_local(&module) {
            self.uses.uses.push(Use { module, at, steps, doubt: None });
        }
    }

    /// The origin of an expression: a name that was imported or assigned once, members of it, calls.
    fn origin(&self, expression: &Expression<'_>) -> Option<Origin> {
        let mut steps = Vec::new();
        let mut next = expression;
        let (module, at) = loop {
            if steps.len() > STEPS_MAX {
                return None;
            }
            match next {
                Expression::StaticMemberExpression(member) => {
                    let property = &member.property;
                    steps.push(name(property.name.as_str(), property.span.start));
                    next = &member.object;
                }
                Expression::CallExpression(call) => {
                    if let Some((module, at)) = required(call) {
                        break (module, at);
                    }
                    steps.push(Step::Call(passed(&call.arguments)));
                    next = &call.callee;
                }
                Expression::NewExpression(new) => {
                    steps.push(Step::New(passed(&new.arguments)));
                    next = &new.callee;
                }
                Expression::AwaitExpression(wait) => {
                    if let Expression::ImportExpression(import) = &wait.argument
                        && let Expression::StringLiteral(module) = &import.source
                    {
                        break (module.value.as_str(), module.span.start + 1);
                    }
                    steps.push(Step::Await);
                    next = &wait.argument;
                }
                Expression::ParenthesizedExpression(inner) => next = &inner.expression,
                Expression::TSNonNullExpression(inner) => next = &inner.expression,
                Expression::ChainExpression(chain) => match &chain.expression {
                    ChainElement::CallExpression(call) => {
                        steps.push(Step::Call(passed(&call.arguments)));
                        next = &call.callee;
                    }
                    ChainElement::StaticMemberExpression(member) => {
                        let property = &member.property;
                        steps.push(name(property.name.as_str(), property.span.start));
                        next = &member.object;
                    }
                    _ => return None,
                },
                Expression::Identifier(identifier) => {
                    let reference = identifier.reference_id.get()?;
                    let symbol = self.scoping.get_reference(reference).symbol_id()?;
                    let mut origin = self.origins.get(&symbol)?.clone();
                    steps.reverse();
                    origin.steps.append(&mut steps);
                    return Some(origin);
                }
                _ => return None,
            }
        };
        steps.reverse();
        Some(Origin { module: module.to_owned(), at, steps })
    }

    /// What a pattern takes out of a value.
    fn destructure(&mut self, pattern: &BindingPattern<'_>, origin: Origin) {
        match pattern {
            BindingPattern::BindingIdentifier(identifier) => {
                self.bind(identifier.symbol_id.get(), origin);
            }
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    let PropertyKey::StaticIdentifier(key) = &property.key else { continue };
                    let mut inner = origin.clone();
                    inner.steps.push(name(key.name.as_str(), key.span.start));
                    match &property.value {
                        // A default value is for when it is not there.
                        BindingPattern::AssignmentPattern(_) => self.guard(key.name.as_str()),
                        value if inner.steps.len() <= STEPS_MAX => {
                            self.used(inner.clone(), Vec::new());
                            self.destructure(value, inner);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn guard(&mut self, name: &str) {
        self.uses.guarded.insert(name.to_owned());
    }

    /// A member whose presence decides what happens.
    fn asked(&mut self, test: &Expression<'_>) {
        let mut next = test;
        for _ in 0..STEPS_MAX {
            match next {
                Expression::StaticMemberExpression(member) => {
                    self.uses.guarded.insert(member.property.name.to_string());
                    next = &member.object;
                }
                Expression::ParenthesizedExpression(inner) => next = &inner.expression,
                Expression::UnaryExpression(unary) => next = &unary.argument,
                Expression::LogicalExpression(logical) => {
                    self.asked_leaf(&logical.right);
                    next = &logical.left;
                }
                Expression::BinaryExpression(binary) => {
                    self.asked_leaf(&binary.right);
                    next = &binary.left;
                }
                Expression::ChainExpression(chain) => match &chain.expression {
                    ChainElement::StaticMemberExpression(member) => {
                        self.uses.guarded.insert(member.property.name.to_string());
                        next = &member.object;
                    }
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn asked_leaf(&mut self, test: &Expression<'_>) {
        match test {
            Expression::StaticMemberExpression(member) => {
                self.uses.guarded.insert(member.property.name.to_string());
            }
            Expression::UnaryExpression(unary) => {
                if let Expression::StaticMemberExpression(member) = &unary.argument {
                    self.uses.guarded.insert(member.property.name.to_string());
                }
            }
            _ => {}
        }
    }

    /// The arguments and computed parts inside of a chain of members and calls.
    fn inside<'a>(&mut self, expression: &Expression<'a>) {
        let mut next = expression;
        loop {
            match next {
                Expression::StaticMemberExpression(member) => next = &member.object,
                Expression::CallExpression(call) => {
                    self.arguments(call);
                    if required(call).is_some() {
                        return;
                    }
                    next = &call.callee;
                }
                Expression::NewExpression(new) => {
                    new.arguments.iter().for_each(|argument| self.visit_argument(argument));
                    if let Some(arguments) = &new.type_arguments {
                        self.visit_ts_type_parameter_instantiation(arguments);
                    }
                    next = &new.callee;
                }
                Expression::AwaitExpression(wait) => next = &wait.argument,
                Expression::ParenthesizedExpression(inner) => next = &inner.expression,
                Expression::TSNonNullExpression(inner) => next = &inner.expression,
                Expression::ChainExpression(chain) => match &chain.expression {
                    ChainElement::CallExpression(call) => {
                        self.optional(call);
                        self.arguments(call);
                        next = &call.callee;
                    }
                    ChainElement::StaticMemberExpression(member) => next = &member.object,
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn arguments(&mut self, call: &CallExpression<'_>) {
        call.arguments.iter().for_each(|argument| self.visit_argument(argument));
        if let Some(arguments) = &call.type_arguments {
            self.visit_ts_type_parameter_instantiation(arguments);
        }
    }

    /// `a.b?.()` asks whether there is a `b`.
    fn optional(&mut self, call: &CallExpression<'_>) {
        if call.optional {
            self.asked(&call.callee);
        }
    }
}

impl<'a> Visit<'a> for Walk<'_> {
    fn visit_expression(&mut self, expression: &Expression<'a>) {
        let is_chain = matches!(
            expression,
            Expression::StaticMemberExpression(_)
                | Expression::CallExpression(_)
                | Expression::NewExpression(_)
                | Expression::AwaitExpression(_)
                | Expression::ChainExpression(_)
        );
        if is_chain && let Some(origin) = self.origin(expression) {
            // Whatever is optional on the way may be missing.
            self.note_optional(expression);
            self.used(origin, Vec::new());
            self.inside(expression);
            return;
        }
        match expression {
            Expression::ConditionalExpression(conditional) => self.asked(&conditional.test),
            Expression::LogicalExpression(logical) => self.asked(&logical.left),
            Expression::UnaryExpression(unary)
                if matches!(
                    unary.operator,
                    UnaryOperator::Typeof | UnaryOperator::LogicalNot | UnaryOperator::Delete
                ) =>
            {
                self.asked(&unary.argument);
            }
            Expression::BinaryExpression(binary) if binary.operator == BinaryOperator::In => {
                if let Expression::StringLiteral(key) = &binary.left {
                    self.guard(key.value.as_str());
                }
            }
            Expression::ComputedMemberExpression(member) => {
                if let Some(origin) = self.origin(&member.object) {
                    let shown = origin.module;
                    let at = member.expression.span().start;
                    if !is_local(&shown) {
                        self.uses.doubts.push((Why::Computed, format!("{shown}[…]"), at));
                    }
                }
            }
            _ => {}
        }
        walk::walk_expression(self, expression);
    }

    fn visit_if_statement(&mut self, statement: &oxc_ast::ast::IfStatement<'a>) {
        self.asked(&statement.test);
        walk::walk_if_statement(self, statement);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        // A type that is written down counts, not that of the value.
        if let Some(init) =
            declarator.init.as_ref().filter(|_| declarator.type_annotation.is_none())
            && let Some(origin) = self.origin(init)
        {
            self.destructure(&declarator.id, origin);
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.optional(call);
        walk::walk_call_expression(self, call);
    }

    fn visit_simple_assignment_target(&mut self, target: &SimpleAssignmentTarget<'a>) {
        if let SimpleAssignmentTarget::StaticMemberExpression(member) = target {
            self.guard(member.property.name.as_str());
            self.visit_expression(&member.object);
            return;
        }
        walk::walk_simple_assignment_target(self, target);
    }

    fn visit_assignment_target(&mut self, target: &AssignmentTarget<'a>) {
        if let AssignmentTarget::StaticMemberExpression(member) = target {
            self.guard(member.property.name.as_str());
            self.visit_expression(&member.object);
            return;
        }
        walk::walk_assignment_target(self, target);
    }

    fn visit_import_expression(&mut self, import: &oxc_ast::ast::ImportExpression<'a>) {
        match &import.source {
            Expression::StringLiteral(module) => {
                self.module(module.value.as_str(), module.span.start + 1);
            }
            other => {
                let at = other.span().start;
                self.uses.doubts.push((Why::Computed, "import(…)".to_owned(), at));
            }
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_jsx_member_expression(&mut self, member: &JSXMemberExpression<'a>) {
        let mut steps = vec![name(member.property.name.as_str(), member.property.span.start)];
        let mut next = &member.object;
        loop {
            match next {
                JSXMemberExpressionObject::MemberExpression(inner) => {
                    steps.push(name(inner.property.name.as_str(), inner.property.span.start));
                    next = &inner.object;
                }
                JSXMemberExpressionObject::IdentifierReference(identifier) => {
                    steps.reverse();
                    self.referred(identifier, steps);
                    return;
                }
                JSXMemberExpressionObject::ThisExpression(_) => return,
            }
        }
    }

    fn visit_ts_qualified_name(&mut self, qualified: &TSQualifiedName<'a>) {
        let mut steps = vec![name(qualified.right.name.as_str(), qualified.right.span.start)];
        let mut next = &qualified.left;
        loop {
            match next {
                TSTypeName::QualifiedName(inner) => {
                    steps.push(name(inner.right.name.as_str(), inner.right.span.start));
                    next = &inner.left;
                }
                TSTypeName::IdentifierReference(identifier) => {
                    steps.reverse();
                    self.referred(identifier, steps);
                    return;
                }
                TSTypeName::ThisExpression(_) => return,
            }
        }
    }

    fn visit_ts_external_module_declaration(&mut self, module: &TSExternalModuleDeclaration<'a>) {
        self.uses.augmented.insert(module.id.value.to_string());
        walk::walk_ts_external_module_declaration(self, module);
    }
}

impl Walk<'_> {
    fn referred(&mut self, identifier: &oxc_ast::ast::IdentifierReference<'_>, steps: Vec<Step>) {
        let symbol = identifier
            .reference_id
            .get()
            .and_then(|reference| self.scoping.get_reference(reference).symbol_id());
        if let Some(origin) = symbol.and_then(|symbol| self.origins.get(&symbol)).cloned() {
            self.used(origin, steps);
        }
    }

    /// The members before a `?.`, which the code does not rely on.
    fn note_optional(&mut self, expression: &Expression<'_>) {
        let mut next = expression;
        loop {
            let (is_optional, object) = match next {
                Expression::StaticMemberExpression(member) => (member.optional, &member.object),
                Expression::CallExpression(call) => (call.optional, &call.callee),
                Expression::ParenthesizedExpression(inner) => (false, &inner.expression),
                Expression::AwaitExpression(inner) => (false, &inner.argument),
                Expression::TSNonNullExpression(inner) => (false, &inner.expression),
                Expression::ChainExpression(chain) => match &chain.expression {
                    ChainElement::CallExpression(call) => (call.optional, &call.callee),
                    ChainElement::StaticMemberExpression(member) => {
                        (member.optional, &member.object)
                    }
                    _ => return,
                },
                _ => return,
            };
            if is_optional && let Expression::StaticMemberExpression(member) = object {
                self.uses.guarded.insert(member.property.name.to_string());
            }
            next = object;
        }
    }
}

fn name(name: &str, at: At) -> Step {
    Step::Name { name: name.to_owned(), at }
}

fn imported(specifier: &ModuleExportName<'_>) -> Step {
    name(specifier.name().as_str(), specifier.span().start)
}

/// The module of `require("module")`.
fn required<'e>(call: &'e CallExpression<'_>) -> Option<(&'e str, At)> {
    let Expression::Identifier(callee) = &call.callee else { return None };
    match call.arguments.as_slice() {
        [Argument::StringLiteral(module)] if callee.name == "require" => {
            Some((module.value.as_str(), module.span.start + 1))
        }
        _ => None,
    }
}

/// What is passed by name: the keys of objects that are written out.
fn passed(arguments: &[Argument<'_>]) -> Call {
    let spreads = arguments.iter().any(|argument| matches!(argument, Argument::SpreadElement(_)));
    let count = u32::try_from(arguments.len()).ok().filter(|_| !spreads);
    let mut call = Call { count, ..Call::default() };
    for (position, argument) in (0u32..).zip(arguments) {
        match argument {
            // What follows is at no known position.
            Argument::SpreadElement(_) => break,
            Argument::ObjectExpression(object) => {
                let key = |property: &ObjectPropertyKind<'_>| match property {
                    ObjectPropertyKind::ObjectProperty(property) if !property.computed => {
                        let key = property.key.static_name()?;
                        Some((key.to_string(), property.key.span().start))
                    }
                    _ => None,
                };
                call.objects.push((position, object.properties.iter().filter_map(key).collect()));
            }
            _ => {}
        }
    }
    call
}

/// Whether a specifier leads to a file of the project.
fn is_local(specifier: &str) -> bool {
    specifier.is_empty()
        || specifier.starts_with(['.', '/', '#', '~'])
        || specifier.starts_with("@/")
        || specifier.contains(['?', '!', '*'])
        || specifier.split_once(':').is_some_and(|(scheme, _)| scheme != "node")
}
