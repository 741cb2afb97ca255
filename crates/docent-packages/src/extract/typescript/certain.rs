//! Where everything is known: modules whose every `export *` was followed, types without index
//! signatures or bases out of sight.
//!
//! Runs when all items are written; [`super::calls`] adds what functions take and return. Only
//! declarations count: a script may export and assign what only running it would tell.

use super::beside::is_types;
use super::declare::Writer;
use super::inherit::Flat;
use super::link::{Linker, Target};
use super::place::Module;
use super::program::{DeclarationKind, ScopeId, Shape, SymbolId};
use crate::hashing::{HashMap, HashSet};
use crate::{Item, Surface, Whole};

/// How many types are followed into one another.
const DEEP_MAX: usize = 32;

/// What has been decided about types, or is being decided.
#[derive(Default)]
struct Closed(HashMap<SymbolId, bool>);

impl Writer<'_, '_> {
    /// What is certain about the items that were written.
    pub(super) fn surface(
        &mut self,
        modules: &[Module],
        module_items: &HashMap<&str, u32>,
    ) -> Surface {
        let mut surface = Surface::default();
        let mut closed = Closed::default();
        for module in modules.iter().filter(|module| !module.open) {
            let Some(&item) = module_items.get(module.specifier.as_str()) else { continue };
            if let Some(names) = closed.module(self.linker, module.scope) {
                surface.members.push(Whole { item, names });
            }
        }
        let mut written: Vec<(Target, u32)> =
            self.written.iter().map(|(target, item)| (*target, *item)).collect();
        written.sort_unstable_by_key(|(_, item)| *item);
        let children = Children::of(&self.items);
        let mut shown: HashSet<&str> = HashSet::default();
        for (target, item) in written {
            let is_known = match target {
                Target::Symbol(symbol) => closed.symbol(self.linker, symbol, DEEP_MAX),
                Target::Module(_) => true,
            };
            if !is_known {
                continue;
            }
            shown.clear();
            shown.extend(children.names(item, &self.items));
            let names = match target {
                Target::Symbol(symbol) => self.linker.all_names(symbol, &shown),
                Target::Module(scope) => match closed.module(self.linker, scope) {
                    Some(mut names) => {
                        names.retain(|name| !shown.contains(name.as_str()));
                        names
                    }
                    None => continue,
                },
            };
            surface.members.push(Whole { item, names });
        }
        self.types(&mut surface);
        surface
    }
}

/// The children of items: all of them one after the other, and where those of each item begin.
struct Children {
    all: Vec<u32>,
    first: Vec<usize>,
}

impl Children {
    fn of(items: &[Item]) -> Self {
        let mut first = vec![0; items.len() + 2];
        for parent in items.iter().filter_map(|item| item.parent) {
            first[parent as usize + 2] += 1;
        }
        for at in 2..first.len() {
            first[at] += first[at - 1];
        }
        let mut all = vec![0; first[first.len() - 1]];
        for (at, item) in (0u32..).zip(items) {
            if let Some(parent) = item.parent {
                let next = &mut first[parent as usize + 1];
                all[*next] = at;
                *next += 1;
            }
        }
        Self { all, first }
    }

    fn names<'i>(&self, item: u32, items: &'i [Item]) -> impl Iterator<Item = &'i str> {
        let range = self.first[item as usize]..self.first[item as usize + 1];
        self.all[range].iter().map(|&child| items[child as usize].name())
    }
}

impl Closed {
    /// All names that a module exports, if that is certain.
    fn module(&mut self, linker: &mut Linker<'_>, scope: ScopeId) -> Option<Vec<String>> {
        if !is_declared(linker, scope) || !linker.stars_are_known(scope) {
            return None;
        }
        let mut names = linker.export_names(scope);
        if linker.program.scopes[scope].assigned.is_some() {
            match linker.assigned_to(scope)? {
                Target::Symbol(symbol) => names.extend(self.all_of(linker, symbol)?),
                Target::Module(_) => return None,
            }
        }
        names.sort_unstable();
        names.dedup();
        Some(names)
    }

    /// All members of a type and its values, if that is certain.
    fn all_of(&mut self, linker: &mut Linker<'_>, symbol: SymbolId) -> Option<Vec<String>> {
        if !self.symbol(linker, symbol, DEEP_MAX) {
            return None;
        }
        Some(linker.all_names(symbol, &HashSet::default()))
    }

