//! From statements to bindings: the walk over the body of a module or class.
//!
//! Fed by [`super::module`] with a syntax tree. Branches are all taken: what a name means in the
//! first one counts, or in the newer one if the test is about versions. [`super::define`] has what
//! becomes of a single definition, [`super::all`] what is said about exports.

use std::cell::OnceCell;

use ruff_python_ast::{ExceptHandler, Expr, ExprCall, Stmt, StmtIf, StmtImport, StmtImportFrom};
use ruff_text_size::Ranged;

use super::added::{self, Added};
use super::all::Facts;
use super::branch::Test;
use super::dynamic::OfClasses;
use super::module::Module;
use super::scope::{Binding, Scope, What};
use super::text::{Text, literal};
use super::{define, docstring, dynamic, forward, property};

/// Where in the branches of its module a statement is.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) branch: u32,
    pub(super) fallback: bool,
    pub(super) for_types: bool,
    pub(super) depth: usize,
}

/// The file that is walked over.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) text: &'a Text<'a>,
    pub(super) deeds: &'a OfClasses<'a>,
    /// Whether a stub will ask for the defaults of parameters.
    pub(super) has_stub: bool,
    pub(super) nesting_max: usize,
}

/// The walk over one body.
struct Walk<'a> {
    reading: Reading<'a>,
    scope: Scope,
    added: Vec<Added>,
    branches: u32,
    /// What only a module has: its name, for imports, and what it says about exports.
    module: Option<(&'a Module, Facts)>,
}

/// Fills a module from its statements.
pub(super) fn module(
    module: &mut Module,
    text: &Text<'_>,
    body: &[Stmt],
    has_stub: bool,
    nesting_max: usize,
) {
    let (deeds, of_classes) = dynamic::deeds(body);
    let mut walk = Walk {
        reading: Reading { text, deeds: &of_classes, has_stub, nesting_max },
        scope: Scope::default(),
        added: Vec::new(),
        branches: 0,
        module: Some((&*module, Facts::default())),
    };
    walk.statements(body, Place::default());
    let Walk { mut scope, added, module: facts, .. } = walk;
    property::made_in(&mut scope, nesting_max);
    let facts = facts.map(|(_, facts)| facts).unwrap_or_default();
    module.docs = docstring::raw(body).map(str::to_owned);
    module.deprecated = define::warned(text, body);
    module.scope = scope;
    module.added = added;
    module.deeds = deeds;
    module.all = facts.all;
    module.stars = facts.stars;
    module.tables = facts.tables;
    module.attached = facts.attached;
    module.registered = facts.registered;
    module.forwards = facts.forwards;
    module.imported_late = facts.imported_late;
}

/// The members of a class.
pub(super) fn members(reading: Reading<'_>, body: &[Stmt], place: Place) -> Scope {
    let (scope, added) = (Scope::default(), Vec::new());
    let mut walk = Walk { reading, scope, added, branches: 0, module: None };
    let place = Place { depth: place.depth + 1, ..Place::default() };
    walk.statements(body, place);
    walk.scope
}

