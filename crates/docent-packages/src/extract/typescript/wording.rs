//! The signatures of items: the text of declarations with public names in it.
//!
//! A part of [`super::declare`]'s writer; [`super::signature`] tidies the text.

use std::rc::Rc;

use super::declare::{OVERLOADS_MAX, PublicNames, Writer};
use super::jsdoc::Doc;
use super::link::Target;
use super::program::{Declaration, DeclarationKind, FileId, Range, SymbolId};
use super::signature::{self, Replacement};
use super::typed;
use crate::hashing::HashMap;

impl Writer<'_, '_> {
    /// The signatures of all declarations of a symbol, one line each, or several where they are long.
    pub(super) fn signatures(&mut self, symbol: SymbolId, name: &str, doc: Option<&Doc>) -> String {
        let declarations = &self.linker.program.symbols[symbol].declarations;
        let is_namespace = |one: &Declaration| one.kind == DeclarationKind::Namespace;
        let only_namespaces = declarations.iter().all(is_namespace);
        let shown = declarations.iter().enumerate();
        let shown = shown.filter(|(_, one)| !is_namespace(one) || only_namespaces);
        let shown: Vec<(usize, FileId)> =
            shown.map(|(at, one)| (at, one.file)).take(OVERLOADS_MAX).collect();
        let mut lines: Vec<String> = Vec::new();
        for (at, file) in shown {
            let names = self.replacements_of(file);
            let one = &self.linker.program.symbols[symbol].declarations[at];
            let file = &self.linker.program.files[file];
            let mut text = match &one.written {
                _ if is_namespace(one) => format!("namespace {name}"),
                Some(written) => written.to_string(),
                None => {
                    let replaced = one.name.map(|place| (place, name));
                    let mut text = text(&file.text, one.signature, &names, replaced);
                    text.insert_str(0, &one.prefix);
                    text
                }
            };
            if file.javascript
                && let Some(doc) = doc
            {
                text = typed::with_types(&text, doc, one.kind == DeclarationKind::Function);
            }
            // Interfaces merge: the same header again says nothing new.
            if !lines.contains(&text) {
                lines.push(text);
            }
        }
        joined(lines)
    }

    /// The tidied text of a range, with public names.
    pub(super) fn text(&mut self, file: FileId, range: Range) -> String {
        let names = self.replacements_of(file);
        text(&self.linker.program.files[file].text, range, &names, None)
    }

    fn replacements_of(&mut self, file: FileId) -> PublicNames {
        if let Some(known) = self.replacements.get(&file) {
            return Rc::clone(known);
        }
        let scope = self.linker.program.files[file].scope;
        let references = std::mem::take(&mut self.linker.program.files[file].references);
        let mut names: HashMap<String, Option<Rc<str>>> = HashMap::default();
        let mut found = Vec::new();
        for range in references {
            let name = range.of(&self.linker.program.files[file].text).to_owned();
            if !names.contains_key(&name) {
                let public = self.public_name(scope, &name);
                names.insert(name.clone(), public);
            }
            if let Some(Some(public)) = names.get(&name) {
                found.push((range, Rc::clone(public)));
            }
        }
        let found = Rc::new(found);
        self.replacements.insert(file, Rc::clone(&found));
        found
    }

    /// The public name of what a file calls `name`, if it is another one.
    fn public_name(&mut self, scope: usize, name: &str) -> Option<Rc<str>> {
        // What only makes a signature nicer is not asked for.
        let quiet = std::mem::replace(&mut self.linker.quiet, true);
        let target = self.linker.lookup(scope, name);
        self.linker.quiet = quiet;
        let Some(Target::Symbol(symbol)) = target else { return None };
        let public = self.linker.public_names.get(&symbol)?;
        (**public != *name && &**public != "default").then(|| Rc::clone(public))
    }
}

/// The tidied text of a range, with public names and what else is to be replaced.
fn text(
    source: &str,
    range: Range,
    names: &[(Range, Rc<str>)],
    name: Option<Replacement<'_>>,
) -> String {
    let from = names.partition_point(|(place, _)| place.start < range.start);
    let upto = names.partition_point(|(place, _)| place.start < range.end);
    let names = names[from..upto.max(from)].iter().map(|(place, with)| (*place, &**with));
    let mut replacements: Vec<Replacement<'_>> = names.chain(name).collect();
    replacements.sort_unstable_by_key(|(place, _)| place.start);
    signature::tidy(source, range, &replacements)
}

/// Lines as one text.
pub(super) fn joined(mut lines: Vec<String>) -> String {
    if lines.len() == 1 { lines.swap_remove(0) } else { lines.join("\n") }
}
