//! Variables: what statements, conditions, parameters and patterns bind, and what is known of it.

use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{self, AstNode as _};

use super::super::scopes::{Origin, Space};
use super::{Named as _, Walk};
use crate::check::uses::Step;

impl Walk {
    pub(super) fn let_statement(&mut self, node: &SyntaxNode) {
        let Some(statement) = ast::LetStmt::cast(node.clone()) else { return };
        self.visit(statement.initializer());
        self.visit(statement.let_else());
        self.visit(statement.ty());
        let value = match statement.ty() {
            Some(ty) => self.type_origin(&ty),
            None => statement.initializer().and_then(|value| self.origin(&value)),
        };
        if let Some(pattern) = statement.pat() {
            self.pattern(&pattern, value);
        }
    }

    pub(super) fn let_expression(&mut self, node: &SyntaxNode) {
        let Some(expression) = ast::LetExpr::cast(node.clone()) else { return };
        self.visit(expression.expr());
        let value = expression.expr().and_then(|value| self.origin(&value));
        if let Some(pattern) = expression.pat() {
            self.pattern(&pattern, value);
        }
    }

    /// What a condition binds is there in the first branch only.
    pub(super) fn condition(&mut self, node: &SyntaxNode) {
        let Some(expression) = ast::IfExpr::cast(node.clone()) else { return };
        self.inside(false, |walk| {
            walk.visit(expression.condition());
            walk.visit(expression.then_branch());
        });
        match expression.else_branch() {
            Some(ast::ElseBranch::Block(block)) => self.node(block.syntax()),
            Some(ast::ElseBranch::IfExpr(inner)) => self.node(inner.syntax()),
            None => {}
        }
    }

    pub(super) fn parameter(&mut self, node: &SyntaxNode) {
        let Some(parameter) = ast::Param::cast(node.clone()) else { return };
        self.visit(parameter.ty());
        let value = parameter.ty().and_then(|ty| self.type_origin(&ty));
        if let Some(pattern) = parameter.pat() {
            self.pattern(&pattern, value);
        }
    }

    /// Binds the variables of a pattern, and uses its paths.
    pub(super) fn pattern(&mut self, pattern: &ast::Pat, value: Option<Origin>) {
        match pattern {
            ast::Pat::IdentPat(name) => {
                if let Some(text) = name.called() {
                    self.variables.push((text, value));
                }
                if let Some(inner) = name.pat() {
                    self.pattern(&inner, None);
                }
            }
            ast::Pat::TupleStructPat(of) => {
                let path = of.path();
                self.used_path(path.as_ref(), Space::Values);
                let name = path.and_then(|path| path.as_single_name_ref());
                let opens = name.is_some_and(|name| {
                    let text = name.text();
                    matches!(text, "Ok" | "Some")
                        && !self.scopes.is_bound(self.scope, text, Space::Values)
                });
                let value = value.filter(|_| opens).map(|value| value.then(Step::Unwrap));
                for inner in of.fields() {
                    self.pattern(&inner, value.clone());
                }
            }
            ast::Pat::RecordPat(of) => {
                let list = of.record_pat_field_list();
                let fields: Vec<ast::RecordPatField> =
                    list.into_iter().flat_map(|list| list.fields()).collect();
                if let Some(found) = of.path().and_then(|it| self.path_origin(&it, Space::Types)) {
                    let named = fields.iter().filter_map(|field| field.name_ref());
                    let made = self.made_of(named);
                    self.uses.uses.push(found.then(made).used());
                }
                for inner in fields.iter().filter_map(|field| field.pat()) {
                    self.pattern(&inner, None);
                }
            }
            ast::Pat::PathPat(of) => self.used_path(of.path().as_ref(), Space::Values),
            ast::Pat::ParenPat(inner) => {
                if let Some(inner) = inner.pat() {
                    self.pattern(&inner, value);
                }
            }
            other => self.children(other.syntax()),
        }
    }
}
