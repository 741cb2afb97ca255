//! The public places of everything: each path that a user can type, and which of them is best.

use std::collections::VecDeque;
use std::rc::Rc;

use super::resolve::{Content, Resolver};
use super::world::{DefId, Import, ModuleId, Needs, Target};
use crate::hashing::{HashMap, HashSet};

/// Modules inside of modules.
const DEPTH_MAX: usize = 24;

/// A module at the best of its places.
pub(super) struct PlacedModule {
    pub(super) module: ModuleId,
    /// `tokio::task`.
    pub(super) path: String,
    pub(super) needs: Needs,
    pub(super) aliases: Vec<String>,
    pub(super) import: Option<Rc<Import>>,
    pub(super) entries: Vec<Entry>,
}

/// One name of a module.
pub(super) enum Entry {
    /// Something declared, if this is its best place.
    Def(DefId),
    /// Another crate as a whole.
    Crate { name: Rc<str>, import: Rc<Import> },
}

/// One place of something.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Its module, as a position in the list of modules.
    pub(super) module: usize,
    pub(super) name: Rc<str>,
    pub(super) needs: Needs,
    pub(super) import: Option<Rc<Import>>,
}

/// Where everything is.
pub(super) struct Places {
    pub(super) modules: Vec<PlacedModule>,
    /// The places of each declaration, best first.
    pub(super) of: HashMap<DefId, Vec<Place>>,
}

/// Walks through all public modules, the nearest to the root first.
pub(super) fn find(resolver: &mut Resolver<'_, '_>) -> Places {
    let root = resolver.world.crates[0].root;
    let name = resolver.world.modules[root].name.to_string();
    let mut places = Places { modules: Vec::new(), of: HashMap::default() };
    let mut seen: HashMap<ModuleId, usize> = HashMap::default();
    let mut queue = VecDeque::from([(root, name, Needs::default(), None::<Rc<Import>>, 0usize)]);
    while let Some((module, path, needs, import, depth)) = queue.pop_front() {
        if let Some(&known) = seen.get(&module) {
            places.modules[known].aliases.push(path);
            continue;
        }
        let at = places.modules.len();
        seen.insert(module, at);
        let needs = needs.and(&resolver.world.modules[module].needs);
        let contents = resolver.contents(module);
        let mut entries = Vec::new();
        let mut listed: HashSet<DefId> = HashSet::default();
        for content in contents.iter() {
            match content.target {
                Target::Module(inner) => {
                    if let Some(import) = whole_crate(resolver, content, inner) {
                        entries.push(Entry::Crate { name: Rc::clone(&content.name), import });
                    } else if depth < DEPTH_MAX {
                        let path = format!("{path}::{}", content.name);
                        let needs = needs.and(&content.needs);
                        queue.push_back((inner, path, needs, content.import.clone(), depth + 1));
                    }
                }
                Target::Def(def) => {
                    let place = Place {
                        module: at,
                        name: Rc::clone(&content.name),
                        needs: needs.and(&content.needs),
                        import: content.import.clone(),
                    };
                    places.of.entry(def).or_default().push(place);
                    if listed.insert(def) {
                        entries.push(Entry::Def(def));
                    }
                }
            }
        }
        let aliases = Vec::new();
        places.modules.push(PlacedModule { module, path, needs, aliases, import, entries });
    }
    sort(&mut places);
    places
}

/// The import, if it brings another crate as a whole, which is documented by itself.
fn whole_crate(
    resolver: &Resolver<'_, '_>,
    content: &Content,
    module: ModuleId,
) -> Option<Rc<Import>> {
    let import = content.import.as_ref()?;
    let is_root = resolver.world.modules[module].parent.is_none();
    let is_own = resolver.world.modules[module].of == 0;
    (is_root && !is_own && !import.is_inline).then(|| Rc::clone(import))
}

fn sort(places: &mut Places) {
    let modules = &places.modules;
    for all in places.of.values_mut() {
        all.sort_by_cached_key(|place| {
            let path = &modules[place.module].path;
            let depth = path.matches("::").count();
            let is_prelude = path.rsplit("::").any(|part| part == "prelude");
            (is_prelude, depth, place.import.is_some(), place.module)
        });
    }
}
