//! Documentation that code gives to things when it runs: `add_newdoc("pkg.core", "array", """…""")`,
//! `add_docstr(pkg.abs, """…""")`. What is compiled has no other.
//!
//! Found by [`super::declare`] among the statements of a module; [`super::items`] asks for it where
//! nothing else is said.

use ruff_python_ast::{Expr, ExprCall};

use super::docstring::{self, Docs};
use super::items::Writer;
use super::link::Linker;
use super::modules::Id;
use super::text::{dotted, last, literal};
use crate::hashing::HashMap;

/// Lines before the one that ends the signature of a compiled function.
const SIGNATURE_LINES_MAX: usize = 24;

/// What one call says.
#[derive(Debug, PartialEq)]
pub(super) struct Added {
    /// The module that it is in, if that is given apart.
    pub(super) module: Option<String>,
    /// The dotted name.
    pub(super) path: String,
    pub(super) docs: String,
}

/// What a call adds, if it is one that does.
pub(super) fn by(call: &ExprCall) -> Vec<Added> {
    let name = dotted(&call.func).unwrap_or_default();
    let name = last(&name).trim_start_matches('_');
    if !name.starts_with("add") || !name.contains("doc") {
        return Vec::new();
    }
    match call.arguments.args.as_ref() {
        [target, docs] => {
            let added = dotted(target).zip(text(docs));
            let added = added.map(|(path, docs)| Added { module: None, path, docs });
            added.into_iter().collect()
        }
        [module, path, docs, ..] => {
            let Some((module, path)) = literal(module).zip(literal(path)) else {
                return Vec::new();
            };
            let added = |path: String, docs| {
                let module = Some(module.to_owned());
                Added { module, path, docs }
            };
            let member = |pair: &Expr| {
                let Expr::Tuple(pair) = pair else { return None };
                let [member, docs] = pair.elts.as_slice() else { return None };
                Some(added(format!("{path}.{}", literal(member)?), text(docs)?))
            };
            match docs {
                Expr::List(pairs) => pairs.elts.iter().filter_map(member).collect(),
                Expr::Tuple(_) => member(docs).into_iter().collect(),
                _ => text(docs).map(|docs| added(path.to_owned(), docs)).into_iter().collect(),
            }
        }
        _ => Vec::new(),
    }
}

/// The literal, also one that is filled in.
fn text(docs: &Expr) -> Option<String> {
    let literal = match docs {
        Expr::Call(call) => match call.func.as_ref() {
            Expr::Attribute(method) if method.attr.as_str() == "format" => literal(&method.value),
            _ => None,
        },
        other => literal(other),
    };
    literal.map(|text| without_signature(text).to_owned())
}

/// Without the signature that compiled functions are given in their documentation, up to a line `--`.
fn without_signature(docs: &str) -> &str {
    let mut end = 0;
    for line in docs.split_inclusive('\n').take(SIGNATURE_LINES_MAX) {
        end += line.len();
        if line.trim() == "--" {
            return &docs[end..];
        }
    }
    docs
}

/// All that the modules of a distribution add, by the name of what it is about.
pub(super) struct Elsewhere(HashMap<String, Vec<(Option<String>, Docs)>>);

impl Elsewhere {
    pub(super) fn read(linker: &Linker<'_, '_>) -> Self {
        let mut found: HashMap<String, Vec<(Option<String>, Docs)>> = HashMap::default();
        let modules = linker.modules.layout.modules.iter();
        // They are in files of their own, which nothing else leads to.
        let telling = modules.filter(|(name, entry)| entry.is_own && last(name).contains("docs"));
        for (name, _) in telling {
            let Some(id) = linker.modules.id(name) else { continue };
            let source = linker.modules.get(linker.modules.twin(id).unwrap_or(id));
            for added in &source.added {
                let docs = docstring::read(&added.docs);
                let (module, path) = match &added.module {
                    Some(module) => (Some(module.clone()), added.path.as_str()),
                    None => (None, last(&added.path)),
                };
                found.entry(path.to_owned()).or_default().push((module, docs));
            }
        }
        Self(found)
    }
}

impl Writer<'_, '_, '_> {
    /// What is said elsewhere of something in a module that has no source there.
    pub(super) fn added(&self, module: Id, path: &str) -> Option<&Docs> {
        let found = self.elsewhere.0.get(path)?;
        let name = &self.linker.modules.get(module).name;
        let here = found.iter().find(|(module, _)| module.as_ref() == Some(name));
        // Where it is compiled need not be where the stub has it, but the name is the same.
        here.or(match found.as_slice() {
            [only] => Some(only),
            _ => None,
        })
        .map(|(_, docs)| docs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_of_compiled_functions_are_left_out() {
        let check = |docs, expected| assert_eq!(without_signature(docs), expected);
        check("copy($self, /)\n--\n\nCopies.", "\nCopies.");
        check("\n    f(\n        a,\n    )\n    --\n\n    Text.", "\n    Text.");
        check("Plain text.\n\nMore.", "Plain text.\n\nMore.");
        check("", "");
    }
}
