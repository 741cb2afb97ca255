//! As much of a type as is needed to find its members.
//!
//! Feeds [`super::inherit`]; called while a file is read.

use std::rc::Rc;

use oxc_ast::ast::{
    Expression, TSImportTypeQualifier, TSLiteral, TSQualifiedName, TSType, TSTypeName,
    TSTypeOperatorOperator, TSTypeParameterInstantiation, TSTypeQueryExprName,
};

use super::program::{FileId, Shape};
use super::{member, module};

/// How deep types are followed into one another.
const DEEP_MAX: usize = 24;
/// How deep the types that others are applied to are followed.
const ARGUMENTS_DEEP_MAX: usize = 3;

pub(super) fn read(text: &str, file: FileId, syntax: &TSType<'_>) -> Shape {
    read_within(text, file, syntax, DEEP_MAX)
}

fn read_within(text: &str, file: FileId, syntax: &TSType<'_>, deep: usize) -> Shape {
    let Some(deep) = deep.checked_sub(1) else { return Shape::Unknown };
    match syntax {
        TSType::TSTypeLiteral(literal) => {
            Shape::Literal(member::of_signatures(text, file, &literal.members))
        }
        TSType::TSFunctionType(_) => Shape::Function,
        TSType::TSParenthesizedType(inner) => read_within(text, file, &inner.type_annotation, deep),
        TSType::TSTypeOperatorType(operator)
            if operator.operator == TSTypeOperatorOperator::Readonly =>
        {
            read_within(text, file, &operator.type_annotation, deep)
        }
        TSType::TSIntersectionType(parts) => {
            let parts = parts.types.iter();
            Shape::Intersection(parts.map(|part| read_within(text, file, part, deep)).collect())
        }
        TSType::TSTypeReference(reference) => {
            let arguments = reference.type_arguments.as_deref();
            named(text, file, &reference.type_name, arguments, deep)
        }
        TSType::TSTypeQuery(query) => match &query.expr_name {
            TSTypeQueryExprName::TSImportType(import) => {
                let module = import.source.value.as_str().into();
                let path = import.qualifier.as_ref().map(qualifier).unwrap_or_default();
                Shape::Import { module, path }
            }
            name => name
                .as_ts_type_name()
                .map_or(Shape::Unknown, |name| parts(name).map_or(Shape::Unknown, Shape::Typeof)),
        },
        // `{ [K in keyof T]: … }` has the members of `T`.
        TSType::TSMappedType(mapped) => match &mapped.constraint {
            TSType::TSTypeOperatorType(operator)
                if operator.operator == TSTypeOperatorOperator::Keyof =>
            {
                read_within(text, file, &operator.type_annotation, deep)
            }
            _ => Shape::Unknown,
        },
        TSType::TSImportType(import) => {
            let module = import.source.value.as_str().into();
            let path = import.qualifier.as_ref().map(qualifier).unwrap_or_default();
            Shape::Import { module, path }
        }
        _ => Shape::Unknown,
    }
}

/// A name applied to types, such as the base of an interface.
pub(super) fn of_name(
    text: &str,
    file: FileId,
    name: &TSTypeName<'_>,
    arguments: Option<&TSTypeParameterInstantiation<'_>>,
) -> Shape {
    named(text, file, name, arguments, DEEP_MAX)
}

/// What a class extends; what a call gives is followed to what it is called with, as a mixin is
/// written.
pub(super) fn of_base(expression: &Expression<'_>) -> Shape {
    let mut expression = expression.get_inner_expression();
    for _ in 0..DEEP_MAX {
        match expression {
            Expression::CallExpression(call) => {
                if javascript_require(expression).is_some() {
                    break;
                }
                let Some(argument) = call.arguments.first().and_then(|first| first.as_expression())
                else {
                    break;
                };
                expression = argument.get_inner_expression();
            }
            _ => return module::dotted(expression).map_or(Shape::Unknown, Shape::Named),
        }
    }
    javascript_require(expression)
        .map_or(Shape::Unknown, |module| Shape::Import { module, path: Vec::new() })
}

fn javascript_require(expression: &Expression<'_>) -> Option<Rc<str>> {
    super::javascript::required(expression).map(Into::into)
}

fn named(
    text: &str,
    file: FileId,
    name: &TSTypeName<'_>,
    arguments: Option<&TSTypeParameterInstantiation<'_>>,
    deep: usize,
) -> Shape {
    let Some(path) = parts(name) else { return Shape::Unknown };
    let arguments = arguments.map_or(&[][..], |arguments| &arguments.params);
    if let ([name], Some(first)) = (path.as_slice(), arguments.first()) {
        let inner = || Box::new(read_within(text, file, first, deep.saturating_sub(1)));
        match name.as_ref() {
            "Partial" | "Required" | "Readonly" | "NonNullable" | "Exclude" | "Extract" => {
                return *inner();
            }
            "Omit" => return Shape::Omit(inner(), arguments.get(1).map(keys).unwrap_or_default()),
            "Pick" => return Shape::Pick(inner(), arguments.get(1).map(keys).unwrap_or_default()),
            _ => {}
        }
    }
    // What is applied matters only where an alias passes it on.
    let mut shapes: Vec<Shape> = Vec::new();
    for argument in arguments {
        shapes.push(read_within(
            text,
            file,
            argument,
            deep.saturating_sub(1).min(ARGUMENTS_DEEP_MAX),
        ));
    }
    while matches!(shapes.last(), Some(Shape::Unknown | Shape::Function)) {
        shapes.pop();
    }
    if shapes.is_empty() { Shape::Named(path) } else { Shape::Applied(path, shapes) }
}

/// The strings of a union of string types.
fn keys(syntax: &TSType<'_>) -> Vec<Rc<str>> {
    let one = |syntax: &TSType<'_>| match syntax {
        TSType::TSLiteralType(literal) => match &literal.literal {
            TSLiteral::StringLiteral(text) => Some(text.value.as_str().into()),
            _ => None,
        },
        _ => None,
    };
    match syntax {
        TSType::TSUnionType(union) => union.types.iter().filter_map(one).collect(),
        syntax => one(syntax).into_iter().collect(),
    }
}

fn parts(name: &TSTypeName<'_>) -> Option<Vec<Rc<str>>> {
    match name {
        TSTypeName::IdentifierReference(name) => Some(vec![name.name.as_str().into()]),
        TSTypeName::QualifiedName(name) => Some(qualified(name)),
        TSTypeName::ThisExpression(_) => None,
    }
}

pub(super) fn qualified(name: &TSQualifiedName<'_>) -> Vec<Rc<str>> {
    let mut path: Vec<Rc<str>> = vec![name.right.name.as_str().into()];
    let mut left = &name.left;
    loop {
        match left {
            TSTypeName::QualifiedName(name) => {
                path.push(name.right.name.as_str().into());
                left = &name.left;
            }
            TSTypeName::IdentifierReference(name) => {
                path.push(name.name.as_str().into());
                break;
            }
            TSTypeName::ThisExpression(_) => break,
        }
    }
    path.reverse();
    path
}

fn qualifier(name: &TSImportTypeQualifier<'_>) -> Vec<Rc<str>> {
    let mut path: Vec<Rc<str>> = Vec::new();
    let mut name = name;
    loop {
        match name {
            TSImportTypeQualifier::QualifiedName(qualified) => {
                path.push(qualified.right.name.as_str().into());
                name = &qualified.left;
            }
            TSImportTypeQualifier::Identifier(first) => {
                path.push(first.name.as_str().into());
                path.reverse();
                return path;
            }
        }
    }
}
