//! A package as a check asks for it: what is at a place, what a type has, what is known as a whole.

use crate::engine::Loaded;
use crate::hashing::{HashMap, HashSet};
use crate::{Ecosystem, Extraction, Item, Kind, Whole};

/// The places of one extraction, made once.
#[derive(Default)]
pub(crate) struct Places {
    /// Items by module and path, other places included.
    places: HashMap<String, u32>,
    children: HashMap<u32, HashMap<String, u32>>,
    modules: HashSet<String>,
    /// The names of types inside of types.
    inner: HashSet<String>,
    members: HashMap<u32, usize>,
    keywords: HashMap<u32, usize>,
    returns: HashMap<u32, u32>,
    returns_for: HashMap<(u32, u32), u32>,
    elsewhere: HashMap<u32, (String, String)>,
    awaited: HashSet<u32>,
    wrapped: HashSet<u32>,
    derefs: HashSet<u32>,
    stems: HashMap<u32, usize>,
    enters: HashSet<u32>,
    takes: HashMap<(u32, u32), u32>,
    given: HashSet<String>,
    /// Files that could not be read.
    unread: HashSet<String>,
}

/// One package, ready to be asked.
pub(super) struct Known {
    pub(super) loaded: Loaded,
}

/// What a name leads to inside of something.
pub(super) enum Lookup<'k> {
    Item(u32),
    /// It is there, and nothing more is known of it.
    There,
    /// It is not there: these names are.
    Missing(Vec<&'k str>),
    Unsure,
}

impl Places {
    pub(crate) fn of(extraction: &Extraction, ecosystem: Ecosystem) -> Self {
        let surface = &extraction.surface;
        let mut places = Self {
            members: positions(&surface.members),
            keywords: positions(&surface.keywords),
            returns: surface.returns.iter().copied().collect(),
            returns_for: surface.returns_for.iter().map(|&(at, n, of)| ((at, n), of)).collect(),
            elsewhere: surface
                .elsewhere
                .iter()
                .map(|(at, module, path)| (*at, (module.clone(), path.clone())))
                .collect(),
            awaited: surface.awaited.iter().copied().collect(),
            wrapped: surface.wrapped.iter().copied().collect(),
            derefs: surface.derefs.iter().copied().collect(),
            stems: positions(&surface.stems),
            enters: surface.enters.iter().copied().collect(),
            takes: surface.takes.iter().map(|&(item, at, of)| ((item, at), of)).collect(),
            given: surface.given.iter().cloned().collect(),
            unread: extraction.problems.iter().map(|problem| problem.file.clone()).collect(),
            ..Self::default()
        };
        for (at, item) in (0u32..).zip(&extraction.items) {
            if item.path.is_empty() {
                places.modules.insert(item.module.to_string());
            }
            let is_type = matches!(
                item.kind,
                Kind::Class | Kind::Enum | Kind::Interface | Kind::Struct | Kind::TypeAlias
            );
            if is_type && item.path.contains('.') {
                places.inner.insert(item.name().to_owned());
            }
            // A Go function that makes a type is shown with it, and is none of its members.
            let is_beside = |parent: u32| {
                let around = extraction.items.get(parent as usize);
                ecosystem == Ecosystem::Go
                    && !item.path.contains('.')
                    && around.is_some_and(|one| !one.path.is_empty())
            };
            if let Some(parent) = item.parent.filter(|&parent| !is_beside(parent)) {
                let name = item.name().to_owned();
                places.children.entry(parent).or_default().entry(name).or_insert(at);
            }
            // Nobody can import what is only shown.
            if !item.local {
                places.places.entry(place(&item.module, &item.path)).or_insert(at);
            }
        }
        for (at, item) in (0u32..).zip(&extraction.items).filter(|(_, item)| !item.local) {
            for (module, path) in &item.aliases {
                places.places.entry(place(module, path)).or_insert(at);
            }
        }
        places
    }
}

impl Known {
    pub(super) fn new(loaded: Loaded) -> Self {
        Self { loaded }
    }

    fn places(&self) -> &Places {
        self.loaded.places()
    }

    pub(super) fn item(&self, at: u32) -> Option<&Item> {
        self.loaded.extraction().items.get(at as usize)
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.loaded.extraction().items
    }

