//! What traits bring to types: a method that a type does not have may be one of a trait in scope.
//!
//! Made of the imports of a Rust file. Whether a type implements a trait is not asked: a trait that
//! has the name is reason enough to be silent.

use super::found::Why;
use super::judge::Imported;
use super::known::{Known, Lookup};
use super::standard;
use super::uses::{Step, Use, Uses};
use crate::Kind;
use crate::hashing::{HashMap, HashSet};

/// The members of traits, as far as they matter to one file.
#[derive(Default)]
pub(super) struct Traits<'k> {
    /// Those of the traits that the file imports.
    here: HashSet<&'k str>,
    /// Those of all traits of the packages that it uses.
    all: HashSet<&'k str>,
    /// Why there may be others.
    doubt: Option<Why>,
}

/// What an import leads to.
enum Destination {
    Module(String),
    Item(u32),
    Unknown,
}

impl<'k> Traits<'k> {
    pub(super) fn of(uses: &Uses, imported: &HashMap<String, Imported<'k>>) -> Self {
        let mut traits = Self::default();
        for (known, _) in imported.values().flatten() {
            for (at, item) in (0u32..).zip(known.items()) {
                if item.kind == Kind::Interface {
                    traits.all.extend(members(known, at));
                }
            }
        }
        if uses.has_own_star {
            traits.doubt = Some(Why::Star);
        }
        for one in &uses.brought {
            match imported.get(&one.module) {
                Some(Ok((known, root))) => traits.bring_one(known, root, one),
                Some(Err(_)) if standard::is_crate(&one.module) => {}
                Some(Err(why)) => traits.doubt = traits.doubt.or(Some(*why)),
                None => {}
            }
        }
        for one in &uses.globs {
            match imported.get(&one.module) {
                Some(Ok((known, root))) => traits.bring_all(known, root, one),
                Some(Err(why)) => traits.doubt = traits.doubt.or(Some(*why)),
                None => {}
            }
        }
        traits
    }

    fn bring_one(&mut self, known: &'k Known, root: &str, one: &Use) {
        let Destination::Item(at) = destination(known, root, one) else {
            self.doubt = self.doubt.or(Some(Why::Open));
            return;
        };
        let Some(item) = known.item(at) else { return };
        // A trait and the macro that derives it share their name.
        let is_twin = |other: &&(u32, &crate::Item)| {
            other.1.kind == Kind::Interface && other.1.path == item.path
        };
        let all: Vec<(u32, &crate::Item)> = (0u32..).zip(known.items()).collect();
        let of_trait = match item.kind {
            Kind::Interface => Some(at),
            Kind::Macro => all.iter().find(is_twin).map(|(at, _)| *at),
            _ => None,
        };
        if let Some(at) = of_trait {
            self.bring_trait(known, at);
        }
    }

    fn bring_trait(&mut self, known: &'k Known, at: u32) {
        self.here.extend(members(known, at));
        if !known.is_whole(at) {
            self.doubt = self.doubt.or(Some(Why::Open));
        }
    }

    fn bring_all(&mut self, known: &'k Known, root: &str, one: &Use) {
        let module = match destination(known, root, one) {
            Destination::Module(module) => module,
            // The variants of an enumeration.
            Destination::Item(_) => return,
            Destination::Unknown => {
                self.doubt = self.doubt.or(Some(Why::Star));
                return;
            }
        };
        for (at, item) in (0u32..).zip(known.items()) {
            let is_here =
                item.module == module || item.aliases.iter().any(|(alias, _)| *alias == module);
            if item.kind == Kind::Interface && is_here {
                self.bring_trait(known, at);
            }
        }
        if known.at(&module, "").is_none_or(|at| !known.is_whole(at)) {
            self.doubt = self.doubt.or(Some(Why::Star));
        }
    }

    /// Whether a trait that the file imports has a member of that name.
    pub(super) fn bring(&self, name: &str) -> bool {
        self.here.contains(name)
    }

    /// Why a trait may have such a member.
    pub(super) fn may_bring(&self, name: &str) -> Option<Why> {
        if standard::is_member(name) || self.all.contains(name) {
            return Some(Why::Open);
        }
        self.doubt
    }

    /// The members of the traits that the file imports.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.here.iter().map(|name| (*name).to_owned())
    }
}

/// The names of a trait's members, hidden ones too.
fn members(known: &Known, at: u32) -> impl Iterator<Item = &str> {
    match known.in_item(at, "") {
        Lookup::Missing(names) => names,
        _ => known.children(at),
    }
    .into_iter()
}

fn destination(known: &Known, root: &str, one: &Use) -> Destination {
    let mut module = root.to_owned();
    let mut steps = one.steps.iter().peekable();
    while let Some(step) = steps.next() {
        let Step::Name { name, .. } = step else { return Destination::Unknown };
        if let Some(inner) = known.module_named(&format!("{module}::{name}")) {
            module = inner.to_owned();
            continue;
        }
        return match known.in_module(&module, name) {
            Lookup::Item(at) if steps.peek().is_none() => Destination::Item(at),
            _ => Destination::Unknown,
        };
    }
    Destination::Module(module)
}
