//! The signatures of items: the text of declarations with public names in it.
//!
//! A part of [`super::declare`]'s writer; [`super::signature`] tidies the text.

use std::rc::Rc;

use super::declare::{OVERLOADS_MAX, PublicNames, Writer};
use super::jsdoc::Doc;
use super::link::Target;
use super::program::{DeclarationKind, FileId, Range, SymbolId};
use super::signature::{self, Replacement};
use super::typed;
use crate::hashing::{HashMap, HashSet};

impl Writer<'_, '_> {
    /// The signatures of all declarations of a symbol, one line each, or several where they are long.
    pub(super) fn signatures(&mut self, symbol: SymbolId, name: &str, doc: Option<&Doc>) -> String {
        let declarations = &self.linker.program.symbols[symbol].declarations;
        let only_namespaces = declarations.iter().all(|one| one.kind == DeclarationKind::Namespace);
        let mut pieces = Vec::new();
        for one in declarations {
            if one.kind == DeclarationKind::Namespace && !only_namespaces {
                continue;
            }
            pieces.push((
                one.file,
                one.signature,
                one.name,
                one.prefix.clone(),
                one.written.clone(),
                one.kind,
            ));
        }
        let mut lines: Vec<String> = Vec::new();
        let mut headers: HashSet<String> = HashSet::default();
        for (file, range, place, prefix, written, kind) in pieces.into_iter().take(OVERLOADS_MAX) {
            let replaced = place.map(|place| (place, name));
            let mut text = match written {
                Some(written) => written.into(),
                None => format!("{prefix}{}", self.text(file, range, replaced)),
            };
            if kind == DeclarationKind::Namespace {
                text = format!("namespace {name}");
            }
            if self.linker.program.files[file].javascript
                && let Some(doc) = doc
            {
                text = typed::with_types(&text, doc, kind == DeclarationKind::Function);
            }
            // Interfaces merge: the same header again says nothing new.
            if headers.insert(text.clone()) {
                lines.push(text);
            }
        }
        lines.join("\n")
    }

    /// The tidied text of a range, with public names.
    pub(super) fn text(
        &mut self,
        file: FileId,
        range: Range,
        name: Option<Replacement<'_>>,
    ) -> String {
        let all = self.replacements_of(file);
        let from = all.partition_point(|(place, _)| place.start < range.start);
        let upto = all.partition_point(|(place, _)| place.start < range.end);
        let mut replacements: Vec<Replacement<'_>> =
            all[from..upto.max(from)].iter().map(|(place, with)| (*place, &**with)).collect();
        if let Some(name) = name {
            replacements.push(name);
            replacements.sort_unstable_by_key(|(place, _)| place.start);
        }
        signature::tidy(&self.linker.program.files[file].text, range, &replacements)
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
