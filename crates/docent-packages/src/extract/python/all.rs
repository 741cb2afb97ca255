//! What a module says about its exports besides binding names: `__all__`, star imports, tables of
//! lazy imports, entries in `sys.modules`.
//!
//! Fed by [`super::declare`]; [`super::link`] puts the names together, since some are in other files.

use ruff_python_ast::{Expr, ExprCall, Operator, Stmt, StmtAugAssign};

use super::forward::Forward;
use super::module::AllPart;
use super::text::{Text, dotted, last, literal};
use crate::hashing::HashMap;

/// Terms of one `__all__` expression.
const TERMS_MAX: usize = 256;

/// What was said so far.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) all: Option<Vec<AllPart>>,
    pub(super) stars: Vec<String>,
    pub(super) tables: HashMap<String, Vec<(String, Vec<String>)>>,
    pub(super) attached: Vec<(String, Vec<String>)>,
    pub(super) registered: Vec<(String, String)>,
    pub(super) forwards: Vec<Forward>,
    pub(super) imported_late: HashMap<String, (String, String)>,
}

impl Facts {
    /// `__all__ = …`, a table of strings, or `sys.modules["a.b"] = c`.
    pub(super) fn assignment(&mut self, _text: &Text<'_>, statement: &Stmt) {
        let (targets, value): (Vec<&Expr>, &Expr) = match statement {
            Stmt::Assign(assign) => (assign.targets.iter().collect(), &assign.value),
            Stmt::AnnAssign(assign) => match &assign.value {
                Some(value) => (vec![&assign.target], value),
                None => return,
            },
            _ => return,
        };
        for target in targets {
            match target {
                Expr::Name(name) if name.id == "__all__" => {
                    let mut parts = Vec::new();
                    parts_of(value, &mut parts);
                    self.all = Some(parts);
                }
                Expr::Name(name) => {
                    if let Some(table) = table(value) {
                        self.tables.insert(name.id.to_string(), table);
                    }
                    if name.id == "__getattr__"
                        && let Expr::Call(call) = value
                    {
                        self.attach(call);
                    }
                }
                Expr::Tuple(names) => {
                    let lazy = names
                        .elts
                        .iter()
                        .any(|name| matches!(name, Expr::Name(name) if name.id == "__getattr__"));
                    if let (true, Expr::Call(call)) = (lazy, value) {
                        self.attach(call);
                    }
                }
                Expr::Subscript(entry) => {
                    let of = dotted(&entry.value).unwrap_or_default();
                    if of == "sys.modules"
                        && let (Some(public), Some(local)) = (literal(&entry.slice), dotted(value))
                    {
                        self.registered.push((public.to_owned(), local));
                    } else if let (Some(key), Some(names)) = (literal(&entry.slice), strings(value))
                        && let Some(table) = self.tables.get_mut(&of)
                    {
                        table.push((key.to_owned(), names));
                    }
                }
                _ => {}
            }
        }
    }

    /// `__all__ += …`.
    pub(super) fn augmented(&mut self, assign: &StmtAugAssign) {
        if assign.op == Operator::Add
            && matches!(assign.target.as_ref(), Expr::Name(name) if name.id == "__all__")
        {
            parts_of(&assign.value, self.all.get_or_insert_default());
        }
    }

    /// `__all__.extend(…)` and its like.
    pub(super) fn call(&mut self, call: &ExprCall) {
        let Some(name) = dotted(&call.func) else { return };
        let Some(method) = name.strip_prefix("__all__.") else { return };
        let all = self.all.get_or_insert_default();
        let argument = call.arguments.args.first();
        match (method, argument) {
            ("extend", Some(argument)) => parts_of(argument, all),
            ("append", Some(argument)) => match literal(argument) {
                Some(name) => all.push(AllPart::Name(name.to_owned())),
                None => all.push(AllPart::Unknown),
            },
            ("remove", Some(argument)) => {
                all.extend(literal(argument).map(|name| AllPart::Without(name.to_owned())));
            }
            _ => {}
        }
    }

    /// `from module import __all__`.
    pub(super) fn all_of_module(&mut self, module: &str) {
        self.all.get_or_insert_default().push(AllPart::OfModule(module.to_owned()));
    }

