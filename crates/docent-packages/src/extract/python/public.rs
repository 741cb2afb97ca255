//! Where each definition is public, and which of those places is the best one.
//!
//! Uses [`super::link`]; feeds [`super::items`].

use std::collections::BTreeMap;

use super::layout::STANDARD_LIBRARY;
use super::link::{Def, Linker, Target};
use super::modules::Id;
use crate::hashing::{HashMap, HashSet};

/// Other places that are listed for one definition.
const ALIASES_MAX: usize = 8;

/// A place where a definition can be imported from.
#[derive(Clone, Debug)]
struct Place {
    module: usize,
    name: String,
    is_declared: bool,
    /// Its position among the exports of the module.
    order: usize,
}

/// A module that users import.
#[derive(Debug)]
pub(super) struct PublicModule {
    pub(super) name: String,
    pub(super) id: Id,
    /// `sys.modules` was told the name.
    is_registered: bool,
    pub(super) entries: Vec<Entry>,
}

/// What is shown as part of a module.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) what: Shown,
    pub(super) aliases: Vec<(String, String)>,
    order: usize,
}

#[derive(Debug)]
pub(super) enum Shown {
    Def(Def),
    /// Re-exported from a distribution whose files are not here.
    Elsewhere {
        module: String,
        attr: String,
    },
    /// Listed in `__all__`, and made when the module runs.
    Unknown,
}

/// The public modules with what is best imported from each, shortest name first.
pub(super) fn modules(linker: &Linker<'_, '_>, distribution: &str) -> Vec<PublicModule> {
    let mut public = names(linker);
    public.sort_by_cached_key(|module| {
        let other = distribution != STANDARD_LIBRARY && !is_named(&module.name, distribution);
        (module.name.matches('.').count(), other, module.name.clone())
    });
    let mut places: HashMap<Def, Vec<Place>> = HashMap::default();
    let mut unknown = Vec::new();
    let mut elsewhere: BTreeMap<(String, String), Vec<Place>> = BTreeMap::new();
    for (at, module) in public.iter().enumerate() {
        // A plain module that hands out what it does not have is there for the sake of old imports.
        let read = linker.modules.get(module.id);
        let is_shim = !read.is_package && read.scope.get("__getattr__").is_some();
        for (order, export) in linker.exports(module.id).iter().enumerate() {
            let (name, is_declared) = (export.name.clone(), export.is_declared);
            let place = Place { module: at, name, is_declared, order };
            match linker.target(module.id, &export.name) {
                Target::Def(def) => places.entry(def).or_default().push(place),
                Target::Elsewhere { module, attr: Some(attr) }
                    if is_elsewhere(linker, &module, is_declared) =>
                {
                    elsewhere.entry((module, attr)).or_default().push(place);
                }
                Target::Unknown if is_declared && !is_shim => unknown.push(place),
                _ => {}
            }
        }
    }
    for Place { module, name, order, .. } in unknown {
        let entry = Entry { name, what: Shown::Unknown, aliases: Vec::new(), order };
        public[module].entries.push(entry);
    }
    let mut entries = Vec::new();
    for (def, places) in places {
        let definition = linker.modules.get(def.module);
        let own_name = &definition.scope.bindings[def.at].name;
        entries.push((Shown::Def(def), own_name.clone(), places));
    }
    for ((module, attr), places) in elsewhere {
        let name = attr.clone();
        entries.push((Shown::Elsewhere { module, attr }, name, places));
    }
    for (what, own_name, mut places) in entries {
        places.sort_by_cached_key(|place| {
            let module = &public[place.module];
            (
                // A name that `sys.modules` was told is the one to use.
                !module.is_registered,
                // So is one below the name that the distribution is known by.
                !is_named(&module.name, distribution),
                module.name.matches('.').count(),
                !place.is_declared,
                place.name != own_name,
                place.module,
                place.order,
            )
        });
        let aliases = places.iter().skip(1).take(ALIASES_MAX);
        let aliases =
            aliases.map(|place| (public[place.module].name.clone(), place.name.clone())).collect();
        let Some(best) = places.first() else { continue };
        let (name, order) = (best.name.clone(), best.order);
        public[best.module].entries.push(Entry { name, what, aliases, order });
    }
    for module in &mut public {
        module
            .entries
            .sort_by(|one, other| (one.order, &one.name).cmp(&(other.order, &other.name)));
    }
    public
}

/// Whether a module that a name comes from is worth naming: another distribution's if the name is
/// re-exported on purpose, and one of the distribution's own if it is compiled.
fn is_elsewhere(linker: &Linker<'_, '_>, module: &str, is_declared: bool) -> bool {
    let layout = &linker.modules.layout;
    !layout.is_own(module) && (is_declared || layout.is_inside(module))
}

/// Whether a module is in the package that is called like its distribution.
fn is_named(module: &str, distribution: &str) -> bool {
    let top = module.split('.').next().unwrap_or(module);
    top.eq_ignore_ascii_case(&distribution.replace('-', "_"))
}

/// All names under which users import modules: those of files, those that a public module has for a
/// private one, and those that `sys.modules` is told.
fn names(linker: &Linker<'_, '_>) -> Vec<PublicModule> {
    let layout = &linker.modules.layout;
    let mut public: Vec<PublicModule> = Vec::new();
    let mut seen: HashSet<String> = HashSet::default();
    let mut add = |public: &mut Vec<PublicModule>, name: String, id, is_registered| {
        if seen.insert(name.clone()) {
            public.push(PublicModule { name, id, is_registered, entries: Vec::new() });
        }
    };
    for (name, entry) in &layout.modules {
        if entry.is_own
            && layout.is_public(name)
            && let Some(id) = linker.modules.id(name)
        {
            add(&mut public, name.clone(), id, false);
        }
    }
    // Names found on the way are looked at only once: an alias has no aliases.
    for at in 0..public.len() {
        let (name, id) = (public[at].name.clone(), public[at].id);
        for (registered, local) in &linker.modules.get(id).registered {
            if let Target::Module(target) = linker.dotted(id, local) {
                add(&mut public, registered.clone(), target, true);
            }
        }
        for export in linker.exports(id).iter() {
            if let Target::Module(target) = linker.target(id, &export.name) {
                let known = &linker.modules.get(target).name;
                if layout.is_own(known) && !layout.is_public(known) && !export.name.starts_with('_')
                {
                    add(&mut public, format!("{name}.{}", export.name), target, false);
                }
            }
        }
    }
    public
}
