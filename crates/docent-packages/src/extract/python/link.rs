//! From a name in a module to its definition, across files: imports, aliases, star imports, tables
//! of lazy imports.
//!
//! Feeds [`super::public`] and [`super::class`]. Every answer is kept, so that each question costs
//! once; chains are bounded, and one that leads back to itself leads nowhere.

use std::cell::RefCell;
use std::rc::Rc;

use super::forward::Forward;
use super::module::{AllPart, Module};
use super::modules::{Id, Modules};
use super::scope::What;
use crate::hashing::{HashMap, HashSet};

/// Imports of imports that are followed.
const CHAIN_MAX: usize = 48;

/// Names that one module exports.
const EXPORTS_MAX: usize = 50_000;

/// A definition at the top level of a module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) struct Def {
    pub(super) module: Id,
    pub(super) at: usize,
}

/// What a name stands for.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Target {
    Def(Def),
    Module(Id),
    /// Something in a module that is not here.
    Elsewhere {
        module: String,
        attr: Option<String>,
    },
    Unknown,
}

/// A name that a module offers.
#[derive(Clone, Debug)]
pub(super) struct Export {
    pub(super) name: String,
    /// Said outright: in `__all__`, or imported as itself.
    pub(super) is_declared: bool,
}

pub(super) struct Linker<'i, 'a> {
    pub(super) modules: Modules<'i, 'a>,
    targets: RefCell<HashMap<Id, HashMap<String, Target>>>,
    exports: RefCell<HashMap<Id, Rc<Vec<Export>>>>,
    stars: RefCell<HashMap<Id, Rc<Names>>>,
    lazies: RefCell<HashMap<Id, Rc<Places>>>,
    alls: RefCell<HashMap<Id, Option<Rc<All>>>>,
}

/// Where each name may be, as a table writes it.
type Places = HashMap<String, Vec<String>>;

/// Names in their order, and to look up.
#[derive(Default)]
struct Names {
    list: Vec<String>,
    set: HashSet<String>,
}

impl Names {
    fn add(&mut self, name: &str) {
        if self.list.len() < EXPORTS_MAX && self.set.insert(name.to_owned()) {
            self.list.push(name.to_owned());
        }
    }
}

/// What `__all__` comes to.
struct All {
    names: Vec<String>,
    is_complete: bool,
}

impl<'i, 'a> Linker<'i, 'a> {
    pub(super) fn new(modules: Modules<'i, 'a>) -> Self {
        Self {
            modules,
            targets: RefCell::default(),
            exports: RefCell::default(),
            stars: RefCell::default(),
            lazies: RefCell::default(),
            alls: RefCell::default(),
        }
    }

    /// What a name in a module stands for.
    pub(super) fn target(&self, module: Id, name: &str) -> Target {
        self.target_from(module, name, 0)
    }

    /// What a dotted name in a module stands for.
    pub(super) fn dotted(&self, module: Id, dotted: &str) -> Target {
        self.dotted_from(module, dotted, 0)
    }

    fn dotted_from(&self, module: Id, dotted: &str, chain: usize) -> Target {
        let mut parts = dotted.split('.');
        let mut target = self.target_from(module, parts.next().unwrap_or_default(), chain);
        for part in parts {
            target = match target {
                Target::Module(inside) => self.target_from(inside, part, chain),
                Target::Elsewhere { module, attr } => {
                    let module = attr.map_or(module.clone(), |attr| format!("{module}.{attr}"));
                    Target::Elsewhere { module, attr: Some(part.to_owned()) }
                }
                Target::Def(_) | Target::Unknown => return Target::Unknown,
            };
        }
        target
    }

    fn target_from(&self, module: Id, name: &str, chain: usize) -> Target {
        if chain > CHAIN_MAX {
            return Target::Unknown;
        }
        if let Some(known) = self.targets.borrow().get(&module).and_then(|names| names.get(name)) {
            return known.clone();
        }
        let unknown = (name.to_owned(), Target::Unknown);
        self.targets.borrow_mut().entry(module).or_default().extend([unknown]);
        let target = self.find(module, name, chain);
        let mut targets = self.targets.borrow_mut();
        if let Some(known) = targets.get_mut(&module).and_then(|names| names.get_mut(name)) {
            known.clone_from(&target);
        }
        target
    }

