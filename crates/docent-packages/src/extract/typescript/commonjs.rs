//! What a script exports the CommonJS way, as people and as compilers write it, and the types that
//! its comments define.
//!
//! Called by [`super::module`] after the statements of a file are read.

use std::rc::Rc;

use oxc_ast::ast::{
    Argument, AssignmentExpression, AssignmentTarget, CallExpression, Expression,
    ObjectPropertyKind, Statement,
};

use super::javascript::required;
use super::module::{Reader, dotted};
use super::program::{
    DeclarationKind, ExportSource, Import, Member, MemberKind, Range, ScopeId, Shape,
};

/// How many assignments in a row are followed.
const CHAIN_MAX: usize = 16;

/// `var app = exports = module.exports = {}`.
pub(super) fn chained(
    reader: &mut Reader<'_>,
    name: &str,
    assignment: &AssignmentExpression<'_>,
    start: u32,
    scope: ScopeId,
) -> bool {
    let mut assignment = assignment;
    let mut exported = false;
    for _ in 0..CHAIN_MAX {
        exported |= target(&assignment.left).is_some_and(|path| is_exports(&path));
        match &assignment.right {
            Expression::AssignmentExpression(next) => assignment = next,
            value => {
                if exported {
                    reader.program.scopes[scope].assigned = Some(vec![name.into()]);
                }
                reader.expression_value(name, value, start, scope);
                return true;
            }
        }
    }
    false
}

/// Reads the CommonJS exports of a file.
pub(super) fn read(reader: &mut Reader<'_>, statements: &[Statement<'_>], scope: ScopeId) {
    reader.program.files[reader.file].is_module = true;
    typedefs(reader, scope);
    for statement in statements {
        let Statement::ExpressionStatement(statement) = statement else { continue };
        let start = statement.span.start;
        match statement.expression.get_inner_expression() {
            Expression::AssignmentExpression(assignment) => {
                assigned(reader, assignment, start, scope)
            }
            // The list that compilers leave for tools: `0 && (module.exports = { a, b })`.
            Expression::LogicalExpression(logical) => {
                if let Expression::AssignmentExpression(assignment) =
                    logical.right.get_inner_expression()
                {
                    assigned(reader, assignment, start, scope);
                }
            }
            Expression::CallExpression(call) => called(reader, call, scope),
            _ => {}
        }
    }
}

/// The types that comments define: `@typedef` and `@callback`.
fn typedefs(reader: &mut Reader<'_>, scope: ScopeId) {
    for comment in reader.program.files[reader.file].comments.clone() {
        let text = comment.of(reader.text);
        if !text.starts_with("/**") || !(text.contains("@typedef") || text.contains("@callback")) {
            continue;
        }
        let doc = super::jsdoc::parse(text);
        let Some((_, name)) = doc.typedef.as_ref().filter(|(_, name)| !name.is_empty()) else {
            continue;
        };
        let mut found = reader.found(DeclarationKind::TypeAlias, comment.end, comment);
        found.written = Some(super::typed::alias(&doc).into());
        reader.add(scope, name, found);
        reader.program.export(scope, name, ExportSource::Local(name.as_str().into()));
    }
}

/// The dotted path that is assigned to.
fn target(target: &AssignmentTarget<'_>) -> Option<Vec<Rc<str>>> {
    match target {
        AssignmentTarget::AssignmentTargetIdentifier(name) => Some(vec![name.name.as_str().into()]),
        AssignmentTarget::StaticMemberExpression(member) => {
            let mut path = dotted(&member.object)?;
            path.push(member.property.name.as_str().into());
            Some(path)
        }
        _ => None,
    }
}

fn is_exports(path: &[Rc<str>]) -> bool {
    match path {
        [one] => &**one == "exports",
        [first, second] => &**first == "module" && &**second == "exports",
        _ => false,
    }
}

fn assigned(
    reader: &mut Reader<'_>,
    assignment: &AssignmentExpression<'_>,
    start: u32,
    scope: ScopeId,
) {
    let mut paths = Vec::new();
    let mut assignment = assignment;
    for _ in 0..CHAIN_MAX {
        paths.extend(target(&assignment.left));
        match &assignment.right {
            Expression::AssignmentExpression(next) => assignment = next,
            _ => break,
        }
    }
    let value = &assignment.right;
    if matches!(value, Expression::UnaryExpression(_)) {
        return;
    }
    for path in paths {
        let parts: Vec<&str> = path.iter().map(|part| &**part).collect();
        match parts.as_slice() {
            ["module", "exports"] | ["exports"] => replace_exports(reader, value, start, scope),
            ["exports", name] | ["module", "exports", name] => {
                export_value(reader, name, value, start, scope);
            }
            [owner, "prototype", name] => attach(reader, owner, name, value, start, false, scope),
            [owner, name] => attach(reader, owner, name, value, start, true, scope),
            _ => {}
        }
    }
}

