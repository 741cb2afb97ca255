//! The variables of a file, with or without a type, and values that have no name.
//!
//! A part of [`super::module`]'s reader; [`super::javascript`] says what initializers tell.

use oxc_ast::ast::{
    BindingPattern, Expression, VariableDeclaration, VariableDeclarationKind, VariableDeclarator,
};
use oxc_span::GetSpan;

use super::module::Reader;
use super::program::{DeclarationKind, ExportSource, Import, ScopeId};
use super::{javascript, shape};

impl Reader<'_> {
    pub(super) fn variables(
        &mut self,
        variables: &VariableDeclaration<'_>,
        start: u32,
        scope: ScopeId,
        export: bool,
    ) {
        let single = variables.declarations.len() == 1;
        for declarator in &variables.declarations {
            let BindingPattern::BindingIdentifier(id) = &declarator.id else {
                self.pattern(&declarator.id, declarator, scope, export);
                continue;
            };
            let name = id.name.as_str();
            // The comment of a list of variables is about the first.
            let first = declarator.span.start == variables.declarations[0].span.start;
            let start = if single || first { start } else { declarator.span.start };
            self.variable(name, declarator, variables.kind, start, scope);
            if export {
                self.program.export(scope, name, ExportSource::Local(name.into()));
            }
        }
    }

    fn variable(
        &mut self,
        name: &str,
        declarator: &VariableDeclarator<'_>,
        kind: VariableDeclarationKind,
        start: u32,
        scope: ScopeId,
    ) {
        if declarator.type_annotation.is_none()
            && let Some(value) = &declarator.init
            && javascript::variable(self, name, value, start, scope)
        {
            return;
        }
        let (kind, prefix) = match kind {
            VariableDeclarationKind::Let => (DeclarationKind::Variable, "let "),
            VariableDeclarationKind::Var => (DeclarationKind::Variable, "var "),
            _ => (DeclarationKind::Const, "const "),
        };
        let mut found = self.found(kind, start, declarator.span);
        found.prefix = prefix.into();
        found.name = Some(declarator.id.span().into());
        if let Some(annotation) = &declarator.type_annotation {
            found.signature.end = annotation.span.end;
            found.shape = shape::read(self.text, self.file, &annotation.type_annotation);
        } else if let Some(value) = &declarator.init {
            javascript::describe_value(self, &mut found, value);
        }
        self.add(scope, name, found);
    }

    /// `export const { a, b } = x`: the names, as far as they are plain.
    fn pattern(
        &mut self,
        pattern: &BindingPattern<'_>,
        declarator: &VariableDeclarator<'_>,
        scope: ScopeId,
        export: bool,
    ) {
        let BindingPattern::ObjectPattern(object) = pattern else { return };
        for property in &object.properties {
            let value = match &property.value {
                BindingPattern::AssignmentPattern(assignment) => &assignment.left,
                value => value,
            };
            let BindingPattern::BindingIdentifier(id) = value else { continue };
            if let Some(module) = declarator.init.as_ref().and_then(javascript::required) {
                let imported = property.key.static_name().unwrap_or_default();
                let import =
                    Import::Named { module: module.into(), name: imported.as_ref().into() };
                self.bind(scope, id.name.as_str(), import);
            } else {
                let mut found = self.found(DeclarationKind::Const, property.span.start, id.span);
                found.prefix = "const ".into();
                self.add(scope, id.name.as_str(), found);
            }
            if export {
                let source = ExportSource::Local(id.name.as_str().into());
                self.program.export(scope, id.name.as_str(), source);
            }
        }
    }

    /// A value without a name of its own, such as that of `export default`.
    pub(super) fn expression_value(
        &mut self,
        name: &str,
        value: &Expression<'_>,
        start: u32,
        scope: ScopeId,
    ) {
        if javascript::variable(self, name, value, start, scope) {
            return;
        }
        let mut found = self.found(DeclarationKind::Const, start, value.span());
        javascript::describe_value(self, &mut found, value);
        let shown = if name == "export=" { "default" } else { name };
        let text = found.signature.of(self.text);
        let shown = if text.is_empty() || text.contains('\n') {
            format!("const {shown}")
        } else {
            format!("const {shown} = {text}")
        };
        found.written = Some(shown.into());
        self.add(scope, name, found);
    }
}
