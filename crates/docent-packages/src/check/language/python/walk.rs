//! The walk over a Python file: bindings, chains, and what the code is ready to do without.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    Arguments, Comprehension, ExceptHandler, Expr, ExprCall, Parameters, Pattern, Stmt, StmtImport,
    StmtImportFrom, StmtTry,
};
use ruff_text_size::Ranged;

use super::scopes::{Bound, Chain, ScopeId, Scopes};
use crate::check::found::Why;
use crate::check::uses::{At, Call, Step, Use, Uses};

/// Exceptions that say that something is not there.
const ABSENCE: &[&str] = &["AttributeError", "ImportError", "ModuleNotFoundError", "TypeError"];

/// Words of a test that is about which version of something is there.
const VERSIONS: &[&str] =
    &["version", "hasattr", "find_spec", "has_", "_v1", "_v2", "compat", "is_v", "py3", "py2"];

pub(super) struct Walk<'t> {
    text: &'t str,
    scope: ScopeId,
    /// Whether the code is ready for what is missing here.
    guarded: bool,
    pub(super) scopes: Scopes,
    pub(super) chains: Vec<Chain>,
    pub(super) imports: Vec<Use>,
    pub(super) uses: Uses,
}

impl<'t> Walk<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            scope: 0,
            guarded: false,
            scopes: Scopes::new(),
            chains: Vec::new(),
            imports: Vec::new(),
            uses: Uses::default(),
        }
    }

    pub(super) fn module(&mut self, body: &[Stmt]) {
        self.visit_body(body);
    }

    fn doubt(&self) -> Option<Why> {
        self.guarded.then_some(Why::Guarded)
    }

    fn inside(&mut self, is_class: bool, visit: impl FnOnce(&mut Self)) {
        let outer = self.scope;
        self.scope = self.scopes.add(outer, is_class);
        visit(self);
        self.scope = outer;
    }

    fn guarded_by(&mut self, guard: bool, visit: impl FnOnce(&mut Self)) {
        let outer = self.guarded;
        self.guarded |= guard;
        visit(self);
        self.guarded = outer;
    }

    fn bind(&mut self, name: &str, bound: Bound) {
        self.scopes.bind(self.scope, name, bound);
    }

    /// Binds the names of a target; a single name to a chain, if there is one.
    fn target(&mut self, target: &Expr, value: Option<Chain>) {
        match target {
            Expr::Name(name) => {
                let bound = value.map_or(Bound::Other, Bound::Value);
                self.bind(name.id.as_str(), bound);
            }
            Expr::Tuple(parts) => parts.elts.iter().for_each(|part| self.target(part, None)),
            Expr::List(parts) => parts.elts.iter().for_each(|part| self.target(part, None)),
            Expr::Starred(part) => self.target(&part.value, None),
            Expr::Attribute(attribute) => {
                self.uses.guarded.insert(attribute.attr.to_string());
                self.visit_expr(&attribute.value);
            }
            other => self.visit_expr(other),
        }
    }

    fn import(&mut self, statement: &StmtImport) {
        for alias in &statement.names {
            let full = alias.name.as_str();
            let at: At = alias.name.range.start().to_u32();
            let used = |module: &str| Use {
                module: module.to_owned(),
                at,
                steps: Vec::new(),
                doubt: self.doubt(),
            };
            let whole = used(full);
            let (name, bound) = match &alias.asname {
                Some(name) => (name.as_str(), whole.clone()),
                None => {
                    let top = full.split('.').next().unwrap_or(full);
                    (top, used(top))
                }
            };
            self.imports.push(whole);
            self.bind(name, Bound::Import(bound));
        }
    }

    fn import_from(&mut self, statement: &StmtImportFrom) {
        let module = statement.module.as_ref();
        let module = module.filter(|_| statement.level == 0);
        for alias in &statement.names {
            let name = alias.name.as_str();
            if name == "*" {
                self.scopes.star(self.scope);
                if let Some(module) = module {
                    let at = module.range.start().to_u32();
                    let of = format!("from {} import *", module.as_str());
                    self.uses.doubts.push((Why::Star, of, at));
                }
                continue;
            }
            let local = alias.asname.as_ref().map_or(name, |local| local.as_str());
            let Some(module) = module else {
                self.bind(local, Bound::Other);
                continue;
            };
            let at = alias.name.range.start().to_u32();
            let found = Use {
                module: module.to_string(),
                at: module.range.start().to_u32(),
                steps: vec![Step::Name { name: name.to_owned(), at }],
                doubt: self.doubt(),
            };
            self.imports.push(found.clone());
            // What comes from the future is about the language.
            if module.as_str() != "__future__" {
                self.bind(local, Bound::Import(found));
            }
        }
    }

    /// The chain that an expression is, down to a name.
    fn chain(&self, expression: &Expr) -> Option<Chain> {
        let mut steps = Vec::new();
        let mut next = expression;
        loop {
            match next {
                Expr::Attribute(attribute) => {
                    let at = attribute.attr.range.start().to_u32();
                    steps.push(Step::Name { name: attribute.attr.to_string(), at });
                    next = &attribute.value;
                }
                Expr::Call(call) => {
                    steps.push(Step::Call(passed(&call.arguments)));
                    next = &call.func;
                }
                Expr::Await(wait) => {
                    steps.push(Step::Await);
                    next = &wait.value;
                }
                Expr::Name(name) => {
                    steps.reverse();
                    let root = name.id.to_string();
                    return Some(Chain { scope: self.scope, root, steps, doubt: self.doubt() });
                }
                _ => return None,
            }
        }
    }

    /// The arguments inside of a chain, and what it begins with.
    fn rest_of_chain(&mut self, expression: &Expr) {
        let mut next = expression;
        loop {
            match next {
                Expr::Attribute(attribute) => next = &attribute.value,
                Expr::Call(call) => {
                    self.asks(call);
                    self.arguments(&call.arguments);
                    next = &call.func;
                }
                Expr::Await(wait) => next = &wait.value,
                Expr::Name(_) => return,
                other => return self.visit_expr(other),
            }
        }
    }

    fn arguments(&mut self, arguments: &Arguments) {
        arguments.args.iter().for_each(|argument| self.visit_expr(argument));
        arguments.keywords.iter().for_each(|keyword| self.visit_expr(&keyword.value));
    }

    /// `hasattr(x, "name")` and its like.
    fn asks(&mut self, call: &ExprCall) {
        let Expr::Name(function) = call.func.as_ref() else { return };
        if !matches!(function.id.as_str(), "hasattr" | "getattr" | "setattr" | "delattr") {
            return;
        }
        match call.arguments.args.get(1) {
            Some(Expr::StringLiteral(name)) => {
                self.uses.guarded.insert(name.value.to_str().to_owned());
            }
            Some(other) => {
                let at = other.range().start().to_u32();
                self.uses.doubts.push((Why::Computed, format!("{}(…)", function.id), at));
            }
            None => {}
        }
    }

    fn parameters(&mut self, parameters: &Parameters) {
        for parameter in parameters {
            self.bind(parameter.name().as_str(), Bound::Other);
        }
    }

    /// What is evaluated where a function is defined: defaults and annotations.
    fn around_parameters(&mut self, parameters: &Parameters) {
        for parameter in parameters {
            if let Some(default) = parameter.default() {
                self.visit_expr(default);
            }
            if let Some(annotation) = parameter.annotation() {
                self.visit_expr(annotation);
            }
        }
    }

    fn attempt(&mut self, attempt: &StmtTry) {
        let mut catches = false;
        for ExceptHandler::ExceptHandler(handler) in &attempt.handlers {
            let is_absence = |expression: &Expr| {
                let name = match expression {
                    Expr::Name(name) => name.id.as_str(),
                    Expr::Attribute(attribute) => attribute.attr.as_str(),
                    _ => "",
                };
                ABSENCE.contains(&name)
            };
            catches |= match handler.type_.as_deref() {
                // Only an import is tried with no word about what may go wrong.
                None => attempt.body.iter().all(is_import),
                Some(Expr::Tuple(all)) => all.elts.iter().any(is_absence),
                Some(Expr::Name(name)) if name.id == "Exception" => {
                    attempt.body.iter().all(is_import)
                }
                Some(one) => is_absence(one),
            };
        }
        self.guarded_by(catches, |walk| {
            walk.visit_body(&attempt.body);
            walk.visit_body(&attempt.orelse);
            for ExceptHandler::ExceptHandler(handler) in &attempt.handlers {
                if let Some(of) = &handler.type_ {
                    walk.visit_expr(of);
                }
                if let Some(name) = &handler.name {
                    walk.bind(name.as_str(), Bound::Other);
                }
                walk.visit_body(&handler.body);
            }
        });
        self.visit_body(&attempt.finalbody);
    }

    /// Whether a test is about which version of something is there.
    fn is_about_versions(&self, test: &Expr) -> bool {
        let range = test.range();
        let text = self.text.get(range.start().to_usize()..range.end().to_usize());
        let text = text.unwrap_or_default().to_ascii_lowercase();
        VERSIONS.iter().any(|word| text.contains(word))
    }

    fn generators(&mut self, generators: &[Comprehension]) {
        for generator in generators {
            self.visit_expr(&generator.iter);
            self.target(&generator.target, None);
            generator.ifs.iter().for_each(|test| self.visit_expr(test));
        }
    }
}

