//! What code does to modules and objects when it runs, as far as it makes names.
//!
//! Called while a file is read. Feeds [`super::certain`], which says where all names are known: an
//! attribute that some function sets is there though no class declares it, and after
//! `setattr(x, name, …)` anything may be.

use ruff_python_ast::statement_visitor::{self, StatementVisitor};
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, Stmt};

use super::text::{dotted, literal};

/// Methods that only put back what was there before.
const RESTORING: &[&str] = &["__setstate__", "__copy__", "__deepcopy__", "__reduce__"];

/// What is done in a body, and in all that is inside of it.
#[derive(Debug, Default)]
pub(super) struct Deeds {
    /// Attributes that are set on `self` or `cls`.
    pub(super) own: Vec<String>,
    /// Attributes that are set on anything else.
    pub(super) given: Vec<String>,
    /// Names that functions bind in the module.
    pub(super) globals: Vec<String>,
    /// Attributes of `self` are set whose names only running would tell.
    pub(super) sets_own: bool,
    /// So are those of other objects.
    pub(super) sets_others: bool,
    /// So are names of the module.
    pub(super) sets_globals: bool,
}

pub(super) fn deeds(body: &[Stmt]) -> Deeds {
    let mut deeds = Deeds::default();
    deeds.visit_body(body);
    for names in [&mut deeds.own, &mut deeds.given, &mut deeds.globals] {
        names.sort_unstable();
        names.dedup();
    }
    deeds
}

impl Deeds {
    fn target(&mut self, target: &Expr) {
        match target {
            Expr::Attribute(attribute) => {
                if attribute.attr.as_str() == "__dict__" || attribute.attr.as_str() == "__class__" {
                    self.sets(&attribute.value);
                }
                let names = if is_own(&attribute.value) { &mut self.own } else { &mut self.given };
                names.push(attribute.attr.to_string());
            }
            Expr::Subscript(entry) => match entry.value.as_ref() {
                Expr::Attribute(table) if table.attr.as_str() == "__dict__" => {
                    self.sets(&table.value);
                }
                Expr::Attribute(_) => {
                    let named =
                        matches!(entry.slice.as_ref(), Expr::Name(name) if name.id == "__name__");
                    self.sets_globals |=
                        named && dotted(&entry.value).as_deref() == Some("sys.modules");
                }
                _ => {}
            },
            Expr::Tuple(parts) => parts.elts.iter().for_each(|part| self.target(part)),
            Expr::List(parts) => parts.elts.iter().for_each(|part| self.target(part)),
            Expr::Starred(part) => self.target(&part.value),
            _ => {}
        }
    }

    fn sets(&mut self, object: &Expr) {
        if is_own(object) {
            self.sets_own = true;
        } else {
            self.sets_others = true;
        }
    }

    fn call(&mut self, call: &ExprCall) {
        let arguments = &call.arguments.args;
        match call.func.as_ref() {
            Expr::Name(name) => match (name.id.as_str(), arguments.first()) {
                ("setattr" | "delattr", Some(object)) => match arguments.get(1).and_then(literal) {
                    Some(name) if is_own(object) => self.own.push(name.to_owned()),
                    Some(name) => self.given.push(name.to_owned()),
                    None => self.sets(object),
                },
                ("vars", Some(object)) => self.sets(object),
                ("vars" | "globals" | "exec" | "locals", _) => self.sets_globals = true,
                _ => {}
            },
            Expr::Attribute(method)
                if matches!(method.attr.as_str(), "update" | "setdefault" | "__setitem__") =>
            {
                if let Expr::Attribute(table) = method.value.as_ref()
                    && table.attr.as_str() == "__dict__"
                {
                    self.sets(&table.value);
                }
            }
            Expr::Attribute(method) if method.attr.as_str() == "__setattr__" => {
                // `object.__setattr__(self, "name", …)`, as frozen classes write it.
                let (object, name) = match arguments.as_ref() {
                    [object, name, _] => (object, name),
                    [name, _] => (method.value.as_ref(), name),
                    _ => return,
                };
                match literal(name) {
                    Some(name) => self.own.push(name.to_owned()),
                    None => self.sets(object),
                }
            }
            _ => {}
        }
    }
}

/// Whether a function's last statement returns `self`, and no other returns anything else.
pub(super) fn returns_self(body: &[Stmt]) -> bool {
    /// Whether all that was returned so far is `self`.
    struct Returns(bool);
    impl<'a> StatementVisitor<'a> for Returns {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            match statement {
                Stmt::Return(back) => self.0 &= back.value.as_deref().is_some_and(is_self),
                // What is defined inside returns for itself.
                Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
                other => statement_visitor::walk_stmt(self, other),
            }
        }
    }
    if !matches!(body.last(), Some(Stmt::Return(_))) {
        return false;
    }
    let mut returns = Returns(true);
    body.iter().for_each(|statement| returns.visit_stmt(statement));
    returns.0
}

fn is_self(value: &Expr) -> bool {
    matches!(value, Expr::Name(name) if name.id == "self")
}

fn is_own(object: &Expr) -> bool {
    matches!(object, Expr::Name(name) if matches!(name.id.as_str(), "self" | "cls"))
}

impl<'a> Visitor<'a> for Deeds {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(def) if RESTORING.contains(&def.name.as_str()) => return,
            Stmt::Assign(assign) => assign.targets.iter().for_each(|target| self.target(target)),
            Stmt::AnnAssign(assign) => self.target(&assign.target),
            Stmt::AugAssign(assign) => self.target(&assign.target),
            Stmt::For(each) => self.target(&each.target),
            Stmt::With(with) => {
                let targets = with.items.iter().filter_map(|item| item.optional_vars.as_deref());
                targets.for_each(|target| self.target(target));
            }
            Stmt::Global(global) => {
                self.globals.extend(global.names.iter().map(ToString::to_string));
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            self.call(call);
        }
        walk_expr(self, expression);
    }
}
