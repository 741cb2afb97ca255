//! What a path leads to: through modules, imports and globs, and into other crates.
//!
//! Another crate is opened only for what is exported from one that is at hand: who uses a crate inside
//! is nobody's business. The memory of what was found is kept as long as nothing new can turn up.
//! `list` says all that a module shows, and `crates` opens other crates.

mod crates;
mod list;

use std::rc::Rc;

use ra_ap_syntax::Edition;

use super::world::{CrateId, DefId, Import, ModuleId, Needs, Spaces, Target, World};
use crate::Wanted;
use crate::extract::Input;
use crate::hashing::{HashMap, HashSet};

/// Imports that lead to imports.
const HOPS_MAX: usize = 64;

/// A module with so many globs is not looked through for each module that has a glob of it.
const HUB_GLOBS: usize = 8;

/// Finds what names stand for.
pub(super) struct Resolver<'a, 'i> {
    pub(super) input: &'a Input<'i>,
    pub(super) world: World,
    pub(super) wanted: Vec<Wanted>,
    /// Whether other crates may be opened now.
    pub(super) may_open: bool,
    opened: HashMap<String, Option<CrateId>>,
    known: HashMap<(ModuleId, Rc<str>), Vec<Found>>,
    globs: HashMap<(ModuleId, bool), Rc<Vec<Target>>>,
    asking: HashSet<(ModuleId, Rc<str>)>,
    listed: HashMap<ModuleId, Rc<Vec<Content>>>,
    listing: Vec<ModuleId>,
    /// What was exported from the standard library, by its declaration.
    standard: HashMap<String, DefId>,
    /// How often something led back to itself.
    circles: usize,
}

/// One thing that a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub(super) target: Target,
    pub(super) spaces: Spaces,
}

/// One public name of a module.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub(super) name: Rc<str>,
    pub(super) target: Target,
    pub(super) spaces: Spaces,
    /// The import that brings it here, if it is declared elsewhere.
    pub(super) import: Option<Rc<Import>>,
    pub(super) needs: Needs,
}

impl<'a, 'i> Resolver<'a, 'i> {
    pub(super) fn new(input: &'a Input<'i>, world: World) -> Self {
        Self {
            input,
            world,
            wanted: Vec::new(),
            may_open: false,
            opened: HashMap::default(),
            known: HashMap::default(),
            globs: HashMap::default(),
            asking: HashSet::default(),
            listed: HashMap::default(),
            listing: Vec::new(),
            standard: HashMap::default(),
            circles: 0,
        }
    }

    /// Forgets what could not be found, since now it may be.
    fn forget(&mut self) {
        self.known.retain(|_, found| !found.is_empty());
    }

    /// What a path leads to, seen from a module.
    pub(super) fn path(&mut self, module: ModuleId, path: &[Rc<str>]) -> Vec<Found> {
        let of = self.world.modules[module].of;
        let Some((first, mut rest)) = path.split_first() else { return Vec::new() };
        let found = |module| vec![Found { target: Target::Module(module), spaces: Spaces::TYPES }];
        let mut at = match &**first {
            "crate" | "$crate" => found(self.world.crates[of].root),
            "self" => found(module),
            "super" => match self.world.modules[module].parent {
                Some(parent) => found(parent),
                None => return Vec::new(),
            },
            "" => {
                let Some((name, after)) = rest.split_first() else { return Vec::new() };
                rest = after;
                // Before 2018 all paths of imports begin at the crate's root.
                match self.extern_crate(of, name) {
                    Some(root) => found(root),
                    None if self.is_2015(of) => self.name(self.world.crates[of].root, name, of),
                    None => return Vec::new(),
                }
            }
            _ => {
                let mut all = self.name(module, first, of);
                if all.is_empty() && self.is_2015(of) {
                    all = self.name(self.world.crates[of].root, first, of);
                }
                if !all.iter().any(|found| found.spaces.meet(Spaces::TYPES))
                    && let Some(root) = self.extern_crate(of, first)
                {
                    all.extend(found(root));
                }
                all
            }
        };
        for name in rest {
            at = self.step(&at, name, of);
        }
        at
    }

    /// One step further along a path.
    fn step(&mut self, at: &[Found], name: &Rc<str>, of: CrateId) -> Vec<Found> {
        let mut next = Vec::new();
        for found in at {
            match found.target {
                Target::Module(module) if &**name == "super" => {
                    let parent = self.world.modules[module].parent.map(Target::Module);
                    next.extend(parent.map(|target| Found { target, spaces: Spaces::TYPES }));
                }
                Target::Module(module) if &**name == "self" => {
                    next.push(Found { target: Target::Module(module), spaces: Spaces::TYPES });
                }
                Target::Module(module) => next.extend(self.name(module, name, of)),
                Target::Def(def) => {
                    let def = self.behind(def);
                    let variants = self.world.defs[def].variants.iter();
                    let named = variants.filter(|&&it| self.world.defs[it].name == *name);
                    next.extend(named.map(|&variant| Found {
                        target: Target::Def(variant),
                        spaces: Spaces::TYPES_AND_VALUES,
                    }));
                }
            }
        }
        next
    }

    fn is_2015(&self, of: CrateId) -> bool {
        self.world.crates[of].manifest.edition == Edition::Edition2015
    }

