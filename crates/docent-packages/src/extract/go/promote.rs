//! Members that a type has through what it embeds, or through what it is another name for.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::declare::{Shape, Type};
use super::modules::Modules;
use super::package::{Named, Package, Placed};
use super::syntax::Reference;
use super::text::is_exported;
use crate::hashing::HashSet;

/// How far embedding is followed; nobody goes further than four.
const LEVELS_MAX: usize = 8;

/// A member that comes from elsewhere.
pub(super) struct Promoted {
    pub(super) name: String,
    /// The package of the type that declares it.
    pub(super) package: Rc<Package>,
    /// That type.
    pub(super) owner: String,
    pub(super) what: What,
    /// Whether a pointer was followed on the way.
    pub(super) through_pointer: bool,
    /// Whether `go doc` lists it: a method of a type of this package that is not exported.
    pub(super) is_listed: bool,
}

/// What is promoted.
pub(super) enum What {
    /// A method with a receiver.
    Method,
    /// A field, or the method of an interface, by its position.
    Member(usize),
}

/// The type that a reference in a package means.
pub(super) fn resolve(
    modules: &Modules<'_>,
    package: &Rc<Package>,
    file: usize,
    reference: &Reference,
) -> Option<Rc<Package>> {
    match &reference.package {
        None => Some(Rc::clone(package)),
        Some(ident) => {
            let imports = &package.files.get(file)?.imports;
            imports.iter().find_map(|(alias, path)| match alias {
                Some(alias) if alias == ident => modules.find(path),
                Some(_) => None,
                None if modules.is_own(path) => {
                    modules.get(path).filter(|found| found.name == *ident)
                }
                None if is_named(path, ident) => modules.find(path),
                None => None,
            })
        }
    }
}

/// Whether a package of that path is likely to have that name, as far as the path tells.
fn is_named(path: &str, name: &str) -> bool {
    let is_version = |part: &&str| {
        let digits = part.strip_prefix('v').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let last = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path);
    last.split(['-', '.']).any(|part| part == name)
}

/// All members that a type gets from others.
pub(super) fn promoted(
    modules: &Modules<'_>,
    package: &Rc<Package>,
    named: &Named,
    declared: &Placed<Type>,
) -> Vec<Promoted> {
    let it = &declared.it;
    let mut own: HashSet<&str> = named.methods.keys().map(String::as_str).collect();
    own.extend(it.members.iter().map(|member| member.name.as_str()));
    let mut next: Vec<(Rc<Package>, Reference, bool)> = Vec::new();
    let start = match it.shape {
        Shape::Alias => hidden_target(modules, package, declared).into_iter().collect(),
        _ => it.embedded.clone(),
    };
    for reference in start {
        if let Some(home) = resolve(modules, package, declared.file, &reference) {
            let pointer = reference.pointer;
            next.push((home, reference, pointer));
        }
    }
    let mut seen: HashSet<(String, String)> = HashSet::default();
    let mut found: BTreeMap<String, Option<Promoted>> = BTreeMap::new();
    for _ in 0..LEVELS_MAX {
        let mut level: BTreeMap<String, Option<Promoted>> = BTreeMap::new();
        for (home, reference, pointer) in std::mem::take(&mut next) {
            if !seen.insert((home.path.clone(), reference.name.clone())) {
                continue;
            }
            let Some(base) = home.types.get(&reference.name) else { continue };
            let is_local = home.path == package.path && it.shape == Shape::Struct;
            let is_hidden = is_local && !is_exported(&reference.name);
            let mut add = |name: &str, what: What| {
                if !is_exported(name) || own.contains(name) || found.contains_key(name) {
                    return;
                }
                let promoted = Promoted {
                    name: name.to_owned(),
                    package: Rc::clone(&home),
                    owner: reference.name.clone(),
                    is_listed: is_hidden && matches!(what, What::Method),
                    what,
                    through_pointer: pointer,
                };
                // Two of one name on one level hide each other.
                let is_first = !level.contains_key(name);
                level.insert(name.to_owned(), is_first.then_some(promoted));
            };
            base.methods.keys().for_each(|name| add(name, What::Method));
            let Some(declared) = &base.declared else { continue };
            for (at, member) in declared.it.members.iter().enumerate() {
                add(&member.name, What::Member(at));
            }
            let through = match declared.it.shape {
                Shape::Alias => declared.it.target.clone().into_iter().collect(),
                _ => declared.it.embedded.clone(),
            };
            for deeper in through {
                if let Some(at) = resolve(modules, &home, declared.file, &deeper) {
                    let pointer = pointer || deeper.pointer;
                    next.push((at, deeper, pointer));
                }
            }
        }
        found.extend(level);
        if next.is_empty() {
            break;
        }
    }
    found.into_values().flatten().collect()
}

/// What an alias stands for, if nobody can look at it under its own name.
fn hidden_target(
    modules: &Modules<'_>,
    package: &Rc<Package>,
    declared: &Placed<Type>,
) -> Option<Reference> {
    let target = declared.it.target.as_ref()?;
    if let Some(ident) = &target.package {
        // What is public elsewhere is to be looked at there.
        let imports = &package.files.get(declared.file)?.imports;
        let is_own = |(alias, path): &(Option<String>, String)| {
            modules.is_own(path) && alias.as_ref().is_none_or(|alias| alias == ident)
        };
        if !imports.iter().any(is_own) {
            return None;
        }
    }
    let home = resolve(modules, package, declared.file, target)?;
    (!home.is_public || !is_exported(&target.name)).then(|| target.clone())
}