impl Walk<'_> {
    fn statements(&mut self, body: &[Stmt], place: Place) {
        if place.depth > self.reading.nesting_max {
            return;
        }
        for (at, statement) in body.iter().enumerate() {
            let next = body.get(at + 1);
            self.statement(statement, next, place);
        }
    }

    fn statement(&mut self, statement: &Stmt, next: Option<&Stmt>, place: Place) {
        let deeper = Place { depth: place.depth + 1, ..place };
        match statement {
            Stmt::FunctionDef(def) => {
                if let (Some((module, facts)), "__getattr__") =
                    (&mut self.module, def.name.as_str())
                {
                    facts.forwards.extend(forward::targets(module, def));
                    facts.imported_late.extend(forward::imports(module, def));
                }
                let binding = define::function(self.reading, def, place);
                self.bind(binding);
            }
            Stmt::ClassDef(def) => {
                let binding = define::class(self.reading, def, place);
                self.bind(binding);
            }
            Stmt::Assign(_) | Stmt::AnnAssign(_) | Stmt::TypeAlias(_) => {
                let after = next.and_then(|next| match next {
                    Stmt::Expr(next) => literal(&next.value).map(str::to_owned),
                    _ => None,
                });
                let docs = after.or_else(|| self.reading.text.remark(statement.range()));
                if let Some((_, facts)) = &mut self.module {
                    facts.assignment(self.reading.text, statement);
                }
                let property = match self.module {
                    None => property::assigned(self.reading.text, statement, &self.scope, place),
                    Some(_) => None,
                };
                let bindings = match property {
                    Some(property) => vec![property],
                    None => define::variables(self.reading.text, statement, place),
                };
                for mut binding in bindings {
                    if binding.docs.is_none() {
                        binding.docs.clone_from(&docs);
                    }
                    self.scope.bind(binding);
                }
            }
            Stmt::AugAssign(assign) => {
                if let Some((_, facts)) = &mut self.module {
                    facts.augmented(assign);
                }
            }
            Stmt::Expr(expression) => {
                if let (Expr::Call(call), Some((_, facts))) =
                    (expression.value.as_ref(), &mut self.module)
                {
                    facts.call(call);
                    self.document(call);
                }
            }
            Stmt::Delete(delete) if !place.fallback => {
                for target in &delete.targets {
                    if let Expr::Name(name) = target {
                        self.scope.delete(&name.id);
                    }
                }
            }
            Stmt::Import(import) => self.import(import, place),
            Stmt::ImportFrom(import) => self.import_from(import, place),
            Stmt::If(branches) => self.branches(branches, deeper),
            Stmt::Try(attempt) => {
                let (first, other) = (self.branch(deeper, false), self.branch(deeper, true));
                self.statements(&attempt.body, first);
                self.statements(&attempt.orelse, first);
                for handler in &attempt.handlers {
                    let ExceptHandler::ExceptHandler(handler) = handler;
                    self.statements(&handler.body, other);
                }
                self.statements(&attempt.finalbody, deeper);
            }
            Stmt::With(with) => self.statements(&with.body, deeper),
            Stmt::For(each) => self.statements(&each.body, deeper),
            Stmt::While(each) => self.statements(&each.body, deeper),
            _ => {}
        }
    }

    /// Documentation that a call gives to a name of the module, or to something elsewhere.
    fn document(&mut self, call: &ExprCall) {
        for added in added::by(call) {
            match self.scope.get_mut(&added.path).filter(|_| added.module.is_none()) {
                Some(binding) => binding.docs = binding.docs.take().or(Some(added.docs)),
                None => self.added.push(added),
            }
        }
    }

    fn bind(&mut self, binding: Option<Binding>) {
        if let Some(binding) = binding {
            self.scope.bind(binding);
        }
    }

    /// A place in a new branch.
    fn branch(&mut self, place: Place, fallback: bool) -> Place {
        self.branches += 1;
        Place { branch: self.branches, fallback: place.fallback || fallback, ..place }
    }

    /// All bodies of an `if`, the one that counts first.
    fn branches(&mut self, statement: &StmtIf, place: Place) {
        let mut bodies = vec![(Test::of(Some(&statement.test)), &statement.body)];
        for clause in &statement.elif_else_clauses {
            bodies.push((Test::of(clause.test.as_ref()), &clause.body));
        }
        let first = bodies[0].0;
        // What is for old versions or other platforms only fills gaps.
        bodies.sort_by_key(|(test, _)| *test == Test::Unlikely);
        let mut fallback = false;
        for (test, body) in bodies {
            if test == Test::Script {
                continue;
            }
            let mut inside = self.branch(place, fallback);
            inside.for_types |= test == Test::Types;
            if test == Test::Otherwise && first == Test::NotTypes {
                inside.for_types = true;
            }
            self.statements(body, inside);
            fallback = true;
        }
    }

    fn import(&mut self, statement: &StmtImport, place: Place) {
        if self.module.is_none() {
            return;
        }
        for alias in &statement.names {
            let full = alias.name.as_str();
            let (name, module) = match &alias.asname {
                Some(name) => (name.as_str(), full),
                None => {
                    let top = full.split('.').next().unwrap_or(full);
                    (top, top)
                }
            };
            let explicit = alias.asname.as_ref().is_some_and(|name| name.as_str() == full);
            let otherwise = Vec::new();
            let what = What::Import { module: module.to_owned(), attr: None, explicit, otherwise };
            let line = self.reading.text.line(statement.range.start());
            self.scope.bind(Binding::new(name, line, what, place));
        }
    }

    fn import_from(&mut self, statement: &StmtImportFrom, place: Place) {
        let Some((module, facts)) = &mut self.module else { return };
        let from = statement.module.as_ref().map(|name| name.as_str());
        let Some(from) = module.absolute(statement.level, from) else { return };
        let line = self.reading.text.line(statement.range.start());
        for alias in &statement.names {
            let attr = alias.name.as_str();
            if attr == "*" {
                facts.stars.push(from.clone());
                continue;
            }
            let name = alias.asname.as_ref().map_or(attr, |name| name.as_str());
            if name == "__all__" {
                facts.all_of_module(&from);
                continue;
            }
            let explicit = alias.asname.as_ref().is_some_and(|name| name.as_str() == attr);
            let (module, attr) = (from.clone(), Some(attr.to_owned()));
            let what = What::Import { module, attr, explicit, otherwise: Vec::new() };
            self.scope.bind(Binding::new(name, line, what, place));
        }
    }
}

impl Binding {
    pub(super) fn new(name: &str, line: u32, what: What, place: Place) -> Self {
        Self {
            name: name.to_owned(),
            line,
            what,
            docs: None,
            told: OnceCell::new(),
            deprecated: None,
            for_types: place.for_types,
            branch: place.branch,
            fallback: place.fallback,
            is_rebound: false,
        }
    }
}
