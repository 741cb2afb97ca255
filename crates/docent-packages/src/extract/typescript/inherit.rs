//! All members of a type: its own, and those of what it extends or is made of.
//!
//! Feeds [`super::declare`]. Bases are followed across files and packages a bounded number of steps.

use std::cell::OnceCell;
use std::rc::Rc;

use super::link::{Linker, Target};
use super::members::Worded;
use super::program::{DeclarationKind, Member, ScopeId, Shape, SymbolId};
use super::resolve::NODE_TYPES;
use crate::hashing::{HashMap, HashSet};

/// How many types are followed into one another.
const DEEP_MAX: usize = 32;
/// How deep type parameters are replaced.
const SUBSTITUTIONS_DEEP_MAX: usize = 16;
/// How many members one type can get from others.
const MEMBERS_MAX: usize = 4000;

/// The types of the language itself that people extend.
const STANDARD: &str = " Array ArrayBuffer ArrayLike AsyncGenerator AsyncIterable AsyncIterableIterator \
    AsyncIterator Boolean Date Error EvalError Event EventTarget Function Generator Iterable \
    IterableIterator Iterator Map Number Object Promise PromiseLike Proxy RangeError ReadonlyArray \
    ReadonlyMap ReadonlySet Record ReferenceError RegExp Set String Symbol SyntaxError TypeError \
    URIError Uint8Array WeakMap WeakSet AggregateError ";

/// The declarations of one member: overloads and accessors of one name are one. All who inherit it
/// share it.
pub(super) struct Group {
    pub(super) first: Member,
    pub(super) others: Vec<Member>,
    /// What it says; `None` inside if it is not for users.
    pub(super) worded: OnceCell<Option<Rc<Worded>>>,
}

impl Group {
    pub(super) fn all(&self) -> impl Iterator<Item = &Member> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

/// A member, and the type that declares it; `None` where it is the type at hand.
#[derive(Clone)]
pub(super) struct Flat {
    pub(super) group: Rc<Group>,
    pub(super) from: Option<Rc<str>>,
    /// Whether the type that declares it is public, and has it among its own items.
    pub(super) public: bool,
}

impl Flat {
    pub(super) fn name(&self) -> &str {
        &self.group.first.name
    }
}

/// Members that a type declares itself, in the order of the first declaration of each.
pub(super) fn own<'m>(members: impl Iterator<Item = &'m Member>) -> Vec<Flat> {
    let mut groups: Vec<Group> = Vec::with_capacity(members.size_hint().0);
    let mut known: HashMap<(&str, bool), usize> = HashMap::default();
    for member in members {
        let at = *known.entry((&member.name, member.is_static)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.others.push(member.clone()),
            None => {
                let (first, others) = (member.clone(), Vec::new());
                groups.push(Group { first, others, worded: OnceCell::new() });
            }
        }
    }
    let flat = |group| Flat { group: Rc::new(group), from: None, public: false };
    groups.into_iter().map(flat).collect()
}

