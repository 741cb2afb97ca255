//! Where everything is known: modules whose every `export *` was followed, types without index
//! signatures or bases out of sight; and what functions take and return.
//!
//! Runs when all items are written. Only declarations count: a script may export and assign what
//! only running it would tell.

use std::rc::Rc;

use super::beside::is_types;
use super::declare::Writer;
use super::link::{Linker, Target};
use super::place::Module;
use super::program::{DeclarationKind, ScopeId, Shape, SymbolId};
use super::typing::{self, Signature};
use crate::hashing::{HashMap, HashSet};
use crate::{Kind, Surface, Text, Whole};

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
        let mut children: HashMap<u32, HashSet<&str>> = HashMap::default();
        for item in &self.items {
            if let Some(parent) = item.parent {
                children.entry(parent).or_default().insert(item.name());
            }
        }
        let mut written: Vec<(Target, u32)> =
            self.written.iter().map(|(target, item)| (*target, *item)).collect();
        written.sort_unstable_by_key(|(_, item)| *item);
        for (target, item) in written {
            let names = match target {
                Target::Symbol(symbol) => closed.all_of(self.linker, symbol),
                Target::Module(scope) => closed.module(self.linker, scope),
            };
            let Some(mut names) = names else { continue };
            if let Some(shown) = children.get(&item) {
                names.retain(|name| !shown.contains(name.as_str()));
            }
            surface.members.push(Whole { item, names });
        }
        self.types(&mut surface);
        surface
    }

    /// What functions take and return, where it is a type that has an item.
    fn types(&mut self, surface: &mut Surface) {
        let mut scopes: HashMap<Text, ScopeId> = HashMap::default();
        for file in 0..self.linker.program.files.len() {
            let scope = self.linker.program.files[file].scope;
            scopes.insert(self.file_name(file), scope);
        }
        let mut known: HashMap<(ScopeId, String), Option<u32>> = HashMap::default();
        // What is inherited has the signature that it is declared with, and neighbors have one parent.
        let mut signatures: HashMap<(usize, usize), Option<Rc<Signature>>> = HashMap::default();
        let mut generics: HashMap<u32, Rc<Vec<String>>> = HashMap::default();
        let mut typed = Vec::new();
        for (at, item) in (0u32..).zip(&self.items) {
            let is_typed = matches!(
                item.kind,
                Kind::Function | Kind::Method | Kind::Property | Kind::Constant | Kind::Variable
            );
            let Some(&scope) = scopes.get(&item.file).filter(|_| is_typed) else { continue };
            let place = (item.signature.as_ptr().addr(), item.signature.len());
            let signature = signatures
                .entry(place)
                .or_insert_with(|| Signature::of(&item.signature).map(Rc::new));
            let Some(signature) = signature else { continue };
            let of_parent = |parent: u32| {
                let known = generics.entry(parent);
                let parent = &self.items[parent as usize].signature;
                Rc::clone(known.or_insert_with(|| Rc::new(typing::generics(parent))))
            };
            let generics = item.parent.map(of_parent).unwrap_or_default();
            typed.push((at, scope, item.parent, Rc::clone(signature), generics));
        }
        let mut find = |writer: &mut Self, scope: ScopeId, name: &str, generics: &[String]| {
            if generics.iter().any(|generic| generic == name) {
                return None;
            }
            let key = (scope, name.to_owned());
            if let Some(known) = known.get(&key) {
                return *known;
            }
            let path: Vec<Box<str>> = name.split('.').map(Into::into).collect();
            let quiet = std::mem::replace(&mut writer.linker.quiet, true);
            let target = writer.linker.lookup_path(scope, &path);
            writer.linker.quiet = quiet;
            let item = target.and_then(|target| writer.written.get(&target).copied());
            known.insert(key, item);
            item
        };
        for (at, scope, parent, signature, generics) in typed {
            if signature.awaited {
                surface.awaited.push(at);
            }
            match signature.returns.as_deref() {
                Some("this") => surface.returns.extend(parent.map(|parent| (at, parent))),
                Some(name) => {
                    let of = find(self, scope, name, &generics);
                    surface.returns.extend(of.map(|of| (at, of)));
                }
                None => {}
            }
            for (count, name) in &signature.returns_for {
                let of = match name.as_str() {
                    "this" => parent,
                    name => find(self, scope, name, &generics),
                };
                surface.returns_for.extend(of.map(|of| (at, *count, of)));
            }
            for (position, name) in (0u32..).zip(&signature.takes) {
                let Some(name) = name else { continue };
                let of = find(self, scope, name, &generics);
                surface.takes.extend(of.map(|of| (at, position, of)));
            }
        }
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
        let members = linker.members(symbol);
        let mut names: Vec<String> =
            members.iter().map(|flat| flat.member.name.to_string()).collect();
        for scope in linker.namespaces(symbol) {
            names.extend(linker.export_names(scope));
        }
        names.sort_unstable();
        names.dedup();
        Some(names)
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
