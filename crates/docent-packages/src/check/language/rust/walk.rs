//! The walk over a Rust file: scopes, variables, and every place where something is used.
//!
//! `declare` binds the names of items and imports, `items` goes into items, and `bind` binds variables.

mod bind;
mod declare;
mod items;

use ra_ap_syntax::ast::{self, HasArgList as _, HasName};
use ra_ap_syntax::{AstNode, Edition, SyntaxKind, SyntaxNode};

use super::chain::is_chain;
use super::scopes::{Origin, ScopeId, Scopes, Space};
use crate::check::found::Why;
use crate::check::uses::Uses;
use crate::hashing::HashMap;

/// The fields of a structure with their types.
type Fields = HashMap<String, ast::Type>;

pub(super) struct Walk {
    pub(super) edition: Edition,
    pub(super) scopes: Scopes,
    pub(super) scope: ScopeId,
    /// Why nothing may be concluded here.
    pub(super) doubt: Option<Why>,
    /// What has to be added to places in the text that is being read.
    pub(super) shift: i64,
    /// Macros that lead here.
    pub(super) depth: usize,
    pub(super) uses: Uses,
    /// Variables, the newest last, and what is known of them.
    variables: Vec<(String, Option<Origin>)>,
    /// Where the variables of the function begin.
    first: usize,
    /// The type that `self` has.
    pub(super) this: Option<String>,
    /// Structures of this file; `None` where several have the name.
    pub(super) structures: HashMap<String, Option<Fields>>,
    /// What functions of this file return; `None` where several have the name.
    pub(super) functions: HashMap<String, Option<ast::Type>>,
}

impl Walk {
    pub(super) fn new(edition: Edition) -> Self {
        Self {
            edition,
            scopes: Scopes::default(),
            scope: 0,
            doubt: None,
            shift: 0,
            depth: 0,
            uses: Uses::default(),
            variables: Vec::new(),
            first: 0,
            this: None,
            structures: HashMap::default(),
            functions: HashMap::default(),
        }
    }

    /// All uses of a file that `before` bytes were put in front of.
    pub(super) fn file(mut self, file: &SyntaxNode, before: usize) -> Uses {
        self.shift = -i64::try_from(before).unwrap_or(0);
        self.collect(file);
        self.scope = self.scopes.add(None, true);
        self.guarded(file, |walk| {
            walk.declare(file);
            walk.children(file);
        });
        self.uses
    }

    /// Reads a node under the conditions that its attributes state.
    fn guarded(&mut self, node: &SyntaxNode, read: impl FnOnce(&mut Self)) {
        let outer = self.doubt;
        self.doubt = outer.or_else(|| guard(node));
        read(self);
        self.doubt = outer;
    }

    /// Reads a node in which new names may be bound.
    fn inside(&mut self, is_module: bool, read: impl FnOnce(&mut Self)) {
        let (scope, variables) = (self.scope, self.variables.len());
        self.scope = self.scopes.add(Some(scope), is_module);
        read(self);
        self.scope = scope;
        self.variables.truncate(variables);
    }

    fn children(&mut self, node: &SyntaxNode) {
        node.children().for_each(|child| self.node(&child));
    }