    fn symbol(&mut self, linker: &mut Linker<'_>, symbol: SymbolId, deep: usize) -> bool {
        if let Some(&known) = self.0.get(&symbol) {
            return known;
        }
        let Some(deep) = deep.checked_sub(1) else { return false };
        // A type that leads back to itself adds nothing on the way.
        self.0.insert(symbol, true);
        let closed = self.declarations(linker, symbol, deep);
        self.0.insert(symbol, closed);
        closed
    }

    fn declarations(&mut self, linker: &mut Linker<'_>, symbol: SymbolId, deep: usize) -> bool {
        let mut shapes: Vec<(Shape, ScopeId)> = Vec::new();
        for one in &linker.program.symbols[symbol].declarations {
            let is_odd = |name: &str| name.starts_with('[') && !name.starts_with("[Symbol.");
            if !is_types(&linker.program.files[one.file].path)
                || one.members.iter().any(|member| is_odd(&member.name))
            {
                return false;
            }
            shapes.extend(one.bases.iter().map(|base| (base.clone(), one.home)));
            match one.kind {
                DeclarationKind::TypeAlias => {
                    let is_own = matches!(one.shape, Shape::Literal(_) | Shape::Intersection(_));
                    if !is_own || !one.parameters.is_empty() {
                        return false;
                    }
                    shapes.push((one.shape.clone(), one.home));
                }
                DeclarationKind::Const | DeclarationKind::Variable => {
                    shapes.push((one.shape.clone(), one.home));
                }
                _ => {}
            }
        }
        for scope in linker.namespaces(symbol) {
            if !linker.program.scopes[scope].stars.is_empty() {
                return false;
            }
        }
        !linker.program.symbols[symbol].declarations.is_empty()
            && shapes.iter().all(|(shape, home)| self.shape(linker, shape, *home, deep))
    }

    fn shape(
        &mut self,
        linker: &mut Linker<'_>,
        shape: &Shape,
        home: ScopeId,
        deep: usize,
    ) -> bool {
        let Some(deep) = deep.checked_sub(1) else { return false };
        match shape {
            Shape::Unknown => false,
            Shape::Function => true,
            Shape::Literal(members) => !members
                .iter()
                .any(|member| member.name.starts_with('[') && !member.name.starts_with("[Symbol.")),
            Shape::Intersection(parts) => {
                parts.iter().all(|part| self.shape(linker, part, home, deep))
            }
            Shape::Omit(inner, _) => self.shape(linker, inner, home, deep),
            Shape::Pick(inner, keys) => !keys.is_empty() && self.shape(linker, inner, home, deep),
            Shape::Bound(inner, home) => self.shape(linker, inner, *home, deep),
            named => {
                let quiet = std::mem::replace(&mut linker.quiet, true);
                let target = linker.shape_target(named, home);
                linker.quiet = quiet;
                match target {
                    Some(Target::Symbol(symbol)) => self.symbol(linker, symbol, deep),
                    _ => false,
                }
            }
        }
    }
}

/// Whether a scope is written in a file of declarations.
fn is_declared(linker: &Linker<'_>, scope: ScopeId) -> bool {
    is_types(&linker.program.file_of(scope).path)
}

impl Linker<'_> {
    /// The names of all members of a type and its values that are not among those shown.
    fn all_names(&mut self, symbol: SymbolId, shown: &HashSet<&str>) -> Vec<String> {
        let members = self.members(symbol);
        let names = members.iter().map(Flat::name);
        let mut names: Vec<String> =
            names.filter(|name| !shown.contains(name)).map(str::to_owned).collect();
        for scope in self.namespaces(symbol) {
            let exported = self.export_names(scope);
            names.extend(exported.into_iter().filter(|name| !shown.contains(name.as_str())));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether all modules of `export *` could be followed, and so could theirs.
    fn stars_are_known(&mut self, scope: ScopeId) -> bool {
        let mut seen = HashSet::from_iter([scope]);
        let mut queue = vec![scope];
        while let Some(here) = queue.pop() {
            let file = self.program.scopes[here].file;
            if !is_types(&self.program.files[file].path) {
                return false;
            }
            for star in self.program.scopes[here].stars.clone() {
                let quiet = std::mem::replace(&mut self.quiet, true);
                let module = self.module(file, &star);
                self.quiet = quiet;
                let Some(module) = module else { return false };
                // What `export =` gives to a star is not followed here.
                if self.program.scopes[module].assigned.is_some() {
                    return false;
                }
                if seen.insert(module) {
                    queue.push(module);
                }
            }
        }
        true
    }
}
