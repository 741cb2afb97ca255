//! Attributes that `__init__` gives to an instance, as members of its class.
//!
//! Only those that say something: annotated, documented, or a parameter that is annotated.

use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;

use super::declare::Place;
use super::scope::{Binding, Scope, Variable, What};
use super::text::{Text, literal};
use crate::Kind;
use crate::hashing::HashMap;

/// Adds them to the members of a class, which `body` is the body of.
pub(super) fn add(text: &Text<'_>, body: &[Stmt], members: &mut Scope, nesting_max: usize) {
    for statement in body {
        if let Stmt::FunctionDef(def) = statement
            && def.name.as_str() == "__init__"
        {
            of_constructor(text, def, members, nesting_max);
        }
    }
}

fn of_constructor(text: &Text<'_>, def: &StmtFunctionDef, members: &mut Scope, nesting_max: usize) {
    let parameters = def.parameters.iter_non_variadic_params();
    let annotations: HashMap<&str, &Expr> = parameters
        .filter_map(|parameter| {
            let parameter = &parameter.parameter;
            Some((parameter.name.as_str(), parameter.annotation.as_deref()?))
        })
        .collect();
    let mut todo: Vec<(&[Stmt], usize)> = vec![(&def.body, 0)];
    while let Some((body, depth)) = todo.pop() {
        for (at, statement) in body.iter().enumerate() {
            let (target, annotation, value) = match statement {
                Stmt::AnnAssign(assign) => {
                    (assign.target.as_ref(), Some(&*assign.annotation), assign.value.as_deref())
                }
                Stmt::Assign(assign) if assign.targets.len() == 1 => {
                    (&assign.targets[0], None, Some(&*assign.value))
                }
                Stmt::If(branch) if depth < nesting_max => {
                    todo.push((&branch.body, depth + 1));
                    let others = branch.elif_else_clauses.iter();
                    todo.extend(others.map(|clause| (clause.body.as_slice(), depth + 1)));
                    continue;
                }
                _ => continue,
            };
            let Expr::Attribute(attribute) = target else { continue };
            let of_self = matches!(attribute.value.as_ref(), Expr::Name(name) if name.id == "self");
            let name = attribute.attr.as_str();
            if !of_self || name.starts_with('_') {
                continue;
            }
            let after = body.get(at + 1).and_then(|next| match next {
                Stmt::Expr(next) => literal(&next.value).map(str::to_owned),
                _ => None,
            });
            let docs = after.or_else(|| text.remark(statement.range()));
            let of_parameter = match value {
                Some(Expr::Name(name)) => annotations.get(name.id.as_str()).copied(),
                _ => None,
            };
            let annotation = annotation.or(of_parameter).map(|annotation| text.of(annotation));
            if let Some(known) = members.get_mut(name) {
                known.docs = known.docs.take().or(docs);
                if let What::Variable(variable) = &mut known.what {
                    variable.annotation = variable.annotation.take().or(annotation);
                }
                continue;
            }
            if annotation.is_none() && docs.is_none() {
                continue;
            }
            let variable = Variable { kind: Kind::Variable, annotation, ..Variable::default() };
            let line = text.line(statement.start());
            let mut binding = Binding::new(name, line, What::Variable(variable), Place::default());
            binding.docs = docs;
            members.bind(binding);
        }
    }
}
