//! Where the items of a crate are all that there is: modules, types and traits without surprises.
//!
//! After `write`. A module with a glob that leads nowhere, a type that a macro may have added to: none
//! of these is vouched for. What is hidden, or there under other conditions, is named.

use std::rc::Rc;

use super::place::Places;
use super::resolve::Resolver;
use super::returned::Returned;
use super::world::{DefId, Doubts, ModuleId, Spaces, Target};
use super::write::Written;
use crate::hashing::HashSet;
use crate::{Kind, Surface, Whole};

/// How far globs are followed.
const GLOBS_MAX: usize = 64;

pub(super) fn surface(
    resolver: &mut Resolver<'_, '_>,
    places: &Places,
    written: &Written,
) -> Surface {
    resolver.may_open = false;
    // The standard library is made of too much that only its own compiler understands.
    let name = resolver.world.crates.first().map(|it| it.manifest.crate_name.as_str());
    if matches!(name, Some("std" | "core" | "alloc" | "proc_macro" | "test")) {
        return Surface::default();
    }
    let mut certain = Certain { resolver, written, surface: Surface::default() };
    let shown: HashSet<(&str, &str)> =
        written.items.iter().map(|item| (item.module.as_str(), item.path.as_str())).collect();
    for (placed, &item) in places.modules.iter().zip(&written.modules) {
        certain.module(placed.module, item, |name| shown.contains(&(placed.path.as_str(), name)));
    }
    let mut defs: Vec<(DefId, u32)> =
        written.defs.iter().map(|(&def, &item)| (def, item)).collect();
    defs.sort_unstable_by_key(|(_, item)| *item);
    for (def, item) in defs {
        certain.declaration(def, item);
    }
    for (item, owner, returned) in &written.members {
        let is_type = certain.resolver.world.defs[*owner].kind != Kind::Interface;
        certain.returned(*item, is_type.then_some(*owner), returned);
    }
    certain.surface
}

struct Certain<'r, 'a, 'i> {
    resolver: &'r mut Resolver<'a, 'i>,
    written: &'r Written,
    surface: Surface,
}