/// `module.exports = value`.
fn replace_exports(reader: &mut Reader<'_>, value: &Expression<'_>, start: u32, scope: ScopeId) {
    match value.get_inner_expression() {
        Expression::ObjectExpression(object) => {
            for property in &object.properties {
                match property {
                    ObjectPropertyKind::ObjectProperty(property) => {
                        if let Some(name) = property.key.static_name() {
                            let start = property.span.start;
                            export_value(reader, &name, &property.value, start, scope);
                        }
                    }
                    ObjectPropertyKind::SpreadProperty(spread) => {
                        if let Some(module) = required(&spread.argument) {
                            reader.program.scopes[scope].stars.push(module.into());
                        }
                    }
                }
            }
        }
        value => {
            // What another module exports, this one does too.
            if let Some(module) = required(value) {
                reader.program.scopes[scope].stars.push(module.into());
            }
            let path = dotted(value).unwrap_or_else(|| {
                let own = match value {
                    Expression::FunctionExpression(function) => function.id.as_ref(),
                    Expression::ClassExpression(class) => class.id.as_ref(),
                    _ => None,
                };
                let name = own.map_or("export=", |id| id.name.as_str());
                reader.expression_value(name, value, start, scope);
                vec![name.into()]
            });
            reader.program.scopes[scope].assigned = Some(path);
        }
    }
}

/// `exports.name = value`.
fn export_value(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Expression<'_>,
    start: u32,
    scope: ScopeId,
) {
    if matches!(name, "__esModule" | "__proto__") {
        return;
    }
    let local: Rc<str> = match dotted(value) {
        Some(path) => match path.as_slice() {
            [one] => one.clone(),
            _ => {
                let local = format!("exports.{name}");
                reader.bind(scope, &local, Import::Alias(path));
                local.into()
            }
        },
        None => {
            reader.expression_value(name, value, start, scope);
            name.into()
        }
    };
    reader.program.export(scope, name, ExportSource::Local(local));
}

/// `owner.prototype.name = value` and `owner.name = value`.
fn attach(
    reader: &mut Reader<'_>,
    owner: &str,
    name: &str,
    value: &Expression<'_>,
    start: u32,
    is_static: bool,
    scope: ScopeId,
) {
    let Some(&symbol) = reader.program.scopes[scope].names.get(owner) else { return };
    let file = reader.file;
    let Some(found) = reader.program.symbols[symbol].declarations.first_mut() else { return };
    let kind = if value.is_function() { MemberKind::Method } else { MemberKind::Property };
    let signature = match value.get_inner_expression() {
        Expression::FunctionExpression(function) => function.params.span.into(),
        Expression::ArrowFunctionExpression(arrow) => arrow.params.span.into(),
        _ => Range::new(start, start),
    };
    let is_static = is_static && !matches!(found.shape, Shape::Literal(_));
    let member = Member { kind, name: name.into(), file, start, signature, is_static };
    match &mut found.shape {
        Shape::Literal(members) => members.push(member),
        _ => found.members.push(member),
    }
}

/// Calls by which compilers export: `Object.defineProperty(exports, …)`, `__exportStar(…)`,
/// `__export(target, { name: () => value })`.
fn called(reader: &mut Reader<'_>, call: &CallExpression<'_>, scope: ScopeId) {
    let Some(callee) = dotted(&call.callee) else { return };
    let callee: Vec<&str> = callee.iter().map(|part| &**part).collect();
    let arguments: Vec<&Expression<'_>> =
        call.arguments.iter().filter_map(Argument::as_expression).collect();
    match (callee.last().copied(), arguments.as_slice()) {
        (Some("__exportStar"), [module, ..]) => {
            if let Some(module) = required(module) {
                reader.program.scopes[scope].stars.push(module.into());
            }
        }
        (Some("__export"), [_, Expression::ObjectExpression(object)]) => {
            for property in &object.properties {
                let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
                let Some(name) = property.key.static_name() else { continue };
                if let Some(path) = returned(&property.value) {
                    export_path(reader, &name, path, scope);
                }
            }
        }
        (
            Some("defineProperty"),
            [to, Expression::StringLiteral(name), Expression::ObjectExpression(descriptor)],
        ) if dotted(to).is_some_and(|path| is_exports(&path)) => {
            for property in &descriptor.properties {
                let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
                if property.key.is_specific_static_name("get")
                    && let Some(path) = returned(&property.value)
                {
                    export_path(reader, name.value.as_str(), path, scope);
                }
            }
        }
        _ => {}
    }
}

fn export_path(reader: &mut Reader<'_>, name: &str, path: Vec<Rc<str>>, scope: ScopeId) {
    let local: Rc<str> = match path.as_slice() {
        [one] => one.clone(),
        _ => {
            let local = format!("exports.{name}");
            reader.bind(scope, &local, Import::Alias(path));
            local.into()
        }
    };
    reader.program.export(scope, name, ExportSource::Local(local));
}

/// The dotted name that a getter returns.
fn returned(value: &Expression<'_>) -> Option<Vec<Rc<str>>> {
    let body = match value {
        Expression::ArrowFunctionExpression(arrow) => {
            if let Some(value) = arrow.body.as_expression() {
                return dotted(value);
            }
            match &arrow.body {
                oxc_ast::ast::ArrowFunctionBody::FunctionBody(body) => body,
                _ => return None,
            }
        }
        Expression::FunctionExpression(function) => function.body.as_ref()?,
        _ => return None,
    };
    match body.statements.first()? {
        Statement::ReturnStatement(result) => dotted(result.argument.as_ref()?),
        _ => None,
    }
}