    /// What a name stands for in a module, as the crate `from` sees it.
    pub(super) fn name(&mut self, module: ModuleId, name: &Rc<str>, from: CrateId) -> Vec<Found> {
        let is_own = self.world.modules[module].of == from;
        let key = (module, Rc::clone(name));
        let known = match self.known.get(&key) {
            Some(known) => known.clone(),
            None => {
                if self.asking.len() > HOPS_MAX || !self.asking.insert(key.clone()) {
                    self.circles += 1;
                    // `mod a; pub use a::a;`: the way to the second begins at the first.
                    return self.declared(module, name);
                }
                let circles = self.circles;
                let found = self.look_up(module, name);
                self.asking.remove(&key);
                // A crate that may not be opened now may be opened later, and a name that is part
                // of a circle is found when asked for by itself.
                if self.asking.is_empty() || self.circles == circles {
                    self.known.insert(key, found.clone());
                }
                found
            }
        };
        let shown = known.into_iter().filter(|found| is_own || self.is_seen(module, name, *found));
        shown.collect()
    }

    /// Whether other crates see it under this name.
    fn is_seen(&self, module: ModuleId, name: &Rc<str>, found: Found) -> bool {
        let here = &self.world.modules[module];
        let named = here.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let mut own = named.iter().map(|&at| &here.names[at]);
        let own = own.find(|known| known.target == found.target);
        // What imports bring was checked when it was looked up.
        own.is_none_or(|own| own.is_public)
    }

    fn look_up(&mut self, module: ModuleId, name: &Rc<str>) -> Vec<Found> {
        let found = self.direct(module, name);
        if !found.is_empty() {
            return found;
        }
        let of = self.world.modules[module].of;
        let mut seen: HashSet<ModuleId> = HashSet::from_iter([module]);
        let targets = self.glob_targets(module, true);
        for target in targets.iter() {
            if let Target::Module(hub) = *target
                && hub != module
                && self.world.modules[hub].of == of
                && self.glob_targets(hub, true).len() >= HUB_GLOBS
            {
                // Asked for itself it is remembered, and whoever leads there next need not go on.
                self.name(hub, name, of);
            }
        }
        let mut open: Vec<Target> = targets.iter().rev().copied().collect();
        while let Some(target) = open.pop() {
            let found = match target {
                Target::Def(_) => self.step(&[Found { target, spaces: Spaces::TYPES }], name, of),
                Target::Module(inner) => {
                    if !seen.insert(inner) {
                        continue;
                    }
                    let is_own = self.world.modules[inner].of == of;
                    if is_own && let Some(known) = self.known.get(&(inner, Rc::clone(name))) {
                        if known.is_empty() {
                            continue;
                        }
                        return known.clone();
                    }
                    let mut found = self.direct(inner, name);
                    found.retain(|found| is_own || self.is_seen(inner, name, *found));
                    if found.is_empty() {
                        let more = self.glob_targets(inner, is_own);
                        open.extend(more.iter().rev().copied());
                    }
                    found
                }
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// What is declared in a module under a name.
    fn declared(&self, module: ModuleId, name: &Rc<str>) -> Vec<Found> {
        let here = &self.world.modules[module];
        let own = here.by_name.get(name).map_or(&[][..], Vec::as_slice).iter();
        own.map(|&at| Found { target: here.names[at].target, spaces: here.names[at].spaces })
            // Types of the language are known everywhere, and not by their place.
            .filter(|found| found.spaces != Spaces::PRIMITIVES)
            .collect()
    }

    /// What a name stands for in a module by its declarations and named imports.
    fn direct(&mut self, module: ModuleId, name: &Rc<str>) -> Vec<Found> {
        let mut found = self.declared(module, name);
        let here = &self.world.modules[module];
        let named = here.by_import.get(&Some(Rc::clone(name))).into_iter().flatten();
        let mut imports: Vec<Rc<Import>> = named.map(|&at| Rc::clone(&here.imports[at])).collect();
        imports.sort_by_key(|import| import.presence);
        for import in imports {
            for one in self.path(module, &import.path) {
                if !found.iter().any(|known| known.spaces.meet(one.spaces)) {
                    found.push(one);
                }
            }
        }
        found
    }

    /// What the globs of a module are of, private ones only for its own crate.
    fn glob_targets(&mut self, module: ModuleId, is_own: bool) -> Rc<Vec<Target>> {
        let key = (module, is_own);
        if let Some(known) = self.globs.get(&key) {
            return Rc::clone(known);
        }
        // Until they are known there are none, so that a glob does not wait for itself.
        self.globs.insert(key, Rc::default());
        let here = &self.world.modules[module];
        let globs = here.by_import.get(&None).into_iter().flatten();
        let mut globs: Vec<Rc<Import>> = globs
            .map(|&at| Rc::clone(&here.imports[at]))
            .filter(|import| is_own || import.is_public)
            .collect();
        globs.sort_by_key(|import| import.presence);
        let mut targets = Vec::new();
        let may_open = self.may_open;
        for import in globs {
            // What is imported for use inside leads to no public name.
            self.may_open = may_open && import.is_public;
            targets.extend(self.path(module, &import.path).into_iter().map(|found| found.target));
        }
        self.may_open = may_open;
        let targets = Rc::new(targets);
        self.globs.insert(key, Rc::clone(&targets));
        targets
    }

    /// What a type alias stands for in the end.
    pub(super) fn behind(&mut self, def: DefId) -> DefId {
        let mut at = def;
        for _ in 0..8 {
            let alias = &self.world.defs[at];
            let (module, Some(path)) = (alias.module, alias.stands_for.clone()) else { return at };
            let next = self.path(module, &path).into_iter().find_map(|found| match found.target {
                Target::Def(def) if found.spaces.meet(Spaces::TYPES) => Some(def),
                _ => None,
            });
            match next {
                Some(next) if next != at => at = next,
                _ => return at,
            }
        }
        at
    }
}
