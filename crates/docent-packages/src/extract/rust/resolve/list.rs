//! All that a module shows to others: what it declares, what it exports by name and what its globs bring.

use std::rc::Rc;

use super::super::cfg::Presence;
use super::super::world::{Def, Doubts, Import, ModuleId, Needs, Spaces, Target};
use super::{Content, Found, HOPS_MAX, Resolver};
use crate::Kind;
use crate::hashing::HashMap;

/// A name that a glob brings: what it is, what it needs, and the import it came by.
type Brought = (Rc<str>, Found, Needs, Option<Rc<Import>>);

impl Resolver<'_, '_> {
    /// All public names of a module.
    pub(in crate::extract::rust) fn contents(&mut self, module: ModuleId) -> Rc<Vec<Content>> {
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
                    if found.is_empty() {
                        found = self.exported(module, &import.path);
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

    /// What a module exports under the last name of a path, though nothing at hand declares it.
    fn exported(&mut self, module: ModuleId, path: &[Rc<str>]) -> Vec<Found> {
        let Some((last, before)) = path.split_last().filter(|(_, before)| !before.is_empty())
        else {
            return Vec::new();
        };
        let modules = self.path(module, before).into_iter();
        let modules = modules.filter_map(|found| match found.target {
            Target::Module(inner) if inner != module => Some(inner),
            _ => None,
        });
        let mut all = Vec::new();
        for inner in modules.collect::<Vec<_>>() {
            let contents = self.contents(inner);
            let named = contents.iter().filter(|content| content.name == *last);
            all.extend(
                named.map(|content| Found { target: content.target, spaces: content.spaces }),
            );
        }
        all
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
    pub(in crate::extract::rust) fn is_public(&self, target: Target) -> bool {
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
