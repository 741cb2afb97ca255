//! Writes the items: modules, what is declared in them, and what belongs to that.

use std::rc::Rc;

use super::docs::with_note;
use super::place::{Entry, Place, PlacedModule, Places};
use super::returned::Returned;
use super::world::{CrateId, DefId, Needs, World};
use crate::hashing::HashMap;
use crate::{Item, Kind, Text};

/// Traits or types that are named in one line.
const NAMED_MAX: usize = 48;

/// The items, and what each of them is about.
#[derive(Default)]
pub(super) struct Written {
    pub(super) items: Vec<Item>,
    /// The item of each module of the places.
    pub(super) modules: Vec<u32>,
    /// The items of declarations.
    pub(super) defs: HashMap<DefId, u32>,
    /// The items of members, the declarations that they belong to, and the types of their values.
    pub(super) members: Vec<(u32, DefId, Returned)>,
}

/// Each text goes from the world into its item, so that large crates are not in memory twice.
pub(super) fn write(world: &mut World, places: &Places) -> Written {
    let mut writer = Writer { world, places, items: Vec::new(), written: Written::default() };
    for (at, module) in places.modules.iter().enumerate() {
        let position = writer.position();
        writer.written.modules.push(position);
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
    let Writer { items, written, .. } = writer;
    Written { items, ..written }
}

fn joined(path: &[Rc<str>]) -> String {
    path.join("::")
}

struct Writer<'a> {
    world: &'a mut World,
    places: &'a Places,
    items: Vec<Item>,
    written: Written,
}

impl Writer<'_> {
    /// The position of the next item.
    fn position(&self) -> u32 {
        u32::try_from(self.items.len()).unwrap_or(u32::MAX)
    }

    fn module(&mut self, placed: &PlacedModule) {
        let mut docs = std::mem::take(&mut self.world.modules[placed.module].docs);
        let module = &self.world.modules[placed.module];
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
        let places = self.places;
        let all = places.of.get(&id).map_or(&[][..], Vec::as_slice);
        let Some((best, others)) = all.split_first().filter(|(best, _)| best.module == at) else {
            return;
        };
        // A variant that is exported by itself too is written with its enum, if that is shown.
        if self.world.defs[id].owner.is_some_and(|owner| self.places.of.contains_key(&owner)) {
            return;
        }
        let parent = Some(self.position());
        self.written.defs.insert(id, self.position());
        let module = Text::from(&places.modules[at].path);
        let docs = self.docs(id, best);
        let members = std::mem::take(&mut self.world.defs[id].members);
        let variants = self.world.defs[id].variants.clone();
        let signature = std::mem::take(&mut self.world.defs[id].signature);
        let def = &self.world.defs[id];
        let needs = def.needs.and(&best.needs);
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
            signature: renamed(signature, &def.name, &best.name).into(),
            docs: docs.into(),
            deprecated: def.deprecated.clone().or(deprecated).map(Into::into),
            file: self.file(def.of, &def.file),
            line: def.line,
            ..Item::default()
        });
        self.variants(&variants, best, &needs, parent);
        for member in members {
            let position = self.position();
            let returned = member.returned.map(|returned| (position, id, returned));
            self.written.members.extend(returned);
            let mut docs = member.docs;
            with_note(&mut docs, &member.needs.beyond(&needs).note());
            self.items.push(Item {
                module: module.clone(),
                path: format!("{}.{}", best.name, member.name),
                kind: member.kind,
                signature: member.signature.into(),
                docs: docs.into(),
                deprecated: member.deprecated.map(Into::into),
                file: self.file(member.of, &member.file),
                line: member.line,
                parent,
                ..Item::default()
            });
        }
    }

    fn variants(&mut self, all: &[DefId], best: &Place, needs: &Needs, parent: Option<u32>) {
        for &variant in all {
            let aliases = self.places.of.get(&variant).map_or(&[][..], Vec::as_slice).iter();
            let aliases = aliases.map(|place| {
                (self.places.modules[place.module].path.clone(), place.name.to_string())
            });
            let aliases = aliases.collect();
            self.written.defs.insert(variant, self.position());
            let mut docs = std::mem::take(&mut self.world.defs[variant].docs);
            let variant = &self.world.defs[variant];
            with_note(&mut docs, &variant.needs.beyond(needs).note());
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

    fn docs(&mut self, id: DefId, best: &Place) -> String {
        let mut docs = std::mem::take(&mut self.world.defs[id].docs);
        let def = &self.world.defs[id];
        if let Some(import) = best.import.as_ref().filter(|import| !import.docs.is_empty()) {
            docs = format!("{}\n\n{docs}", import.docs).trim_end().to_owned();
        }
        with_note(&mut docs, &def.needs.and(&best.needs).note());
        append(&mut docs, "Implements", &def.implements);
        append(&mut docs, "Implemented by", &def.implementors);
        docs
    }
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
fn renamed(signature: String, name: &str, shown: &str) -> String {
    if name == shown {
        return signature;
    }
    if let Some(path) = signature.strip_prefix("pub use ") {
        let path = path.trim_end_matches(';').split(" as ").next().unwrap_or(path);
        return format!("pub use {path} as {shown};");
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in signature.match_indices(name) {
        let before = signature[..at].chars().next_back();
        let after = signature[at + name.len()..].chars().next();
        if !before.is_some_and(is_word) && !after.is_some_and(is_word) {
            return [&signature[..at], shown, &signature[at + name.len()..]].concat();
        }
    }
    signature
}