    fn find(&self, id: Id, name: &str, chain: usize) -> Target {
        let module = self.modules.get(id);
        if let Some(at) = module.scope.position(name) {
            let own = Target::Def(Def { module: id, at });
            match &module.scope.bindings[at].what {
                What::Function(_) | What::Class(_) => return own,
                What::Variable(variable) => {
                    let Some(alias) = &variable.alias else { return own };
                    let target = self.dotted_from(id, alias, chain + 1);
                    return match &target {
                        Target::Def(def) if self.is_function_or_class(*def) => target,
                        Target::Module(_) => target,
                        _ => own,
                    };
                }
                What::Import { module: from, attr, otherwise, .. } => {
                    let first = self.imported(from, attr.as_deref(), chain);
                    if !matches!(first, Target::Elsewhere { .. }) {
                        return first;
                    }
                    let others = otherwise.iter();
                    let mut others =
                        others.map(|(from, attr)| self.imported(from, attr.as_deref(), chain));
                    let found = others.find(|other| !matches!(other, Target::Elsewhere { .. }));
                    return found.unwrap_or(first);
                }
                What::Deleted => {}
            }
        }
        for from in module.stars.iter().rev() {
            if let Some(from) = self.modules.id(from)
                && from != id
                && self.star_names(from, chain + 1).set.contains(name)
            {
                let target = self.target_from(from, name, chain + 1);
                if target != Target::Unknown {
                    return target;
                }
            }
        }
        if let Some(target) = self.lazy(id, &module, name, chain) {
            return target;
        }
        if module.is_package
            && let Some(inside) = self.modules.id(&format!("{}.{name}", module.name))
        {
            return Target::Module(inside);
        }
        // A name that the stub leaves out may still be in the source.
        if let Some(twin) = self.modules.twin(id) {
            let target = self.target_from(twin, name, chain + 1);
            if target != Target::Unknown {
                return target;
            }
        }
        if let Some((from, attr)) = module.imported_late.get(name)
            && let target @ (Target::Def(_) | Target::Module(_)) =
                self.imported(from, Some(attr), chain + 1)
        {
            return target;
        }
        let forwards = self.forwards(id, &module, chain);
        let targets = forwards.into_iter().filter(|_| !name.starts_with("__"));
        let mut targets = targets.map(|from| self.target_from(from, name, chain + 1));
        targets.find(|target| *target != Target::Unknown).unwrap_or(Target::Unknown)
    }

    /// The modules that a module hands names on to.
    fn forwards(&self, id: Id, module: &Module, chain: usize) -> Vec<Id> {
        let forwards = module.forwards.iter().filter_map(|forward| match forward {
            Forward::Module(name) => self.modules.id(name),
            Forward::Local(local) => match self.dotted_from(id, local, chain + 1) {
                Target::Module(from) => Some(from),
                _ => None,
            },
        });
        forwards.filter(|from| *from != id).collect()
    }

    fn imported(&self, from: &str, attr: Option<&str>, chain: usize) -> Target {
        let elsewhere =
            || Target::Elsewhere { module: from.to_owned(), attr: attr.map(str::to_owned) };
        let Some(attr) = attr else {
            return self.modules.id(from).map_or_else(elsewhere, Target::Module);
        };
        let named = self.modules.id(from).map(|module| self.target_from(module, attr, chain + 1));
        match named {
            Some(target) if target != Target::Unknown => target,
            // A submodule: of a namespace without a file, or of a package that imports it.
            _ => {
                let inside = self.modules.id(&format!("{from}.{attr}"));
                inside.map_or_else(elsewhere, Target::Module)
            }
        }
    }

    fn is_function_or_class(&self, def: Def) -> bool {
        let module = self.modules.get(def.module);
        matches!(module.scope.bindings[def.at].what, What::Function(_) | What::Class(_))
    }