fn is_import(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Import(_) | Stmt::ImportFrom(_) | Stmt::Assign(_) | Stmt::Pass(_))
}

fn passed(arguments: &Arguments) -> Call {
    let keywords = arguments.keywords.iter().filter_map(|keyword| {
        let name = keyword.arg.as_ref()?;
        Some((name.to_string(), name.range.start().to_u32()))
    });
    Call { keywords: keywords.collect(), ..Call::default() }
}

impl<'a> Visitor<'a> for Walk<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => self.import(import),
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::FunctionDef(def) => {
                self.bind(def.name.as_str(), Bound::Other);
                def.decorator_list.iter().for_each(|one| self.visit_expr(&one.expression));
                self.around_parameters(&def.parameters);
                if let Some(returns) = &def.returns {
                    self.visit_expr(returns);
                }
                self.inside(false, |walk| {
                    if let Some(generics) = &def.type_params {
                        generics
                            .iter()
                            .for_each(|one| walk.bind(one.name().as_str(), Bound::Other));
                    }
                    walk.parameters(&def.parameters);
                    walk.visit_body(&def.body);
                });
            }
            Stmt::ClassDef(def) => {
                self.bind(def.name.as_str(), Bound::Other);
                def.decorator_list.iter().for_each(|one| self.visit_expr(&one.expression));
                if let Some(arguments) = &def.arguments {
                    self.arguments(arguments);
                }
                self.inside(true, |walk| {
                    if let Some(generics) = &def.type_params {
                        generics
                            .iter()
                            .for_each(|one| walk.bind(one.name().as_str(), Bound::Other));
                    }
                    walk.visit_body(&def.body);
                });
            }
            Stmt::Assign(assign) => {
                self.visit_expr(&assign.value);
                let chain = self.chain(&assign.value);
                for target in &assign.targets {
                    self.target(target, chain.clone());
                }
            }
            Stmt::AnnAssign(assign) => {
                self.visit_expr(&assign.annotation);
                let mut chain = None;
                if let Some(value) = &assign.value {
                    self.visit_expr(value);
                    chain = self.chain(value);
                }
                self.target(&assign.target, chain);
            }
            Stmt::AugAssign(assign) => {
                self.visit_expr(&assign.value);
                self.target(&assign.target, None);
            }
            Stmt::TypeAlias(alias) => {
                self.visit_expr(&alias.value);
                self.target(&alias.name, None);
            }
            Stmt::For(each) => {
                self.visit_expr(&each.iter);
                self.target(&each.target, None);
                self.visit_body(&each.body);
                self.visit_body(&each.orelse);
            }
            Stmt::With(with) => {
                for item in &with.items {
                    self.visit_expr(&item.context_expr);
                    let chain = self.chain(&item.context_expr).map(|mut chain| {
                        chain.steps.push(Step::Enter);
                        chain
                    });
                    if let Some(target) = &item.optional_vars {
                        self.target(target, chain);
                    }
                }
                self.visit_body(&with.body);
            }
            Stmt::If(branches) => {
                let guard = self.is_about_versions(&branches.test)
                    || branches.elif_else_clauses.iter().any(|clause| {
                        clause.test.as_ref().is_some_and(|test| self.is_about_versions(test))
                    });
                self.visit_expr(&branches.test);
                self.guarded_by(guard, |walk| {
                    walk.visit_body(&branches.body);
                    for clause in &branches.elif_else_clauses {
                        if let Some(test) = &clause.test {
                            walk.visit_expr(test);
                        }
                        walk.visit_body(&clause.body);
                    }
                });
            }
            Stmt::Try(attempt) => self.attempt(attempt),
            Stmt::Global(global) => {
                for name in &global.names {
                    self.scopes.rebind_above(self.scope, name.as_str());
                }
            }
            Stmt::Nonlocal(nonlocal) => {
                for name in &nonlocal.names {
                    self.scopes.rebind_above(self.scope, name.as_str());
                }
            }
            Stmt::Delete(delete) => {
                delete.targets.iter().for_each(|target| self.target(target, None));
            }
            other => visitor::walk_stmt(self, other),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Attribute(_) | Expr::Call(_) | Expr::Await(_) => {
                self.chains.extend(self.chain(expression));
                self.rest_of_chain(expression);
            }
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                self.target(&named.target, None);
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.around_parameters(parameters);
                }
                self.inside(false, |walk| {
                    if let Some(parameters) = &lambda.parameters {
                        walk.parameters(parameters);
                    }
                    walk.visit_expr(&lambda.body);
                });
            }
            Expr::If(conditional) => {
                let guard = self.is_about_versions(&conditional.test);
                self.visit_expr(&conditional.test);
                self.guarded_by(guard, |walk| {
                    walk.visit_expr(&conditional.body);
                    walk.visit_expr(&conditional.orelse);
                });
            }
            Expr::ListComp(all) => self.inside(false, |walk| {
                walk.generators(&all.generators);
                walk.visit_expr(&all.elt);
            }),
            Expr::SetComp(all) => self.inside(false, |walk| {
                walk.generators(&all.generators);
                walk.visit_expr(&all.elt);
            }),
            Expr::Generator(all) => self.inside(false, |walk| {
                walk.generators(&all.generators);
                walk.visit_expr(&all.elt);
            }),
            Expr::DictComp(all) => self.inside(false, |walk| {
                walk.generators(&all.generators);
                if let Some(key) = &all.key {
                    walk.visit_expr(key);
                }
                walk.visit_expr(&all.value);
            }),
            other => visitor::walk_expr(self, other),
        }
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        match pattern {
            Pattern::MatchAs(named) => {
                if let Some(name) = &named.name {
                    self.bind(name.as_str(), Bound::Other);
                }
            }
            Pattern::MatchStar(rest) => {
                if let Some(name) = &rest.name {
                    self.bind(name.as_str(), Bound::Other);
                }
            }
            Pattern::MatchMapping(mapping) => {
                if let Some(name) = &mapping.rest {
                    self.bind(name.as_str(), Bound::Other);
                }
            }
            _ => {}
        }
        visitor::walk_pattern(self, pattern);
    }
}
