//! A module whose `__getattr__` asks another one for every name: what moved, and kept its old address.
//!
//! Or one that imports a name when it is asked for it. Fed by [`super::declare`]; [`super::link`]
//! follows the former like a star import.

use ruff_python_ast::{Expr, ExprCall, Stmt, StmtFunctionDef};

use super::module::Module;
use super::text::{dotted, literal};

/// Who is asked.
#[derive(Debug, PartialEq)]
pub(super) enum Forward {
    /// A module that is named in full.
    Module(String),
    /// What a dotted name in the module stands for.
    Local(String),
}

/// The modules that a `__getattr__` passes the name on to, whatever it is.
pub(super) fn targets(module: &Module, def: &StmtFunctionDef) -> Vec<Forward> {
    let Some(name) = def.parameters.iter_non_variadic_params().next() else { return Vec::new() };
    let name = name.parameter.name.as_str();
    let mut imports: Vec<(&str, String)> = Vec::new();
    let mut found = Vec::new();
    // What is behind a test is handed on for some names only.
    for statement in &def.body {
        let value = match statement {
            Stmt::Import(import) => {
                let named = import.names.iter().filter_map(|alias| {
                    Some((alias.asname.as_ref()?.as_str(), alias.name.to_string()))
                });
                imports.extend(named);
                continue;
            }
            Stmt::ImportFrom(import) => {
                let from = import.module.as_ref().map(|from| from.as_str());
                let Some(from) = module.absolute(import.level, from) else { continue };
                for alias in &import.names {
                    let local = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                    imports.push((local, format!("{from}.{}", alias.name)));
                }
                continue;
            }
            Stmt::Return(end) => end.value.as_deref(),
            Stmt::Assign(assign) => Some(&*assign.value),
            _ => None,
        };
        let Some(Expr::Call(call)) = value else { continue };
        found.extend(asked(call, name).map(|target| match target {
            Forward::Local(local) => {
                let known = imports.iter().find(|(known, _)| *known == local);
                known.map_or(Forward::Local(local), |(_, full)| Forward::Module(full.clone()))
            }
            target => target,
        }));
    }
    found
}

/// What a `__getattr__` imports, by name: the module and the name in it.
pub(super) fn imports(module: &Module, def: &StmtFunctionDef) -> Vec<(String, (String, String))> {
    let mut found = Vec::new();
    let mut open: Vec<&Stmt> = def.body.iter().collect();
    while let Some(statement) = open.pop() {
        match statement {
            Stmt::If(test) => {
                open.extend(&test.body);
                open.extend(test.elif_else_clauses.iter().flat_map(|clause| &clause.body));
            }
            Stmt::With(with) => open.extend(&with.body),
            Stmt::Try(attempt) => open.extend(&attempt.body),
            Stmt::ImportFrom(import) => {
                let from = import.module.as_ref().map(|from| from.as_str());
                let Some(from) = module.absolute(import.level, from) else { continue };
                found.extend(import.names.iter().map(|alias| {
                    let local = alias.asname.as_ref().unwrap_or(&alias.name);
                    (local.to_string(), (from.clone(), alias.name.to_string()))
                }));
            }
            _ => {}
        }
    }
    found
}

/// The module of `getattr(module, name)`.
fn asked(call: &ExprCall, name: &str) -> Option<Forward> {
    if dotted(&call.func)? != "getattr" || dotted(call.arguments.args.get(1)?)? != name {
        return None;
    }
    match call.arguments.args.first()? {
        Expr::Call(inner) if dotted(&inner.func)?.ends_with("import_module") => {
            let module = literal(inner.arguments.args.first()?)?;
            (!module.starts_with('.')).then(|| Forward::Module(module.to_owned()))
        }
        other => dotted(other).map(Forward::Local),
    }
}
