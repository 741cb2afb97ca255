//! What code does to modules and objects when it runs, as far as it makes names.
//!
//! Called while a file is read. Feeds [`super::certain`], which says where all names are known: an
//! attribute that some function sets is there though no class declares it, and after
//! `setattr(x, name, …)` anything may be.

use ruff_python_ast::statement_visitor::{self, StatementVisitor};
use ruff_python_ast::visitor::{Visitor, walk_body, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprCall, Stmt, StmtClassDef};
use ruff_text_size::{Ranged, TextSize};

use super::text::{dotted, literal};
use crate::hashing::HashMap;

/// Methods that only put back what was there before.
const RESTORING: &[&str] = &["__setstate__", "__copy__", "__deepcopy__", "__reduce__"];

/// What is done in a module, and in all that is inside of it.
#[derive(Debug, Default)]
pub(super) struct Deeds {
    /// Attributes that are set on anything but `self` or `cls`.
    pub(super) given: Vec<String>,
    /// Names that functions bind in the module.
    pub(super) globals: Vec<String>,
    /// Attributes of objects other than `self` are set whose names only running would tell.
    pub(super) sets_others: bool,
    /// So are names of the module.
    pub(super) sets_globals: bool,
}

/// What is done in a class, and in all that is inside of it.
#[derive(Debug, Default)]
pub(super) struct ClassDeeds<'a> {
    /// Attributes that are set on `self` or `cls`.
    pub(super) own: Vec<&'a str>,
    /// Attributes of `self` are set whose names only running would tell.
    pub(super) sets_own: bool,
    /// So are names of the module.
    pub(super) sets_globals: bool,
}

/// The deeds of classes that do any, by where they begin.
pub(super) type OfClasses<'a> = HashMap<TextSize, ClassDeeds<'a>>;

/// What a module does, and what each class in it does.
pub(super) fn deeds(body: &[Stmt]) -> (Deeds, OfClasses<'_>) {
    let mut walk = Walk::default();
    walk.visit_body(body);
    let Walk { given, globals, sets_others, here, classes } = walk;
    let owned = |names: Vec<&str>| sorted(names).into_iter().map(str::to_owned).collect();
    let (given, globals) = (owned(given), owned(globals));
    (Deeds { given, globals, sets_others, sets_globals: here.sets_globals }, classes)
}

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names.dedup();
    names
}

#[derive(Default)]
struct Walk<'a> {
    given: Vec<&'a str>,
    globals: Vec<&'a str>,
    sets_others: bool,
    /// What is done in the class at hand, or outside of all.
    here: ClassDeeds<'a>,
    classes: OfClasses<'a>,
}

impl<'a> Walk<'a> {
    fn class(&mut self, class: &'a StmtClassDef) {
        let outer = std::mem::take(&mut self.here);
        walk_body(self, &class.body);
        let inner = std::mem::replace(&mut self.here, outer);
        self.here.sets_own |= inner.sets_own;
        self.here.sets_globals |= inner.sets_globals;
        self.here.own.extend(&inner.own);
        if inner.sets_own || inner.sets_globals || !inner.own.is_empty() {
            let own = sorted(inner.own);
            self.classes.insert(class.start(), ClassDeeds { own, ..inner });
        }
    }

    fn target(&mut self, target: &'a Expr) {
        match target {
            Expr::Attribute(attribute) => {
                let name = attribute.attr.as_str();
                if matches!(name, "__dict__" | "__class__") {
                    self.sets(&attribute.value);
                }
                let is_own = is_own(&attribute.value);
                if is_own { &mut self.here.own } else { &mut self.given }.push(name);
            }
            Expr::Subscript(entry) => match entry.value.as_ref() {
                Expr::Attribute(table) if table.attr.as_str() == "__dict__" => {
                    self.sets(&table.value);
                }
                Expr::Attribute(_) => {
                    let named =
                        matches!(entry.slice.as_ref(), Expr::Name(name) if name.id == "__name__");
                    self.here.sets_globals |=
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
            self.here.sets_own = true;
        } else {
            self.sets_others = true;
        }
    }

    fn call(&mut self, call: &'a ExprCall) {
        let arguments = &call.arguments.args;
        match call.func.as_ref() {
            Expr::Name(name) => match (name.id.as_str(), arguments.first()) {
                ("setattr" | "delattr", Some(object)) => match arguments.get(1).and_then(literal) {
                    Some(name) if is_own(object) => self.here.own.push(name),
                    Some(name) => self.given.push(name),
                    None => self.sets(object),
                },
                ("vars", Some(object)) => self.sets(object),
                ("vars" | "globals" | "exec" | "locals", _) => self.here.sets_globals = true,
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
                    Some(name) => self.here.own.push(name),
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

impl<'a> Visitor<'a> for Walk<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(def) if RESTORING.contains(&def.name.as_str()) => return,
            Stmt::ClassDef(class) => {
                class.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                if let Some(parameters) = &class.type_params {
                    self.visit_type_params(parameters);
                }
                if let Some(arguments) = &class.arguments {
                    self.visit_arguments(arguments);
                }
                return self.class(class);
            }
            Stmt::Assign(assign) => assign.targets.iter().for_each(|target| self.target(target)),
            Stmt::AnnAssign(assign) => self.target(&assign.target),
            Stmt::AugAssign(assign) => self.target(&assign.target),
            Stmt::For(each) => self.target(&each.target),
            Stmt::With(with) => {
                let targets = with.items.iter().filter_map(|item| item.optional_vars.as_deref());
                targets.for_each(|target| self.target(target));
            }
            Stmt::Global(global) => {
                self.globals.extend(global.names.iter().map(|name| name.as_str()));
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
