//! Writes the items: modules, what is declared in them, and what belongs to that.

use std::rc::Rc;

use super::docs::with_note;
use super::place::{Entry, Place, PlacedModule, Places};
use super::world::{CrateId, Def, DefId, Needs, World};
use crate::{Item, Kind, Text};

/// Traits or types that are named in one line.
const NAMED_MAX: usize = 48;

pub(super) fn write(world: &World, places: &Places) -> Vec<Item> {
    let mut writer = Writer { world, places, items: Vec::new() };
    for (at, module) in places.modules.iter().enumerate() {
        writer.module(module);
        for entry in &module.entries {
            match entry {
                Entry::Def(def) => writer.def(*def, at),
                Entry::Crate { name, import } => writer.items.push(Item {
                    module: module.path.as_str().into(),
                    path: name.to_string(),
                    kind: Kind::Module,
                    signature: match import.path.as_slice() {
                        _ if import.is_extern_crate => format!("pub extern crate {name};"),
                        path if path.last() == Some(name) => format!("pub use {};", joined(path)),
                        path => format!("pub use {} as {name};", joined(path)),
                    }
                    .into(),
                    docs: import.docs.as_str().into(),
                    file: (&*import.file).into(),
                    line: import.line,
                    ..Item::default()
                }),
            }
        }
    }
    writer.items
}

fn joined(path: &[Rc<str>]) -> String {
    path.join("::")
}

struct Writer<'a> {
    world: &'a World,
    places: &'a Places,
    items: Vec<Item>,
}

impl Writer<'_> {
    fn module(&mut self, placed: &PlacedModule) {
        let module = &self.world.modules[placed.module];
        let mut docs = module.docs.clone();
        if let Some(import) = placed.import.as_ref().filter(|import| !import.docs.is_empty()) {
            docs = format!("{}\n\n{docs}", import.docs).trim_end().to_owned();
        }
        with_note(&mut docs, &placed.needs.note());
        let is_root = module.parent.is_none();
        let name = placed.path.rsplit("::").next().unwrap_or_default();
        self.items.push(Item {
            module: placed.path.as_str().into(),
            aliases: placed.aliases.iter().map(|path| (path.clone(), String::new())).collect(),
            kind: Kind::Module,
            signature: if is_root { Text::default() } else { format!("pub mod {name}").into() },
            docs: docs.into(),
            deprecated: module.deprecated.clone().map(Into::into),
            file: self.file(module.of, &module.file),
            line: module.line,
            ..Item::default()
        });
    }

    /// The file, with its package if that is another one.
    fn file(&self, of: CrateId, file: &str) -> Text {
        if of == 0 {
            return file.into();
        }
        let package = &self.world.crates[of].package;
        format!("{}@{}:{file}", package.name, package.version).into()
    }

    /// Something declared, if the module at hand is its best place.
    fn def(&mut self, id: DefId, at: usize) {
        let all = self.places.of.get(&id).map_or(&[][..], Vec::as_slice);
        let Some((best, others)) = all.split_first().filter(|(best, _)| best.module == at) else {
            return;
        };
        let def = &self.world.defs[id];
        // A variant that is exported by itself too is written with its enum, if that is shown.
        if def.owner.is_some_and(|owner| self.places.of.contains_key(&owner)) {
            return;
        }
        let parent = u32::try_from(self.items.len()).ok();
        let module = Text::from(&self.places.modules[at].path);
        let docs = self.docs(def, best);
        let aliases: Vec<(String, String)> = others
            .iter()
            .map(|place| (self.places.modules[place.module].path.clone(), place.name.to_string()))
            .collect();
        let deprecated = best.import.as_ref().and_then(|import| import.deprecated.clone());
        self.items.push(Item {
            module: module.clone(),
            path: best.name.to_string(),
            aliases,
            kind: def.kind,
            signature: renamed(&def.signature, &def.name, &best.name).into(),
            docs: docs.into(),
            deprecated: def.deprecated.clone().or(deprecated).map(Into::into),
            file: self.file(def.of, &def.file),
            line: def.line,
            ..Item::default()
        });
        self.variants(def, best, parent);
        for member in &def.members {
            let mut docs = member.docs.clone();
            with_note(&mut docs, &beyond(&member.needs, &def.needs.and(&best.needs)).note());
            self.items.push(Item {
                module: module.clone(),
                path: format!("{}.{}", best.name, member.name),
                kind: member.kind,
                signature: member.signature.as_str().into(),
                docs: docs.into(),
                deprecated: member.deprecated.clone().map(Into::into),
                file: self.file(def.of, &member.file),
                line: member.line,
                parent,
                ..Item::default()
            });
        }
    }

    fn variants(&mut self, def: &Def, best: &Place, parent: Option<u32>) {
        for &variant in &def.variants {
            let aliases = self.places.of.get(&variant).map_or(&[][..], Vec::as_slice).iter();
            let aliases = aliases.map(|place| {
                (self.places.modules[place.module].path.clone(), place.name.to_string())
            });
            let aliases = aliases.collect();
            let variant = &self.world.defs[variant];
            let mut docs = variant.docs.clone();
            with_note(&mut docs, &beyond(&variant.needs, &def.needs.and(&best.needs)).note());
            self.items.push(Item {
                module: self.places.modules[best.module].path.as_str().into(),
                path: format!("{}.{}", best.name, variant.name),
                aliases,
                kind: Kind::Variant,
                signature: variant.signature.as_str().into(),
                docs: docs.into(),
                deprecated: variant.deprecated.clone().map(Into::into),
                file: self.file(variant.of, &variant.file),
                line: variant.line,
                parent,
                ..Item::default()
            });
        }
    }

    fn docs(&self, def: &Def, best: &Place) -> String {
        let mut docs = def.docs.clone();
        if let Some(import) = best.import.as_ref().filter(|import| !import.docs.is_empty()) {
            docs = format!("{}\n\n{docs}", import.docs).trim_end().to_owned();
        }
        with_note(&mut docs, &def.needs.and(&best.needs).note());
        append(&mut docs, "Implements", &def.implements);
        append(&mut docs, "Implemented by", &def.implementors);
        docs
    }
}

/// What is needed that is not needed anyway.
fn beyond(needs: &Needs, already: &Needs) -> Needs {
    Needs(needs.0.iter().filter(|need| !already.0.contains(need)).cloned().collect())
}

fn append(docs: &mut String, word: &str, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let shown: Vec<String> = names.iter().take(NAMED_MAX).map(|name| format!("`{name}`")).collect();
    let more = match names.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    if !docs.is_empty() {
        docs.push_str("\n\n");
    }
    docs.push_str(&format!("{word} {}{more}.", shown.join(", ")));
}

/// A declaration under the name that it is exported by.
fn renamed(signature: &str, name: &str, shown: &str) -> String {
    if name == shown {
        return signature.to_owned();
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in signature.match_indices(name) {
        let before = signature[..at].chars().next_back();
        let after = signature[at + name.len()..].chars().next();
        if !before.is_some_and(is_word) && !after.is_some_and(is_word) {
            return [&signature[..at], shown, &signature[at + name.len()..]].concat();
        }
    }
    signature.to_owned()
}