    fn visit(&mut self, node: Option<impl AstNode>) {
        if let Some(node) = node {
            self.node(node.syntax());
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Option<Origin>> {
        let own = self.variables.get(self.first..).unwrap_or_default();
        own.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub(super) fn block(&mut self, node: &SyntaxNode) {
        self.inside(false, |walk| {
            walk.declare(node);
            walk.children(node);
        });
    }

    fn node(&mut self, node: &SyntaxNode) {
        if node.children().any(|child| child.kind() == SyntaxKind::ATTR) && self.doubt.is_none() {
            self.guarded(node, |walk| walk.read(node));
        } else {
            self.read(node);
        }
    }

    fn read(&mut self, node: &SyntaxNode) {
        use SyntaxKind::*;
        match node.kind() {
            STMT_LIST => self.block(node),
            MODULE => self.module(node),
            FN => self.function(node),
            IMPL => self.implementation(node),
            STRUCT | ENUM | UNION | TRAIT | TYPE_ALIAS => self.inside(false, |walk| {
                walk.parameters(node);
                walk.children(node);
            }),
            USE => self.imported(node),
            ATTR => self.attribute(node),
            LET_STMT => self.let_statement(node),
            LET_EXPR => self.let_expression(node),
            IF_EXPR => self.condition(node),
            WHILE_EXPR | MATCH_ARM | CLOSURE_EXPR => {
                self.inside(false, |walk| walk.children(node));
            }
            FOR_EXPR => self.inside(false, |walk| walk.children(node)),
            MACRO_CALL => {
                if let Some(call) = ast::MacroCall::cast(node.clone()) {
                    self.macro_call(&call);
                }
            }
            PARAM => self.parameter(node),
            IDENT_PAT | TUPLE_STRUCT_PAT | RECORD_PAT | PATH_PAT => {
                if let Some(pattern) = ast::Pat::cast(node.clone()) {
                    self.pattern(&pattern, None);
                }
            }
            PATH_TYPE => {
                let path = ast::PathType::cast(node.clone()).and_then(|ty| ty.path());
                self.used_path(path.as_ref(), Space::Types);
                self.children(node);
            }
            MACRO_RULES | MACRO_DEF => {}
            _ if is_chain(node) => self.expression(node),
            _ => self.children(node),
        }
    }

    fn used_path(&mut self, path: Option<&ast::Path>, space: Space) {
        if let Some(found) = path.and_then(|path| self.path_origin(path, space)) {
            self.uses.uses.push(found.used());
        }
    }

    fn expression(&mut self, node: &SyntaxNode) {
        let Some(expression) = ast::Expr::cast(node.clone()) else { return self.children(node) };
        let Some(found) = self.origin(&expression) else {
            if let ast::Expr::RecordExpr(record) = &expression {
                self.used_path(record.path().as_ref(), Space::Types);
            }
            return self.children(node);
        };
        self.uses.uses.push(found.used());
        // The arguments inside of the chain; the chain itself has been used.
        let mut next = Some(expression);
        while let Some(expression) = next {
            next = match expression {
                ast::Expr::ParenExpr(inner) => inner.expr(),
                ast::Expr::RefExpr(inner) => inner.expr(),
                ast::Expr::AwaitExpr(inner) => inner.expr(),
                ast::Expr::TryExpr(inner) => inner.expr(),
                ast::Expr::FieldExpr(inner) => inner.expr(),
                ast::Expr::MethodCallExpr(call) => {
                    self.visit(ast::HasGenericArgs::generic_arg_list(&call));
                    self.visit(call.arg_list());
                    call.receiver()
                }
                ast::Expr::CallExpr(call) => {
                    self.visit(call.arg_list());
                    call.expr()
                }
                ast::Expr::RecordExpr(record) => {
                    self.visit(record.path());
                    self.visit(record.record_expr_field_list());
                    None
                }
                ast::Expr::PathExpr(path) => {
                    self.visit(path.path());
                    None
                }
                _ => None,
            };
        }
    }
}

/// Something with a name, without the mark for reserved words.
trait Named {
    fn called(&self) -> Option<String>;
}

impl<T: HasName> Named for T {
    fn called(&self) -> Option<String> {
        self.name().map(|name| name.text().trim_start_matches("r#").to_owned())
    }
}

/// Why what a node holds may not be there: a condition.
fn guard(node: &SyntaxNode) -> Option<Why> {
    let attributes = node.children().filter(|child| child.kind() == SyntaxKind::ATTR);
    let is_condition = |attribute: SyntaxNode| {
        let text: String = attribute.to_string().split_whitespace().collect();
        let text = text.trim_start_matches(['#', '!', '[']);
        text.starts_with("cfg(") && text != "cfg(test)]"
    };
    attributes.into_iter().any(is_condition).then_some(Why::Guarded)
}