    /// A name from the tables of a module that imports when it is asked.
    fn lazy(&self, id: Id, module: &Module, name: &str, chain: usize) -> Option<Target> {
        let places = self.lazy_places(id);
        let paths = places.get(name)?;
        let relative = |path: &str| {
            let level = path.len() - path.trim_start_matches('.').len();
            let rest = path.trim_start_matches('.');
            let level = u32::try_from(level).unwrap_or(u32::MAX);
            module.absolute(level, (!rest.is_empty()).then_some(rest))
        };
        // Where a table says that a name is: `.module`, `module`, `package.module`, `module:name`.
        let place = |path: &str| {
            let (path, attr) = path.split_once(':').unwrap_or((path, name));
            let inside = self.modules.id(&relative(path)?);
            let inside = inside.or_else(|| self.modules.id(&format!("{}.{path}", module.name)));
            if let Some(inside) = inside {
                return Some(self.target_from(inside, attr, chain + 1));
            }
            let (above, attr) = path.rsplit_once('.')?;
            let inside = self.modules.id(&relative(above)?)?;
            Some(self.target_from(inside, attr, chain + 1))
        };
        paths.iter().filter_map(|path| place(path)).find(|target| *target != Target::Unknown)
    }

    /// Where the tables of a module say that names are.
    fn lazy_places(&self, id: Id) -> Rc<Places> {
        if let Some(known) = self.lazies.borrow().get(&id) {
            return Rc::clone(known);
        }
        let mut places = Places::default();
        for (key, values) in lazy_rows(&self.modules.get(id)) {
            places.entry(key.clone()).or_default().extend(values.iter().cloned());
            for value in values {
                places.entry(value.clone()).or_default().push(key.clone());
            }
        }
        let places = Rc::new(places);
        self.lazies.borrow_mut().insert(id, Rc::clone(&places));
        places
    }

