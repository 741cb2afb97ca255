//! The members of classes, interfaces, object types and enumerations.
//!
//! Called while a file is read; [`super::declare`] makes items of them.

use std::rc::Rc;

use oxc_ast::ast::{
    Class, ClassElement, Expression, MethodDefinitionKind, PropertyKey, TSAccessibility,
    TSEnumMember, TSMethodSignatureKind, TSSignature,
};
use oxc_span::{GetSpan, Span};

use super::program::{FileId, Member, MemberKind, Range};

/// The name of a signature that lets its values be called.
pub(super) const CALL: &str = "(call)";
/// The name of a signature that lets its values be constructed.
pub(super) const NEW: &str = "new";
const INDEX: &str = "[index]";

/// Where a value ends that is written out.
fn end_of_literal(value: &Expression<'_>) -> Option<u32> {
    const BYTES_MAX: u32 = 200;
    let sign = match value {
        Expression::UnaryExpression(unary) => &unary.argument,
        other => other,
    };
    (sign.is_literal() && value.span().size() <= BYTES_MAX).then(|| value.span().end)
}

pub(super) fn of_class(text: &str, file: FileId, class: &Class<'_>) -> Vec<Member> {
    let mut members = Vec::new();
    let mut add = |kind, name, start, signature: Range, is_static| {
        members.push(Member { kind, name, file, start, signature, is_static });
    };
    let mut overloaded: Option<Rc<str>> = None;
    for element in &class.body.body {
        match element {
            ClassElement::MethodDefinition(method) => {
                if method.accessibility == Some(TSAccessibility::Private) {
                    continue;
                }
                let Some(name) = key(text, &method.key, method.computed) else { continue };
                // In a source file, the implementation of overloads is not one of them.
                if method.value.body.is_some() && overloaded.as_ref() == Some(&name) {
                    overloaded = None;
                    continue;
                }
                overloaded = method.value.body.is_none().then(|| name.clone());
                let kind = match method.kind {
                    MethodDefinitionKind::Get => MemberKind::Getter,
                    MethodDefinitionKind::Set => MemberKind::Setter,
                    _ => MemberKind::Method,
                };
                let start = after_decorators(&method.decorators, method.span);
                let body = method.value.body.as_ref();
                let end = body.map_or(method.span.end, |body| body.span.start);
                add(kind, name, method.span.start, Range::new(start, end), method.r#static);
            }
            ClassElement::PropertyDefinition(property) => {
                if property.accessibility == Some(TSAccessibility::Private) {
                    continue;
                }
                let Some(name) = key(text, &property.key, property.computed) else { continue };
                let start = after_decorators(&property.decorators, property.span);
                let annotation = property.type_annotation.as_ref();
                let value = property.value.as_ref();
                let end = annotation
                    .map(|annotation| annotation.span.end)
                    // The value of a constant is its type.
                    .or_else(|| value.filter(|_| property.readonly).and_then(end_of_literal))
                    .or_else(|| value.map(|_| property.key.span().end))
                    .unwrap_or(property.span.end);
                let kind = match value {
                    Some(value) if annotation.is_none() && value.is_function() => {
                        MemberKind::Method
                    }
                    _ => MemberKind::Property,
                };
                let end = match (kind, value) {
                    (MemberKind::Method, Some(value)) => {
                        super::javascript::parameters_end(value).unwrap_or(end)
                    }
                    _ => end,
                };
                let signature = Range::new(start, end);
                add(kind, name, property.span.start, signature, property.r#static);
            }
            ClassElement::AccessorProperty(property) => {
                if property.accessibility == Some(TSAccessibility::Private) {
                    continue;
                }
                let Some(name) = key(text, &property.key, property.computed) else { continue };
                let annotation = property.type_annotation.as_ref();
                let end = annotation.map_or(property.key.span().end, |found| found.span.end);
                let signature = Range::new(property.span.start, end);
                let start = property.span.start;
                add(MemberKind::Property, name, start, signature, property.r#static);
            }
            ClassElement::TSIndexSignature(index) => {
                let (start, range) = (index.span.start, index.span.into());
                add(MemberKind::Property, INDEX.into(), start, range, index.r#static);
            }
            ClassElement::StaticBlock(_) => {}
        }
    }
    members
}

fn after_decorators(decorators: &[oxc_ast::ast::Decorator<'_>], span: Span) -> u32 {
    decorators.last().map_or(span.start, |last| last.span.end.max(span.start))
}

pub(super) fn of_signatures(
    text: &str,
    file: FileId,
    signatures: &[TSSignature<'_>],
) -> Vec<Member> {
    let one = |signature: &TSSignature<'_>| {
        let (kind, name) = match signature {
            TSSignature::TSIndexSignature(_) => (MemberKind::Property, INDEX.into()),
            TSSignature::TSCallSignatureDeclaration(_) => (MemberKind::Method, CALL.into()),
            TSSignature::TSConstructSignatureDeclaration(_) => (MemberKind::Method, NEW.into()),
            TSSignature::TSPropertySignature(property) => {
                let annotation = property.type_annotation.as_ref();
                let function = annotation.is_some_and(|annotation| {
                    matches!(annotation.type_annotation, oxc_ast::ast::TSType::TSFunctionType(_))
                });
                let kind = if function { MemberKind::Method } else { MemberKind::Property };
                (kind, key(text, &property.key, property.computed)?)
            }
            TSSignature::TSMethodSignature(method) => {
                let kind = match method.kind {
                    TSMethodSignatureKind::Method => MemberKind::Method,
                    TSMethodSignatureKind::Get => MemberKind::Getter,
                    TSMethodSignatureKind::Set => MemberKind::Setter,
                };
                (kind, key(text, &method.key, method.computed)?)
            }
        };
        let span = signature.span();
        let (start, signature) = (span.start, span.into());
        Some(Member { kind, name, file, start, signature, is_static: false })
    };
    signatures.iter().filter_map(one).collect()
}

pub(super) fn of_enum(file: FileId, members: &[TSEnumMember<'_>]) -> Vec<Member> {
    let one = |member: &TSEnumMember<'_>| Member {
        kind: MemberKind::Variant,
        name: member.id.static_name().as_str().into(),
        file,
        start: member.span.start,
        signature: member.span.into(),
        is_static: false,
    };
    members.iter().map(one).collect()
}

/// The name of a member; `None` if it is private.
pub(super) fn key(text: &str, key: &PropertyKey<'_>, computed: bool) -> Option<Rc<str>> {
    match key {
        PropertyKey::PrivateIdentifier(_) => None,
        key if computed && !matches!(key, PropertyKey::StringLiteral(_)) => {
            let inside = Range::from(key.span()).of(text);
            Some(format!("[{inside}]").into())
        }
        key => key.static_name().map(|name| name.as_ref().into()),
    }
}