    /// `attach(__name__, submodules, {"submodule": ["name"]})`.
    fn attach(&mut self, call: &ExprCall) {
        let arguments = call.arguments.args.iter();
        let values = arguments.chain(call.arguments.keywords.iter().map(|keyword| &keyword.value));
        for value in values {
            if matches!(value, Expr::Dict(_)) {
                self.attached.extend(table(value).unwrap_or_default());
            } else if let Some(known) = dotted(value).and_then(|name| self.tables.get(&name)) {
                self.attached.extend(known.iter().cloned());
            }
        }
    }
}

/// The names and references in an expression that gives `__all__`; sums are taken apart from the
/// right with a list of what is left to do.
fn parts_of(value: &Expr, parts: &mut Vec<AllPart>) {
    let mut todo = vec![value];
    let mut terms = 0usize;
    while let Some(value) = todo.pop() {
        terms += 1;
        if terms > TERMS_MAX {
            parts.push(AllPart::Unknown);
            return;
        }
        match value {
            Expr::BinOp(sum) if matches!(sum.op, Operator::Add | Operator::BitOr) => {
                todo.push(&sum.right);
                todo.push(&sum.left);
            }
            Expr::List(list) => elements(&list.elts, parts),
            Expr::Tuple(tuple) => elements(&tuple.elts, parts),
            Expr::Set(set) => elements(&set.elts, parts),
            Expr::Name(_) | Expr::Attribute(_) => parts.push(reference(value)),
            Expr::Call(call) => {
                let function = dotted(&call.func).unwrap_or_default();
                let argument = call.arguments.args.first();
                match (last(&function), argument) {
                    ("list" | "tuple" | "sorted" | "set", Some(argument)) => todo.push(argument),
                    ("keys", None) => {
                        let table = function.strip_suffix(".keys").unwrap_or_default();
                        parts.push(AllPart::Table(table.to_owned()));
                    }
                    _ => parts.push(AllPart::Unknown),
                }
            }
            _ => parts.push(AllPart::Unknown),
        }
    }
}

fn elements(elements: &[Expr], parts: &mut Vec<AllPart>) {
    for element in elements {
        let part = match element {
            Expr::Starred(starred) => reference(&starred.value),
            other => match (literal(other), dotted(other)) {
                (Some(name), _) => AllPart::Name(name.to_owned()),
                // `Thing.__name__`
                (None, Some(name)) => match name.strip_suffix(".__name__") {
                    Some(name) => AllPart::Name(last(name).to_owned()),
                    None => AllPart::Unknown,
                },
                (None, None) => AllPart::Unknown,
            },
        };
        parts.push(part);
    }
}

fn reference(value: &Expr) -> AllPart {
    match dotted(value) {
        Some(name) => match name.strip_suffix(".__all__") {
            Some(module) => AllPart::Of(module.to_owned()),
            None => AllPart::Table(name),
        },
        None => AllPart::Unknown,
    }
}

/// A literal list of strings, as keys without values, or dictionary of strings.
fn table(value: &Expr) -> Option<Vec<(String, Vec<String>)>> {
    match value {
        Expr::Dict(dict) => {
            let entry = |item: &ruff_python_ast::DictItem| {
                let key = literal(item.key.as_ref()?)?.to_owned();
                let values = match literal(&item.value) {
                    Some(value) => vec![value.to_owned()],
                    None => strings(&item.value)?,
                };
                Some((key, values))
            };
            let rows: Vec<_> = dict.items.iter().filter_map(entry).collect();
            (!rows.is_empty()).then_some(rows)
        }
        other => {
            let names = strings(other)?;
            (!names.is_empty()).then(|| names.into_iter().map(|name| (name, Vec::new())).collect())
        }
    }
}

/// The strings of a literal list, tuple or set; other elements are passed over.
pub(super) fn strings(value: &Expr) -> Option<Vec<String>> {
    let elements = match value {
        Expr::List(list) => &list.elts,
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::Set(set) => &set.elts,
        _ => return None,
    };
    Some(elements.iter().filter_map(literal).map(str::to_owned).collect())
}