impl Linker<'_> {
    /// The members of a symbol's declarations and of all their bases, nearest first.
    pub(super) fn members(&mut self, symbol: SymbolId) -> Rc<Vec<Flat>> {
        self.members_within(symbol, DEEP_MAX)
    }

    fn members_within(&mut self, symbol: SymbolId, deep: usize) -> Rc<Vec<Flat>> {
        if let Some(known) = self.flat.get(&symbol) {
            return Rc::clone(known);
        }
        let Some(deep) = deep.checked_sub(1) else { return Rc::default() };
        // While it is being collected, a type that extends itself finds nothing here.
        self.flat.insert(symbol, Rc::default());
        let declarations = &self.program.symbols[symbol].declarations;
        let mut found = own(declarations.iter().flat_map(|declaration| &declaration.members));
        let mut bases: Vec<(Shape, ScopeId)> = Vec::new();
        for declaration in declarations {
            bases.extend(declaration.bases.iter().map(|base| (base.clone(), declaration.home)));
            match &declaration.shape {
                Shape::Unknown | Shape::Function => {}
                // A plain alias has no members of its own to show.
                Shape::Named(_) | Shape::Import { .. } | Shape::Typeof(_) | Shape::Applied(..)
                    if declaration.kind == DeclarationKind::TypeAlias => {}
                shape => bases.push((shape.clone(), declaration.home)),
            }
        }
        let mut names: HashSet<(Rc<str>, bool)> = HashSet::default();
        for (shape, home) in bases {
            let inherited = self.shape_members(&shape, home, deep);
            add(&mut found, inherited, &mut names);
            if found.len() > MEMBERS_MAX {
                break;
            }
        }
        let found = Rc::new(found);
        self.flat.insert(symbol, Rc::clone(&found));
        found
    }

    /// The members of a type that is written out.
    pub(super) fn shape_members(&mut self, shape: &Shape, home: ScopeId, deep: usize) -> Vec<Flat> {
        let Some(deep) = deep.checked_sub(1) else { return Vec::new() };
        match shape {
            Shape::Unknown | Shape::Function => Vec::new(),
            Shape::Literal(members) => own(members.iter()),
            Shape::Intersection(parts) => {
                let mut names = HashSet::default();
                let mut found: Vec<Flat> = Vec::new();
                // What is written out narrows what is named.
                let (own, others): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| matches!(part, Shape::Literal(_)));
                for part in own.into_iter().chain(others) {
                    let more = self.shape_members(part, home, deep);
                    add(&mut found, more, &mut names);
                }
                found
            }
            Shape::Omit(inner, keys) => {
                let mut found = self.shape_members(inner, home, deep);
                found.retain(|flat| !keys.iter().any(|key| **key == *flat.name()));
                found
            }
            Shape::Pick(inner, keys) => {
                let mut found = self.shape_members(inner, home, deep);
                found.retain(|flat| keys.iter().any(|key| **key == *flat.name()));
                found
            }
            Shape::Bound(inner, home) => self.shape_members(inner, *home, deep),
            Shape::Applied(_, arguments) => match self.shape_target(shape, home) {
                Some(Target::Symbol(symbol)) => match self.applied(symbol, arguments, home) {
                    Some((shape, home)) => self.shape_members(&shape, home, deep),
                    None => self.inherited(symbol, deep),
                },
                _ => Vec::new(),
            },
            shape => match self.shape_target(shape, home) {
                Some(Target::Symbol(symbol)) => self.inherited(symbol, deep),
                _ => Vec::new(),
            },
        }
    }

    fn inherited(&mut self, symbol: SymbolId, deep: usize) -> Vec<Flat> {
        let members = self.members_within(symbol, deep);
        let name = self.public_name(symbol);
        let public = self.placed.contains(&symbol);
        let named = |flat: &Flat| Flat {
            group: Rc::clone(&flat.group),
            from: Some(flat.from.clone().unwrap_or_else(|| Rc::clone(&name))),
            public: flat.public || public,
        };
        let mut found: Vec<Flat> = members.iter().map(named).collect();
        // An alias stands for what it names.
        if found.is_empty() {
            let declarations = &self.program.symbols[symbol].declarations;
            let aliases = declarations.iter().find_map(|declaration| {
                let named = matches!(
                    declaration.shape,
                    Shape::Named(_) | Shape::Import { .. } | Shape::Typeof(_) | Shape::Applied(..)
                );
                named.then(|| (declaration.shape.clone(), declaration.home))
            });
            if let Some((shape, home)) = aliases {
                found = self.shape_members(&shape, home, deep);
            }
        }
        found
    }

    /// What an alias stands for when it is applied to types, and where its names are looked up.
    fn applied(
        &self,
        symbol: SymbolId,
        arguments: &[Shape],
        home: ScopeId,
    ) -> Option<(Shape, ScopeId)> {
        let declarations = &self.program.symbols[symbol].declarations;
        let alias = declarations.iter().find(|one| one.kind == DeclarationKind::TypeAlias)?;
        let bound: Vec<(&str, Shape)> = alias
            .parameters
            .iter()
            .zip(arguments)
            .map(|(name, shape)| (&**name, Shape::Bound(Box::new(shape.clone()), home)))
            .collect();
        let (shape, changed) = substituted(&alias.shape, &bound, SUBSTITUTIONS_DEEP_MAX);
        changed.then_some((shape, alias.home))
    }

    /// The symbol or module that a named type stands for.
    pub(super) fn shape_target(&mut self, shape: &Shape, home: ScopeId) -> Option<Target> {
        match shape {
            Shape::Bound(inner, home) => match inner.as_ref() {
                Shape::Bound(..) => None,
                inner => self.shape_target(inner, *home),
            },
            Shape::Named(path) | Shape::Typeof(path) | Shape::Applied(path, _) => {
                let found = self.lookup_path(home, path);
                if found.is_none() {
                    self.want_globals(home, &path[0]);
                    return self.lookup_path(home, path);
                }
                found
            }
            Shape::Import { module, path } => {
                let file = self.program.scopes[home].file;
                let scope = self.module(file, module)?;
                let mut target = self.assigned_to(scope).unwrap_or(Target::Module(scope));
                for name in path {
                    target = self.member(target, name)?;
                }
                Some(target)
            }
            _ => None,
        }
    }

    /// Reads, or asks for, the packages whose global declarations a file refers to.
    fn want_globals(&mut self, home: ScopeId, name: &str) {
        let file = self.program.file_of(home);
        let package = file.package;
        let mut types = file.reference_types.clone();
        if name == "NodeJS" {
            types.push("node".to_owned());
        } else if STANDARD.contains(&format!(" {name} "))
            || self.program.scopes[self.program.file_of(home).scope].names.contains_key(name)
        {
            // It is imported, so the package it comes from has been asked for; or it is in every
            // TypeScript library.
            return;
        }
        for name in types {
            let typed = super::resolve::types_package(&name);
            let mut at = self.position(&typed).or_else(|| self.position(&name));
            if at.is_none() && !is_library_name(&name) {
                let listed = self.manifests[package].range(&name).is_some();
                let wanted = if typed == NODE_TYPES || !listed { &typed } else { &name };
                at = self.want(package, wanted);
            }
            if let Some(at) = at
                && let Some(main) = self.manifests[at].file(&self.packages[at].tree, "")
            {
                self.load(at, &main);
            }
        }
    }
}

