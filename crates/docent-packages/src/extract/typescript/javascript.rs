//! What JavaScript says about its values where no type does: initializers.
//!
//! Called by [`super::module`] while a file is read. Also serves TypeScript sources, whose constants
//! often have no annotation.

use oxc_ast::ast::{Argument, Expression, ObjectExpression, ObjectPropertyKind, PropertyKind};
use oxc_span::GetSpan;

use super::module::{Reader, dotted};
use super::program::{
    Declaration, DeclarationKind, Import, Member, MemberKind, Range, ScopeId, Shape,
};
use super::{member, shape};

/// Initializers up to this long are part of the signature.
const VALUE_BYTES_MAX: u32 = 80;

/// The module of `require("module")`.
pub(super) fn required<'e>(expression: &'e Expression<'_>) -> Option<&'e str> {
    let Expression::CallExpression(call) = expression else { return None };
    // Compilers wrap the call: `__importDefault(require("x"))`.
    let wrapped = call.callee.get_identifier_reference()?.name.as_str();
    let argument = call.arguments.first()?;
    match argument {
        Argument::StringLiteral(text) if wrapped == "require" => Some(text.value.as_str()),
        Argument::CallExpression(inner) if wrapped.starts_with("_") => {
            let name = inner.callee.get_identifier_reference()?.name.as_str();
            match inner.arguments.first()? {
                Argument::StringLiteral(text) if name == "require" => Some(text.value.as_str()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Where the parameters of a function value end, with its return type.
pub(super) fn parameters_end(value: &Expression<'_>) -> Option<u32> {
    match value.get_inner_expression() {
        Expression::FunctionExpression(function) => {
            let result = function.return_type.as_ref().map(|result| result.span.end);
            Some(result.unwrap_or(function.params.span.end))
        }
        Expression::ArrowFunctionExpression(arrow) => {
            let result = arrow.return_type.as_ref().map(|result| result.span.end);
            Some(result.unwrap_or(arrow.params.span.end))
        }
        _ => None,
    }
}

/// Declares a variable that is a function, a class or another module; `false` if it is none of them.
pub(super) fn variable(
    reader: &mut Reader<'_>,
    name: &str,
    value: &Expression<'_>,
    start: u32,
    scope: ScopeId,
) -> bool {
    let value = value.get_inner_expression();
    let shown = if name == "export=" { "default" } else { name };
    match value {
        Expression::FunctionExpression(function) => {
            let from = function.type_parameters.as_ref().map(|types| types.span.start);
            let from = from.unwrap_or(function.params.span.start);
            let is_async = if function.r#async { "async " } else { "" };
            let star = if function.generator { "*" } else { "" };
            let range = Range::new(from, parameters_end(value).unwrap_or(from));
            let mut found = reader.found(DeclarationKind::Function, start, range);
            found.prefix = format!("{is_async}function{star} {shown}").into();
            reader.add(scope, name, found);
        }
        Expression::ArrowFunctionExpression(arrow) => {
            let from = arrow.type_parameters.as_ref().map(|types| types.span.start);
            let from = from.unwrap_or(arrow.params.span.start);
            let range = Range::new(from, parameters_end(value).unwrap_or(from));
            let mut found = reader.found(DeclarationKind::Function, start, range);
            let is_async = if arrow.r#async { "async " } else { "" };
            let bare = !range.of(reader.text).starts_with(['(', '<']);
            let text = range.of(reader.text);
            if bare {
                found.written = Some(format!("{is_async}function {shown}({text})").into());
            }
            found.prefix = format!("{is_async}function {shown}").into();
            reader.add(scope, name, found);
        }
        Expression::ClassExpression(class) => {
            reader.class(class, Some(name), start, scope);
            if class.id.is_none() {
                let symbol = reader.program.symbol(scope, name);
                if let Some(last) = reader.program.symbols[symbol].declarations.last_mut() {
                    let text = last.signature.of(reader.text);
                    let rest = text.strip_prefix("class").unwrap_or(text).trim();
                    let space = if rest.is_empty() { "" } else { " " };
                    last.written = Some(format!("class {shown}{space}{rest}").into());
                }
            }
        }
        Expression::StaticMemberExpression(member) => {
            let Some(module) = required(&member.object) else { return false };
            let name_there = member.property.name.as_str();
            let import = Import::Named { module: module.into(), name: name_there.into() };
            reader.bind(scope, name, import);
        }
        Expression::AssignmentExpression(assignment) => {
            return super::commonjs::chained(reader, name, assignment, start, scope);
        }
        value => {
            let Some(module) = required(value) else { return false };
            reader.bind(scope, name, Import::Whole { module: module.into() });
        }
    }
    true
}

/// Notes in a declaration what its initializer tells.
pub(super) fn describe_value(reader: &Reader<'_>, found: &mut Declaration, value: &Expression<'_>) {
    let whole = value.span();
    let name_end = found.name.map_or(found.signature.start, |name| name.end);
    match value {
        Expression::TSAsExpression(cast) if !is_const(&cast.type_annotation, reader.text) => {
            found.shape = shape::read(reader.text, reader.file, &cast.type_annotation);
        }
        Expression::TSSatisfiesExpression(cast) => {
            found.shape = shape::read(reader.text, reader.file, &cast.type_annotation);
        }
        _ => {}
    }
    let value = value.get_inner_expression();
    match value {
        Expression::ObjectExpression(object) if matches!(found.shape, Shape::Unknown) => {
            found.shape = Shape::Literal(members(reader, object));
            found.signature.end = name_end;
        }
        Expression::NewExpression(new) => {
            if let Some(path) = dotted(&new.callee) {
                found.shape = Shape::Named(path);
            }
        }
        Expression::Identifier(name) => {
            found.shape = Shape::Typeof(vec![name.name.as_str().into()])
        }
        Expression::CallExpression(call) => {
            // `Object.freeze({…})` and the like.
            let object = call.arguments.first().and_then(|first| first.as_expression());
            let freezes = dotted(&call.callee).is_some_and(|path| &*path[0] == "Object");
            if let (true, Some(Expression::ObjectExpression(object))) = (freezes, object) {
                found.shape = Shape::Literal(members(reader, object));
            }
        }
        _ => {}
    }
    if whole.end - whole.start > VALUE_BYTES_MAX {
        found.signature.end = found.signature.end.min(name_end);
    }
}

fn is_const(annotation: &oxc_ast::ast::TSType<'_>, text: &str) -> bool {
    Range::from(annotation.span()).of(text) == "const"
}

/// The properties of an object as members of its type.
fn members(reader: &Reader<'_>, object: &ObjectExpression<'_>) -> Vec<Member> {
    let one = |property: &ObjectPropertyKind<'_>| {
        let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
        let name = member::key(reader.text, &property.key, property.computed)?;
        let function = property.method || property.value.is_function();
        let kind = match property.kind {
            PropertyKind::Get => MemberKind::Getter,
            PropertyKind::Set => MemberKind::Setter,
            PropertyKind::Init if function => MemberKind::Method,
            PropertyKind::Init => MemberKind::Property,
        };
        let mut signature = Range::from(property.span);
        if let Some(end) = parameters_end(&property.value) {
            // `name: (a) => …` is shown as `name(a)`.
            let open = match &property.value {
                Expression::FunctionExpression(function) => function.params.span.start,
                Expression::ArrowFunctionExpression(arrow) => arrow.params.span.start,
                _ => signature.start,
            };
            let is_list = Range::new(open, end).of(reader.text).starts_with('(');
            if is_list && !property.method && property.kind == PropertyKind::Init {
                signature.start = open;
            }
            signature.end = end;
        } else if signature.end - signature.start > VALUE_BYTES_MAX {
            signature.end = property.key.span().end;
        }
        let start = property.span.start;
        Some(Member { kind, name, file: reader.file, start, signature, is_static: false })
    };
    object.properties.iter().filter_map(one).collect()
}
