//! Members that a type has through what it embeds, or through what it is another name for.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::declare::{Shape, Type};
use super::modules::Modules;
use super::package::{Named, Package, Placed, is_predeclared};
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

/// The members that a type gets from others.
pub(super) struct Gained {
    pub(super) members: Vec<Promoted>,
    /// Whether these are all of them.
    pub(super) is_whole: bool,
    /// Members that only other builds have.
    pub(super) also: Vec<String>,
    /// Whether the method of Go's own `error` is one as well.
    pub(super) is_error: bool,
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
) -> Gained {
    let it = &declared.it;
    let (mut is_whole, mut is_error, mut also) = (true, false, Vec::new());
    let mut own: HashSet<&str> = named.methods.keys().map(String::as_str).collect();
    own.extend(it.members.iter().map(|member| member.name.as_str()));
    let mut next: Vec<(Rc<Package>, Reference, bool)> = Vec::new();
    let start = match it.shape {
        Shape::Alias => hidden_target(modules, package, declared).into_iter().collect(),
        _ => it.embedded.clone(),
    };
    for reference in start {
        match resolve(modules, package, declared.file, &reference) {
            Some(home) => {
                let pointer = reference.pointer;
                next.push((home, reference, pointer));
            }
            None => is_whole = false,
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
            let Some(base) = home.types.get(&reference.name) else {
                let is_of_go = reference.package.is_none() && reference.name == "error";
                is_error |= is_of_go;
                is_whole &= is_of_go || is_empty(&reference);
                continue;
            };
            is_whole &= home.is_whole && !home.varies.contains(&reference.name);
            also.extend(home.also_in(&reference.name));
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
            let Some(declared) = &base.declared else {
                is_whole = false;
                continue;
            };
            for (at, member) in declared.it.members.iter().enumerate() {
                add(&member.name, What::Member(at));
            }
            let through = match declared.it.shape {
                Shape::Alias => declared.it.target.clone().into_iter().collect(),
                Shape::Other => {
                    is_whole &= declared.it.target.as_ref().is_none_or(is_empty);
                    Vec::new()
                }
                _ => declared.it.embedded.clone(),
            };
            for deeper in through {
                match resolve(modules, &home, declared.file, &deeper) {
                    Some(at) => {
                        let pointer = pointer || deeper.pointer;
                        next.push((at, deeper, pointer));
                    }
                    None => is_whole = false,
                }
            }
        }
        found.extend(level);
        if next.is_empty() {
            break;
        }
    }
    is_whole &= next.is_empty();
    Gained { members: found.into_values().flatten().collect(), is_whole, also, is_error }
}

/// Whether a type is one of Go's own that have no members.
pub(super) fn is_empty(reference: &Reference) -> bool {
    reference.package.is_none() && reference.name != "error" && is_predeclared(&reference.name)
}

/// What an alias stands for, if nobody can look at it under its own name.
pub(super) fn hidden_target(
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
