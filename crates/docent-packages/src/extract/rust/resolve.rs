//! What a path leads to: through modules, imports and globs, and into other crates.
//!
//! Another crate is opened only for what is exported from one that is at hand: who uses a crate inside
//! is nobody's business. The memory of what was found is kept as long as nothing new can turn up.

use std::rc::Rc;

use ra_ap_syntax::Edition;

use super::cfg::Presence;
use super::load;
use super::world::{CrateId, Def, DefId, Doubts, Import, ModuleId, Needs, Spaces, Target, World};
use crate::extract::Input;
use crate::hashing::{HashMap, HashSet};
use crate::{Kind, Wanted};

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

/// A name that a glob brings: what it is, what it needs, and the import it came by.
type Brought = (Rc<str>, Found, Needs, Option<Rc<Import>>);

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
        self.forget();
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
            self.circles += 1;
            return Rc::default();
        }
        self.listing.push(module);
        let circles = self.circles;
        let contents = Rc::new(self.list(module));
        self.listing.pop();
        if self.listing.is_empty() || self.circles == circles {
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
        // Names that are declared here, private ones too, hide what globs bring.
        let mut taken: HashMap<Rc<str>, Vec<Spaces>> = HashMap::default();
        for known in &here.names {
            taken.entry(Rc::clone(&known.name)).or_default().push(known.spaces);
        }
        let public = here.imports.iter().filter(|import| import.is_public && !import.is_hidden);
        let mut imports: Vec<Rc<Import>> = public.cloned().collect();
        imports.sort_by_key(|import| (import.name.is_none(), import.presence));
        for import in imports {
            let mut found = self.path(module, &import.path);
            match &import.name {
                Some(name) => {
                    if found.is_empty() {
                        found.extend(self.standard(module, &import, name));
                    }
                    // What is private cannot be exported, so where names are shared it is not meant.
                    let is_any = found.iter().any(|one| self.is_public(one.target));
                    for one in found {
                        if is_any && !self.is_public(one.target) {
                            continue;
                        }
                        if self.is_exported(one, &import) {
                            let needs = import.needs.clone();
                            add(&mut contents, &mut taken, name, one, &import, needs);
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
                        let needs = import.needs.and(&needs);
                        let by = inner.as_ref().unwrap_or(&import);
                        add(&mut contents, &mut taken, &name, one, by, needs);
                    }
                }
            }
        }
        contents
    }

    /// A type or trait of the standard library, whose sources are not at hand, under the name that a
    /// crate exports it by.
    fn standard(&mut self, module: ModuleId, import: &Import, name: &Rc<str>) -> Option<Found> {
        let path = import.path.strip_prefix(&["".into()]).unwrap_or(&import.path);
        let (first, last) = (path.first()?, path.last()?);
        let is_standard = path.len() > 1 && matches!(&**first, "std" | "core" | "alloc");
        // Small letters may be a module, a function or a macro.
        if !is_standard || !last.starts_with(|c: char| c.is_uppercase()) {
            return None;
        }
        let path = path.join("::");
        let signature = match last == name {
            true => format!("pub use {path};"),
            false => format!("pub use {path} as {name};"),
        };
        let known = self.standard.get(&signature).copied();
        let def = known.unwrap_or_else(|| {
            let def = self.world.defs.len();
            self.world.defs.push(Def {
                of: self.world.modules[module].of,
                module,
                name: Rc::clone(name),
                kind: Kind::TypeAlias,
                signature: signature.clone(),
                docs: String::new(),
                deprecated: None,
                file: Rc::clone(&import.file),
                line: import.line,
                needs: Needs::default(),
                is_hidden: false,
                is_primitive: false,
                members: Vec::new(),
                owner: None,
                variants: Vec::new(),
                stands_for: None,
                implements: Vec::new(),
                implementors: Vec::new(),
                doubts: Doubts::default(),
                derefs: false,
                fields: None,
                returned: None,
            });
            self.standard.insert(signature, def);
            def
        });
        Some(Found { target: Target::Def(def), spaces: Spaces::TYPES })
    }

    /// What a glob brings of the public names of what it is of.
    fn glob(&mut self, of: &[Found]) -> Vec<Brought> {
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

    /// Whether something is public where it is declared.
    fn is_public(&self, target: Target) -> bool {
        let (home, name) = match target {
            Target::Module(module) => {
                let module = &self.world.modules[module];
                (module.parent, &module.name)
            }
            Target::Def(def) => {
                let def = &self.world.defs[def];
                // A variant is as public as its enum.
                let of = def.owner.map_or(def, |owner| &self.world.defs[owner]);
                (Some(of.module), &of.name)
            }
        };
        let Some(home) = home else { return true };
        let here = &self.world.modules[home];
        let named = here.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let own = named.iter().map(|&at| &here.names[at]).find(|known| match target {
            Target::Def(def) if self.world.defs[def].owner.is_some() => true,
            _ => known.target == target,
        });
        own.is_none_or(|own| own.is_public)
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

/// Adds a name that an import brings, unless the name is taken.
fn add(
    contents: &mut Vec<Content>,
    taken: &mut HashMap<Rc<str>, Vec<Spaces>>,
    name: &Rc<str>,
    found: Found,
    import: &Rc<Import>,
    needs: Needs,
) {
    let spaces = taken.entry(Rc::clone(name)).or_default();
    if !spaces.iter().any(|known| known.meet(found.spaces)) {
        spaces.push(found.spaces);
        contents.push(Content {
            name: Rc::clone(name),
            target: found.target,
            spaces: found.spaces,
            import: Some(Rc::clone(import)),
            needs,
        });
    }
}