/// A type with its type parameters replaced, and whether there were any.
fn substituted(shape: &Shape, bound: &[(&str, Shape)], deep: usize) -> (Shape, bool) {
    let Some(deep) = deep.checked_sub(1) else { return (Shape::Unknown, false) };
    let many = |shapes: &[Shape]| {
        let (shapes, changed): (Vec<Shape>, Vec<bool>) =
            shapes.iter().map(|shape| substituted(shape, bound, deep)).unzip();
        (shapes, changed.contains(&true))
    };
    match shape {
        Shape::Named(path) => {
            let [name] = path.as_slice() else { return (shape.clone(), false) };
            match bound.iter().find(|(known, _)| **known == **name) {
                Some((_, with)) => (with.clone(), true),
                None => (shape.clone(), false),
            }
        }
        Shape::Applied(path, arguments) => {
            let (arguments, changed) = many(arguments);
            (Shape::Applied(path.clone(), arguments), changed)
        }
        Shape::Intersection(parts) => {
            let (parts, changed) = many(parts);
            (Shape::Intersection(parts), changed)
        }
        Shape::Omit(inner, keys) => {
            let (inner, changed) = substituted(inner, bound, deep);
            (Shape::Omit(Box::new(inner), keys.clone()), changed)
        }
        // Which members are picked may depend on a parameter too; all of them are closer.
        Shape::Pick(inner, keys) if keys.is_empty() => substituted(inner, bound, deep),
        Shape::Pick(inner, keys) => {
            let (inner, changed) = substituted(inner, bound, deep);
            (Shape::Pick(Box::new(inner), keys.clone()), changed)
        }
        shape => (shape.clone(), false),
    }
}

/// Packages that are part of TypeScript.
fn is_library_name(name: &str) -> bool {
    name.starts_with("typescript/") || name.starts_with('.')
}

/// Adds the members that are not there yet; `names` are those of `found`, or none so far.
fn add(found: &mut Vec<Flat>, more: Vec<Flat>, names: &mut HashSet<(Rc<str>, bool)>) {
    let key = |flat: &Flat| (Rc::clone(&flat.group.first.name), flat.group.first.is_static);
    if found.is_empty() {
        *found = more;
        return;
    }
    if names.is_empty() && !more.is_empty() {
        names.extend(found.iter().map(key));
    }
    found.extend(more.into_iter().filter(|flat| names.insert(key(flat))));
}
