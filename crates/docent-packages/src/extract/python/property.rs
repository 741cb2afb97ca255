//! Properties that are assigned: `x = property(get_x)`, or `x = field("x")` where `field` makes properties.
//!
//! Called by [`super::declare`] for the statements of a class, and for a whole module once its functions
//! are known.

use ruff_python_ast::{Expr, ExprCall, Stmt};
use ruff_text_size::Ranged;

use super::declare::Place;
use super::scope::{Binding, Function, Scope, What};
use super::signature;
use super::text::{Text, dotted, last, literal};
use crate::hashing::HashMap;

/// What makes a property of a function that it is given.
const MAKERS: &[&str] = &["cached_property", "property"];

/// The property that a statement in the body of a class assigns; `members` are those before it.
pub(super) fn assigned(
    text: &Text<'_>,
    statement: &Stmt,
    members: &Scope,
    place: Place,
) -> Option<Binding> {
    let Stmt::Assign(assign) = statement else { return None };
    let [Expr::Name(name)] = assign.targets.as_slice() else { return None };
    let call = property(&assign.value)?;
    let name = name.id.as_str();
    let argument = |at: usize, keyword: &str| {
        let by_keyword = call.arguments.find_keyword(keyword).map(|keyword| &keyword.value);
        call.arguments.args.get(at).or(by_keyword)
    };
    let method = |at, keyword| {
        let binding = members.get(&dotted(argument(at, keyword)?)?)?;
        let What::Function(function) = &binding.what else { return None };
        Some((binding, function))
    };
    let getter = method(0, "fget");
    let setter = method(1, "fset");
    let function = Function {
        decorators: vec![format!("@{}", text.of(&call.func))],
        text: getter.map_or_else(|| plain(name), |(of, it)| renamed(&it.text, &of.name, name)),
        setter: setter
            .map(|(of, it)| format!("@{name}.setter\n{}", renamed(&it.text, &of.name, name))),
        is_annotated: getter.is_some_and(|(_, getter)| getter.is_annotated),
        returns: getter.and_then(|(_, getter)| getter.returns.clone()),
        is_property: true,
        ..Function::default()
    };
    let line = text.line(statement.start());
    let mut binding = Binding::new(name, line, What::Function(function), place);
    let told = argument(3, "doc").and_then(literal).map(str::to_owned);
    binding.docs = told.or_else(|| getter?.0.docs.clone());
    Some(binding)
}

/// The getter of the property that a function returns, if it ends with that.
pub(super) fn made_by(text: &Text<'_>, body: &[Stmt]) -> Option<String> {
    let Some(Stmt::Return(end)) = body.last() else { return None };
    let getter = dotted(property(end.value.as_deref()?)?.arguments.args.first()?)?;
    let getter = body.iter().find_map(|statement| match statement {
        Stmt::FunctionDef(def) if def.name.as_str() == getter => Some(def),
        _ => None,
    });
    getter.map(|def| signature::function(text, def).0)
}

/// Makes properties of what the classes of a module have from functions in it that make them.
pub(super) fn made_in(scope: &mut Scope, nesting_max: usize) {
    let makers = scope.bindings.iter().filter_map(|binding| match &binding.what {
        What::Function(function) => Some((binding.name.clone(), function.makes_property.clone()?)),
        _ => None,
    });
    let makers: HashMap<String, String> = makers.collect();
    if !makers.is_empty() {
        make(scope, &makers, nesting_max);
    }
}

fn make(scope: &mut Scope, makers: &HashMap<String, String>, nesting_max: usize) {
    for binding in &mut scope.bindings {
        let What::Class(class) = &mut binding.what else { continue };
        for member in &mut class.members.bindings {
            let What::Variable(variable) = &mut member.what else { continue };
            let getter = variable.made_by.as_ref().and_then(|maker| makers.get(maker));
            let Some(getter) = getter else { continue };
            member.docs = member.docs.take().or_else(|| variable.prose.take());
            let of = getter.trim_start_matches("async ").trim_start_matches("def ");
            let of = of.split(['(', '[']).next().unwrap_or(of);
            member.what = What::Function(Function {
                decorators: vec!["@property".to_owned()],
                text: renamed(getter, of, &member.name),
                is_property: true,
                ..Function::default()
            });
        }
        if nesting_max > 0 {
            make(&mut class.members, makers, nesting_max - 1);
        }
    }
}

/// The call, if it makes a property.
fn property(value: &Expr) -> Option<&ExprCall> {
    let Expr::Call(call) = value else { return None };
    MAKERS.contains(&last(&dotted(&call.func)?)).then_some(call)
}

/// A getter of which nothing is known.
fn plain(name: &str) -> String {
    format!("def {name}(self)")
}

fn renamed(signature: &str, from: &str, to: &str) -> String {
    signature.replacen(&format!("def {from}"), &format!("def {to}"), 1)
}