    /// What a module offers to its users, in its order.
    pub(super) fn exports(&self, id: Id) -> Rc<Vec<Export>> {
        if let Some(known) = self.exports.borrow().get(&id) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.find_exports(id));
        self.exports.borrow_mut().insert(id, Rc::clone(&found));
        found
    }

    fn find_exports(&self, id: Id) -> Vec<Export> {
        let module = self.modules.get(id);
        let mut exports = Vec::new();
        let mut seen = HashSet::default();
        let mut offer = |name: &str, is_declared| {
            if exports.len() < EXPORTS_MAX && seen.insert(name.to_owned()) {
                exports.push(Export { name: name.to_owned(), is_declared });
            }
        };
        if let Some(all) = self.all(id, 0) {
            for name in &all.names {
                offer(name, true);
            }
            if all.is_complete {
                return exports;
            }
        }
        let is_lazy = module.scope.get("__getattr__").is_some();
        let mut defines = false;
        for binding in &module.scope.bindings {
            if binding.name.starts_with('_') || (binding.for_types && !is_lazy && !module.is_stub) {
                continue;
            }
            match &binding.what {
                What::Deleted => {}
                What::Import { explicit: true, .. } => offer(&binding.name, true),
                What::Import { module: from, attr, .. } => {
                    let layout = &self.modules.layout;
                    let is_own = layout.is_inside(from)
                        || attr
                            .as_ref()
                            .is_some_and(|attr| layout.is_own(&format!("{from}.{attr}")));
                    if module.is_package && is_own {
                        offer(&binding.name, false);
                    }
                }
                _ => {
                    defines = true;
                    offer(&binding.name, false);
                }
            }
        }
        for from in &module.stars {
            let is_private = last_part(from).starts_with('_');
            if (module.is_package || is_private || !defines || module.is_stub)
                && let Some(from) = self.modules.id(from)
            {
                for name in &self.star_names(from, 0).list {
                    offer(name, false);
                }
            }
        }
        for from in self.forwards(id, &module, 0) {
            for name in &self.star_names(from, 0).list {
                offer(name, false);
            }
        }
        for (key, values) in lazy_rows(&module) {
            for name in std::iter::once(key).chain(values) {
                if !name.starts_with(['_', '.']) && matches!(self.target(id, name), Target::Def(_))
                {
                    offer(name, false);
                }
            }
        }
        exports
    }

    /// The names that `from module import *` binds, if they are of use to somebody else.
    fn star_names(&self, id: Id, chain: usize) -> Rc<Names> {
        if let Some(known) = self.stars.borrow().get(&id) {
            return Rc::clone(known);
        }
        self.stars.borrow_mut().insert(id, Rc::default());
        let found = Rc::new(self.find_star_names(id, chain));
        self.stars.borrow_mut().insert(id, Rc::clone(&found));
        found
    }

    fn find_star_names(&self, id: Id, chain: usize) -> Names {
        let mut names = Names::default();
        if chain > CHAIN_MAX {
            return names;
        }
        let module = self.modules.get(id);
        if let Some(all) = self.all(id, chain + 1) {
            all.names.iter().for_each(|name| names.add(name));
            if all.is_complete {
                return names;
            }
        }
        for binding in &module.scope.bindings {
            let is_own = match &binding.what {
                What::Import { module: from, .. } => self.modules.layout.is_own(from),
                What::Deleted => false,
                _ => true,
            };
            if is_own && !binding.name.starts_with('_') {
                names.add(&binding.name);
            }
        }
        for from in &module.stars {
            if let Some(from) = self.modules.id(from) {
                let more = self.star_names(from, chain + 1);
                more.list.iter().for_each(|name| names.add(name));
            }
        }
        names
    }

    /// What `__all__` of a module comes to; `None` if it has none.
    fn all(&self, id: Id, chain: usize) -> Option<Rc<All>> {
        if let Some(known) = self.alls.borrow().get(&id) {
            return known.clone();
        }
        self.alls.borrow_mut().insert(id, None);
        let all = self.find_all(id, chain).map(Rc::new);
        self.alls.borrow_mut().insert(id, all.clone());
        all
    }

    fn find_all(&self, id: Id, chain: usize) -> Option<All> {
        if chain > CHAIN_MAX {
            return None;
        }
        let module = self.modules.get(id);
        let Some(parts) = &module.all else {
            let twin = self.modules.twin(id)?;
            return self.find_all(twin, chain + 1);
        };
        let mut all = All { names: Vec::new(), is_complete: true };
        for part in parts {
            let of = |id: Option<Id>, all: &mut All| match id.and_then(|id| self.all(id, chain + 1))
            {
                Some(more) => {
                    all.names.extend(more.names.iter().cloned());
                    all.is_complete &= more.is_complete;
                }
                None => all.is_complete = false,
            };
            match part {
                AllPart::Name(name) => all.names.push(name.clone()),
                AllPart::Without(name) => all.names.retain(|known| known != name),
                AllPart::Of(dotted) => {
                    let target = self.dotted_from(id, dotted, chain + 1);
                    of(if let Target::Module(id) = target { Some(id) } else { None }, &mut all);
                }
                AllPart::OfModule(name) => of(self.modules.id(name), &mut all),
                AllPart::Table(name) => match self.table(id, name, chain + 1) {
                    Some(names) => all.names.extend(names),
                    None => all.is_complete = false,
                },
                AllPart::Unknown => all.is_complete = false,
            }
            if all.names.len() > EXPORTS_MAX {
                all.names.truncate(EXPORTS_MAX);
                break;
            }
        }
        Some(all)
    }

    /// The strings of a list, or keys of a table, that a name stands for.
    fn table(&self, id: Id, name: &str, chain: usize) -> Option<Vec<String>> {
        let module = self.modules.get(id);
        if let Some(rows) = module.tables.get(name) {
            return Some(rows.iter().map(|(key, _)| key.clone()).collect());
        }
        let Target::Def(def) = self.dotted_from(id, name, chain) else { return None };
        let module = self.modules.get(def.module);
        let rows = module.tables.get(&module.scope.bindings[def.at].name)?;
        Some(rows.iter().map(|(key, _)| key.clone()).collect())
    }
}

/// The rows of all tables that a module imports from when it is asked for a name.
fn lazy_rows(module: &Module) -> impl Iterator<Item = (&String, &Vec<String>)> {
    let is_lazy = module.scope.get("__getattr__").is_some();
    let named = |name: &str| is_lazy || name == "_import_structure";
    let mut tables: Vec<_> =
        module.tables.iter().filter(|(name, _)| named(name) && *name != "__all__").collect();
    tables.sort_by_key(|(name, _)| *name);
    let rows = tables.into_iter().flat_map(|(_, rows)| rows);
    let rows = rows.chain(&module.attached);
    rows.filter(|(_, values)| !values.is_empty()).map(|(key, values)| (key, values))
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