impl Certain<'_, '_, '_> {
    fn module(&mut self, module: ModuleId, item: u32, is_shown: impl Fn(&str) -> bool) {
        let mut all = Doubts::default();
        self.names(module, &mut HashSet::default(), &mut all);
        all.names.retain(|name| !is_shown(name));
        if !all.is_open {
            self.whole(item, &all);
        }
    }

    /// All names of a module that others can see, and those that they may be able to.
    fn names(&mut self, module: ModuleId, seen: &mut HashSet<ModuleId>, all: &mut Doubts) {
        if all.is_open || !seen.insert(module) {
            return;
        }
        let here = &self.resolver.world.modules[module];
        all.is_open = here.doubts.is_open || seen.len() > GLOBS_MAX;
        // Nothing is vouched for then, whatever else there is.
        if all.is_open {
            return;
        }
        all.stems.extend(here.doubts.stems.iter().cloned());
        all.names.extend(here.doubts.names.iter().cloned());
        let public = here.names.iter().filter(|known| known.is_public);
        all.names.extend(public.map(|known| Rc::clone(&known.name)));
        let public = here.imports.iter().filter(|import| import.is_public);
        let public: Vec<_> = public.cloned().collect();
        for import in public {
            if let Some(name) = &import.name {
                all.names.push(Rc::clone(name));
                continue;
            }
            let found = self.resolver.path(module, &import.path);
            let found: Vec<Target> = found
                .into_iter()
                .filter(|found| found.spaces.meet(Spaces::TYPES))
                .map(|found| found.target)
                .collect();
            all.is_open |= found.is_empty();
            for target in found {
                match target {
                    Target::Module(inner) => self.names(inner, seen, all),
                    Target::Def(def) => {
                        let def = self.resolver.behind(def);
                        let def = &self.resolver.world.defs[def];
                        all.is_open |= def.kind != Kind::Enum || def.doubts.is_open;
                        all.names.extend(def.doubts.names.iter().cloned());
                        let variants = def.variants.iter();
                        let variants = variants.map(|&it| &self.resolver.world.defs[it].name);
                        all.names.extend(variants.cloned());
                    }
                }
            }
        }
    }

    fn declaration(&mut self, id: DefId, item: u32) {
        let def = &self.resolver.world.defs[id];
        let home = &self.resolver.world.crates[def.of];
        let of = def.owner.map_or(def, |owner| &self.resolver.world.defs[owner]);
        let is_whole = !home.is_open
            && !of.doubts.is_open
            && !home.mentioned.contains(&of.name)
            && !self.resolver.world.modules[of.module].doubts.is_open;
        if def.derefs {
            self.surface.derefs.push(item);
        }
        if let Some(fields) = def.fields.as_ref().filter(|_| is_whole) {
            let names = fields.iter().map(|name| name.to_string()).collect();
            self.surface.keywords.push(Whole { item, names });
        }
        match def.kind {
            Kind::Struct | Kind::Enum | Kind::Interface if is_whole && !def.is_primitive => {
                let doubts = def.doubts.clone();
                self.whole(item, &doubts);
            }
            // A variant is a value of its enum.
            Kind::Variant => {
                let of = def.owner.and_then(|owner| self.written.defs.get(&owner));
                self.surface.returns.extend(of.map(|&of| (item, of)));
            }
            Kind::TypeAlias => {
                let behind = self.resolver.behind(id);
                if behind != id && self.is_type(behind) {
                    let of = self.written.defs.get(&behind);
                    self.surface.returns.extend(of.map(|&of| (item, of)));
                }
            }
            Kind::Function | Kind::Constant | Kind::Variable => {
                if let Some(returned) = def.returned.clone() {
                    self.returned(item, None, &returned);
                }
            }
            _ => {}
        }
    }

    fn whole(&mut self, item: u32, doubts: &Doubts) {
        let sorted = |names: &[Rc<str>]| {
            let mut names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        self.surface.members.push(Whole { item, names: sorted(&doubts.names) });
        if !doubts.stems.is_empty() {
            self.surface.stems.push(Whole { item, names: sorted(&doubts.stems) });
        }
    }

    fn is_type(&self, def: DefId) -> bool {
        matches!(self.resolver.world.defs[def].kind, Kind::Struct | Kind::Enum)
    }

    /// Vouches for the type of a value, if it is one of the items.
    fn returned(&mut self, item: u32, own: Option<DefId>, returned: &Returned) {
        let Returned { module, path, wrapper, is_awaited } = returned;
        let of = match &path[..] {
            [only] if &**only == "Self" => own,
            path => self.resolved(*module, path).map(|def| self.resolver.behind(def)),
        };
        let Some(of) = of.filter(|&of| self.is_type(of)) else { return };
        let Some(&of) = self.written.defs.get(&of) else { return };
        if let Some(wrapper) = wrapper {
            if !self.is_wrapper(*module, wrapper) {
                return;
            }
            self.surface.wrapped.push(item);
        }
        if *is_awaited {
            self.surface.awaited.push(item);
        }
        self.surface.returns.push((item, of));
    }

    fn resolved(&mut self, module: ModuleId, path: &[Rc<str>]) -> Option<DefId> {
        let mut found = self.resolver.path(module, path).into_iter();
        found.find_map(|found| match found.target {
            Target::Def(def) if found.spaces.meet(Spaces::TYPES) => Some(def),
            _ => None,
        })
    }

    /// Whether a `Result` or `Option` is the language's own, or another name for it.
    fn is_wrapper(&mut self, module: ModuleId, path: &[Rc<str>]) -> bool {
        let Some(id) = self.resolved(module, path) else { return true };
        let def = &self.resolver.world.defs[id];
        // What was written is no longer in the world.
        let written = self.written.defs.get(&id).map(|&item| &self.written.items[item as usize]);
        let signature = written.map_or(def.signature.as_str(), |item| &item.signature);
        def.kind == Kind::TypeAlias && passes_on(signature)
    }
}

/// Whether `type Result<T> = …Result<T, Error>`: the first parameter is what is inside.
fn passes_on(signature: &str) -> bool {
    let Some((head, body)) = signature.rsplit_once(" = ") else { return false };
    let Some((_, parameters)) = head.split_once('<') else { return false };
    let mut parameters = parameters.split(',').map(str::trim).filter(|it| !it.starts_with('\''));
    let Some(first) = parameters.next() else { return false };
    let end = first.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(first.len());
    let Some((path, arguments)) = body.split_once('<') else { return false };
    let is_wrapper = path.ends_with("Result") || path.ends_with("Option");
    let passed = arguments.trim_start().strip_prefix(&first[..end]);
    is_wrapper && passed.is_some_and(|rest| rest.trim_start().starts_with([',', '>']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_of_result_passes_its_parameter_on() {
        for (signature, expected) in [
            ("pub type Result<T> = std::result::Result<T, Error>", true),
            ("pub type Result<T, E = Error> = core::result::Result<T, E>", true),
            ("pub type Result<'a, T> = Result<T, Error<'a>>", true),
            ("pub type Result<E> = std::result::Result<(), E>", false),
            ("pub type Result = std::result::Result<(), Error>", false),
            ("pub type Result<T> = Poll<T>", false),
            ("pub type Result<T> = std::result::Result<Tx, T>", false),
        ] {
            assert_eq!(passes_on(signature), expected, "{signature}");
        }
    }
}