    /// The item at a public place.
    pub(super) fn at(&self, module: &str, path: &str) -> Option<u32> {
        self.places().places.get(&place(module, path)).copied()
    }

    pub(super) fn has_module(&self, module: &str) -> bool {
        self.places().modules.contains(module)
    }

    pub(super) fn modules(&self) -> impl Iterator<Item = &str> {
        self.places().modules.iter().map(String::as_str)
    }

    /// Whether the code of the package gives objects an attribute of that name.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.places().given.contains(name)
    }

    /// A name in a module.
    pub(super) fn in_module(&self, module: &str, name: &str) -> Lookup<'_> {
        if let Some(at) = self.at(module, name) {
            return Lookup::Item(at);
        }
        match self.at(module, "").filter(|&at| self.is_read(at)) {
            Some(at) => self.among(at, module, name),
            None => Lookup::Unsure,
        }
    }

    /// A member of the type or object that an item is.
    pub(super) fn in_item(&self, at: u32, name: &str) -> Lookup<'_> {
        if let Some(&member) = self.places().children.get(&at).and_then(|inside| inside.get(name)) {
            return Lookup::Item(member);
        }
        let Some(item) = self.item(at) else { return Lookup::Unsure };
        if let Some(member) = self.at(&item.module, &[&item.path, ".", name].concat()) {
            return Lookup::Item(member);
        }
        if !self.is_read(at) {
            return Lookup::Unsure;
        }
        self.among(at, "", name)
    }

    /// A name among those that an item is known to have.
    fn among(&self, at: u32, module: &str, name: &str) -> Lookup<'_> {
        let Some(whole) = self.whole(at) else { return Lookup::Unsure };
        if whole.names.iter().any(|known| known == name) {
            return Lookup::There;
        }
        if self.may_make(at, name) {
            return Lookup::Unsure;
        }
        let mut names: Vec<&str> = whole.names.iter().map(String::as_str).collect();
        names.extend(
            self.places().children.get(&at).into_iter().flat_map(HashMap::keys).map(String::as_str),
        );
        if !module.is_empty() {
            let here = self.items().iter().filter(|item| item.module == module && !item.local);
            names.extend(here.map(|item| item.path.as_str()).filter(|path| !path.contains('.')));
        }
        Lookup::Missing(names)
    }

    /// Whether a macro may make such a name inside of an item.
    fn may_make(&self, at: u32, name: &str) -> bool {
        let fold = |name: &str| name.to_lowercase().replace('_', "");
        let Some(&position) = self.places().stems.get(&at) else { return false };
        let stems = self.loaded.extraction().surface.stems.get(position);
        let name = fold(name);
        stems.is_some_and(|stems| stems.names.iter().any(|stem| name.contains(&fold(stem))))
    }

    /// Whether the file that something is declared in was read without a problem.
    fn is_read(&self, at: u32) -> bool {
        self.item(at).is_some_and(|item| !self.places().unread.contains(item.file.as_str()))
    }

    fn whole(&self, at: u32) -> Option<&Whole> {
        let position = *self.places().members.get(&at)?;
        self.loaded.extraction().surface.members.get(position)
    }

    pub(super) fn is_whole(&self, at: u32) -> bool {
        self.places().members.contains_key(&at) && self.is_read(at)
    }

    /// The keywords that a function or class takes, if it takes no others.
    pub(super) fn keywords(&self, at: u32) -> Option<&[String]> {
        let position = *self.places().keywords.get(&at).filter(|_| self.is_read(at))?;
        Some(&self.loaded.extraction().surface.keywords.get(position)?.names)
    }

    /// The type of what a function returns, or of a value.
    pub(super) fn type_of(&self, at: u32) -> Option<u32> {
        self.places().returns.get(&at).copied()
    }

    /// Whether the package adds to a type of that name, which is another package's.
    pub(super) fn extends(&self, name: &str) -> bool {
        self.items().iter().any(|item| item.kind == Kind::Extension && item.name() == name)
    }

    /// Whether a type of that name is inside of another type.
    pub(super) fn has_inner(&self, name: &str) -> bool {
        self.places().inner.contains(name)
    }

    /// The type of the same in another package: its module, and the path there.
    pub(super) fn elsewhere(&self, at: u32) -> Option<&(String, String)> {
        self.places().elsewhere.get(&at)
    }

    /// What a module is called by those who import it.
    pub(super) fn called(&self, module: &str) -> Option<&str> {
        let item = self.item(self.at(module, "")?)?;
        let given = item.aliases.first().map(|(name, _)| name.as_str());
        given.or_else(|| item.module.rsplit('/').next())
    }

    /// The type of what a function returns that is called with so many arguments.
    pub(super) fn type_for(&self, at: u32, count: u32) -> Option<u32> {
        self.places().returns_for.get(&(at, count)).copied()
    }

    pub(super) fn is_awaited(&self, at: u32) -> bool {
        self.places().awaited.contains(&at)
    }

    /// Whether what a function returns, or a field holds, may be empty or a failure.
    pub(super) fn is_wrapped(&self, at: u32) -> bool {
        self.places().wrapped.contains(&at)
    }

    /// Whether values of a type can be used like those of another.
    pub(super) fn is_deref(&self, at: u32) -> bool {
        self.places().derefs.contains(&at)
    }

    /// The name that a module has in its items, by any of its paths.
    pub(super) fn module_named(&self, path: &str) -> Option<&str> {
        let item = self.item(self.at(path, "")?)?;
        item.path.is_empty().then_some(item.module.as_str())
    }

    /// The module that the package begins with.
    pub(super) fn root(&self) -> Option<&str> {
        self.items().first().map(|item| item.module.as_str())
    }

    pub(super) fn is_context(&self, at: u32) -> bool {
        self.places().enters.contains(&at)
    }

    /// The type of a parameter.
    pub(super) fn taken(&self, at: u32, position: u32) -> Option<u32> {
        self.places().takes.get(&(at, position)).copied()
    }

    pub(super) fn child(&self, at: u32, name: &str) -> Option<u32> {
        self.places().children.get(&at)?.get(name).copied()
    }

    /// The names of the items that belong to one.
    pub(super) fn children(&self, at: u32) -> Vec<&str> {
        let inside = self.places().children.get(&at).into_iter().flat_map(HashMap::keys);
        inside.map(String::as_str).collect()
    }

    /// Whether the whole module name can be told not to exist.
    pub(super) fn lacks_module(&self, module: &str) -> bool {
        match self.loaded.ecosystem() {
            Ecosystem::Npm => {
                let package = self.loaded.name();
                let Some(subpath) = module.strip_prefix(package) else { return false };
                let subpath = subpath.trim_start_matches('/');
                let listed = &self.loaded.extraction().surface.modules;
                listed.as_ref().is_some_and(|listed| !listed.iter().any(|known| known == subpath))
            }
            // Modules may lie inside of one another, so that only a misspelled package is missing.
            Ecosystem::Go => {
                let listed = self.loaded.extraction().surface.modules.as_deref();
                let listed = listed.filter(|all| !all.iter().any(|known| known == module));
                let inside = |path: &str| path.strip_prefix(self.loaded.name()).map(str::to_owned);
                let wanted = inside(module).unwrap_or_default();
                let is_near = |known: &String| {
                    let known = inside(known).filter(|known| !known.is_empty());
                    known.is_some_and(|known| {
                        strsim::normalized_damerau_levenshtein(&known, &wanted) >= NEAR
                    })
                };
                !wanted.is_empty() && listed.is_some_and(|listed| listed.iter().any(is_near))
            }
            _ => false,
        }
    }
}

/// How alike two import paths are that differ by a slip.
const NEAR: f64 = 0.7;

/// The crate that an item of a Rust module exports as a whole: `pub use http;`.
pub(super) fn exported_crate(item: &Item) -> Option<&str> {
    if item.kind != Kind::Module || item.path.is_empty() {
        return None;
    }
    let text = item.signature.strip_prefix("pub ")?;
    let text = text.strip_prefix("use ").or_else(|| text.strip_prefix("extern crate "))?;
    let name = text.trim_end_matches(';').split(" as ").next()?.trim_start_matches("::");
    (!name.is_empty() && !name.contains("::")).then_some(name)
}

fn positions(wholes: &[Whole]) -> HashMap<u32, usize> {
    wholes.iter().enumerate().map(|(position, whole)| (whole.item, position)).collect()
}

fn place(module: &str, path: &str) -> String {
    [module, "\0", path].concat()
}
