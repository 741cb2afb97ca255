//! What a path leads to: through modules, imports and globs, and into other crates.
//!
//! Another crate is opened only for what is exported from one that is at hand: who uses a crate inside
//! is nobody's business. The memory of what was found is kept as long as nothing new can turn up.

use std::rc::Rc;

use ra_ap_syntax::Edition;

use super::cfg::Presence;
use super::load;
use super::world::{CrateId, DefId, Import, ModuleId, Needs, Spaces, Target, World};
use crate::extract::Input;
use crate::hashing::{HashMap, HashSet};
use crate::{Kind, Wanted};

/// Imports that lead to imports.
const HOPS_MAX: usize = 64;

/// Finds what names stand for.
pub(super) struct Resolver<'a, 'i> {
    pub(super) input: &'a Input<'i>,
    pub(super) world: World,
    pub(super) wanted: Vec<Wanted>,
    /// Whether other crates may be opened now.
    pub(super) may_open: bool,
    opened: HashMap<String, Option<CrateId>>,
    known: HashMap<(ModuleId, Rc<str>), Vec<Found>>,
    asking: HashSet<(ModuleId, Rc<str>)>,
    listed: HashMap<ModuleId, Rc<Vec<Content>>>,
    listing: Vec<ModuleId>,
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
            asking: HashSet::default(),
            listed: HashMap::default(),
            listing: Vec::new(),
        }
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
                    return Vec::new();
                }
                let found = self.look_up(module, name);
                self.asking.remove(&key);
                // A crate that may not be opened now may be opened later, and a name that is part
                // of a circle is found when asked for by itself.
                if self.asking.is_empty() && (self.may_open || !found.is_empty()) {
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
        let names = &self.world.modules[module].names;
        let own = names.iter().find(|known| known.name == *name && known.target == found.target);
        // What imports bring was checked when it was looked up.
        own.is_none_or(|own| own.is_public)
    }

    fn look_up(&mut self, module: ModuleId, name: &Rc<str>) -> Vec<Found> {
        let here = &self.world.modules[module];
        let of = here.of;
        let own = here.names.iter().filter(|known| known.name == *name);
        let mut found: Vec<Found> =
            own.map(|known| Found { target: known.target, spaces: known.spaces }).collect();
        let mut imports: Vec<Import> = here.imports.clone();
        imports.sort_by_key(|import| (import.name.is_none(), import.presence));
        for import in imports {
            if import.name.as_ref().is_some_and(|own| own != name) {
                continue;
            }
            let mut more = self.path(module, &import.path);
            if import.name.is_none() {
                more = self.step(&more, name, of);
            }
            for one in more {
                if !found.iter().any(|known| known.spaces.meet(one.spaces)) {
                    found.push(one);
                }
            }
        }
        found
    }

    /// The root of a crate that another one depends on, opened if that is allowed.
    fn extern_crate(&mut self, of: CrateId, name: &str) -> Option<ModuleId> {
        let from = &self.world.crates[of];
        if from.manifest.crate_name == name {
            return Some(from.root);
        }
        let dependency = from.manifest.dependency(name)?.clone();
        let wanted_by = from.package.name.clone();
        if let Some(opened) = self.opened.get(&dependency.package) {
            return opened.map(|opened| self.world.crates[opened].root);
        }
        if !self.may_open {
            return None;
        }
        let packages = self.input.packages();
        let mut package = packages.into_iter().skip(1).find(|it| it.name == dependency.package);
        if package.is_none() {
            let wanted = Wanted {
                name: dependency.package.clone(),
                requirement: dependency.requirement.clone(),
                wanted_by,
                optional: dependency.optional,
            };
            package = self.input.open(&wanted);
            if package.is_none() && !self.wanted.contains(&wanted) {
                self.wanted.push(wanted);
            }
        }
        let opened = package.and_then(|package| load::load(self.input, &mut self.world, package));
        self.opened.insert(dependency.package, opened);
        self.known.clear();
        opened.map(|opened| self.world.crates[opened].root)
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

    /// All public names of a module.
    pub(super) fn contents(&mut self, module: ModuleId) -> Rc<Vec<Content>> {
        if let Some(listed) = self.listed.get(&module) {
            return Rc::clone(listed);
        }
        if self.listing.contains(&module) || self.listing.len() > HOPS_MAX {
            return Rc::default();
        }
        self.listing.push(module);
        let contents = Rc::new(self.list(module));
        self.listing.pop();
        if self.listing.is_empty() {
            self.listed.insert(module, Rc::clone(&contents));
        }
        contents
    }

    fn list(&mut self, module: ModuleId) -> Vec<Content> {
        let here = &self.world.modules[module];
        let shown = here.names.iter().filter(|known| known.is_public && !known.is_hidden);
        let mut contents: Vec<Content> = shown
            .map(|known| Content {
                name: Rc::clone(&known.name),
                target: known.target,
                spaces: known.spaces,
                import: None,
                needs: Needs::default(),
            })
            .collect();
        // What is private hides what globs bring.
        let private: Vec<(Rc<str>, Spaces)> = here
            .names
            .iter()
            .filter(|known| !known.is_public || known.is_hidden)
            .map(|known| (Rc::clone(&known.name), known.spaces))
            .collect();
        let public = here.imports.iter().filter(|import| import.is_public && !import.is_hidden);
        let mut imports: Vec<Rc<Import>> = public.cloned().map(Rc::new).collect();
        imports.sort_by_key(|import| (import.name.is_none(), import.presence));
        for import in imports {
            let found = self.path(module, &import.path);
            match &import.name {
                Some(name) => {
                    for one in found {
                        if self.is_exported(one, &import) {
                            add(&mut contents, name, one, &import, &import.needs);
                        }
                    }
                }
                None => {
                    // The same import on another platform brings other things of the same names.
                    if import.presence != Presence::Here {
                        continue;
                    }
                    let brought = self.glob(&found);
                    for (name, one, needs, inner) in brought {
                        let hidden = private
                            .iter()
                            .any(|(own, spaces)| *own == name && spaces.meet(one.spaces));
                        if !hidden {
                            let needs = import.needs.and(&needs);
                            add(
                                &mut contents,
                                &name,
                                one,
                                inner.as_ref().unwrap_or(&import),
                                &needs,
                            );
                        }
                    }
                }
            }
        }
        contents
    }

    /// What a glob brings of the public names of what it is of.
    fn glob(&mut self, of: &[Found]) -> Vec<(Rc<str>, Found, Needs, Option<Rc<Import>>)> {
        let mut brought = Vec::new();
        for found in of {
            match found.target {
                Target::Module(module) => {
                    for content in self.contents(module).iter() {
                        let one = Found { target: content.target, spaces: content.spaces };
                        let name = Rc::clone(&content.name);
                        brought.push((name, one, content.needs.clone(), content.import.clone()));
                    }
                }
                Target::Def(def) if self.world.defs[def].kind == Kind::Enum => {
                    for &variant in &self.world.defs[def].variants {
                        let (target, spaces) = (Target::Def(variant), Spaces::TYPES_AND_VALUES);
                        let name = Rc::clone(&self.world.defs[variant].name);
                        brought.push((name, Found { target, spaces }, Needs::default(), None));
                    }
                }
                Target::Def(_) => {}
            }
        }
        brought
    }

    /// Whether an import shows something: not what is hidden, nor a private macro of the same name.
    fn is_exported(&self, found: Found, import: &Import) -> bool {
        match found.target {
            Target::Def(def) => {
                let def = &self.world.defs[def];
                !def.is_hidden || import.is_inline
            }
            Target::Module(module) => !self.world.modules[module].is_hidden || import.is_inline,
        }
    }
}

fn add(
    contents: &mut Vec<Content>,
    name: &Rc<str>,
    found: Found,
    import: &Rc<Import>,
    needs: &Needs,
) {
    let taken = contents.iter().any(|known| known.name == *name && known.spaces.meet(found.spaces));
    if !taken {
        contents.push(Content {
            name: Rc::clone(name),
            target: found.target,
            spaces: found.spaces,
            import: Some(Rc::clone(import)),
            needs: needs.clone(),
        });
    }
}
