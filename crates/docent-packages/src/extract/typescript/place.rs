//! Where everything is public: the one best place of each declaration, and its other places.
//!
//! Walks the entry points and the namespaces in them, breadth first, so that short places are met
//! before long ones. Feeds [`super::declare`].

use std::rc::Rc;

use super::link::{Exports, Linker, Target};
use super::program::ScopeId;
use crate::hashing::{HashMap, HashSet};

/// How deep namespaces are followed into one another.
const DEEP_MAX: usize = 6;
/// How many other places are noted, in the module of the best place and in others.
const ALIASES_MAX: usize = 8;
/// How many places are looked at in all.
const PLACES_MAX: usize = 2_000_000;

/// Something that can be imported.
pub(super) struct Module {
    pub(super) specifier: String,
    pub(super) scope: ScopeId,
    /// Only declarations of this package are its own: global ones, and additions to others.
    pub(super) open: bool,
}

/// A public place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) module: usize,
    pub(super) path: String,
    pub(super) owner: Option<Target>,
}

/// All places of one target.
pub(super) struct Placed {
    pub(super) target: Target,
    pub(super) best: Place,
    pub(super) others: Vec<Place>,
}

struct Level {
    module: usize,
    prefix: String,
    owner: Option<Target>,
    exports: Exports,
    deep: usize,
}

/// The targets in the order they were met, each with its places.
pub(super) fn places(linker: &mut Linker<'_>, modules: &[Module], package: usize) -> Vec<Placed> {
    let mut placed: Vec<Placed> = Vec::new();
    let mut known: HashMap<Target, usize> = HashMap::default();
    let mut expanded: HashSet<Target> = HashSet::default();
    let mut queue: Vec<Level> = Vec::new();
    for (module, entry) in modules.iter().enumerate() {
        queue.extend(top(linker, module, entry, package));
    }
    let mut at = 0;
    let mut budget = PLACES_MAX;
    while at < queue.len() {
        let level = std::mem::replace(
            &mut queue[at],
            Level {
                module: 0,
                prefix: String::new(),
                owner: None,
                exports: Rc::default(),
                deep: 0,
            },
        );
        at += 1;
        for (name, target) in level.exports.iter() {
            let Some(rest) = budget.checked_sub(1) else { return placed };
            budget = rest;
            let path = if level.prefix.is_empty() {
                name.to_string()
            } else {
                [&level.prefix, ".", name].concat()
            };
            // What is inside is called by the name that people import, if there is one beside this.
            let is_nameless = &**name == "default"
                && level.exports.iter().any(|(other, same)| other != name && same == target);
            if level.deep < DEEP_MAX && !is_nameless && expanded.insert(*target) {
                for scope in scopes(linker, *target) {
                    queue.push(Level {
                        module: level.module,
                        prefix: path.clone(),
                        owner: Some(*target),
                        exports: linker.exports(scope),
                        deep: level.deep + 1,
                    });
                }
            }
            let place = Place { module: level.module, path, owner: level.owner };
            match known.get(target) {
                Some(&index) => add(linker, &mut placed[index], place),
                None => {
                    known.insert(*target, placed.len());
                    placed.push(Placed { target: *target, best: place, others: Vec::new() });
                }
            }
        }
    }
    placed
}

/// The namespaces and modules behind a target.
fn scopes(linker: &mut Linker<'_>, target: Target) -> Vec<ScopeId> {
    match target {
        Target::Module(scope) => vec![scope],
        Target::Symbol(symbol) => linker.namespaces(symbol),
    }
}

/// What a module exports, with `export =` and `default` under the names that people would use.
fn top(linker: &mut Linker<'_>, module: usize, entry: &Module, package: usize) -> Vec<Level> {
    let mut exports = Vec::clone(&linker.exports(entry.scope));
    if entry.open {
        exports.retain(|(_, target)| is_own(linker, *target, package));
    }
    let level = |exports, owner| Level {
        module,
        prefix: String::new(),
        owner,
        exports: Rc::new(exports),
        deep: 0,
    };
    let mut levels = Vec::new();
    if let Some(assigned) = linker.assigned_to(entry.scope) {
        // What `export =` names can be imported by name as well.
        let mut inner = Vec::new();
        for scope in scopes(linker, assigned) {
            if scope != entry.scope {
                inner.extend(linker.exports(scope).iter().cloned());
            }
        }
        let default = ("default".into(), assigned);
        if !exports.iter().any(|(name, _)| &**name == "default") {
            exports.insert(0, default);
        }
        levels.push(level(inner, Some(assigned)));
    }
    let taken: HashSet<Rc<str>> = exports
        .iter()
        .chain(levels.iter().flat_map(|level| level.exports.iter()))
        .map(|(name, _)| name.clone())
        .collect();
    let default = exports.iter().position(|(name, _)| &**name == "default");
    if let Some(at) = default
        && let Some(name) = own_name(linker, exports[at].1)
    {
        let target = exports[at].1;
        let elsewhere =
            exports.iter().any(|(other, same)| &**other != "default" && *same == target);
        if !elsewhere && !taken.contains(name.as_str()) {
            exports.insert(at, (name.into(), target));
        }
    }
    levels.insert(0, level(exports, None));
    levels
}

/// The name a default export has where it is declared, unless a compiler made it up.
fn own_name(linker: &Linker<'_>, target: Target) -> Option<String> {
    let Target::Symbol(symbol) = target else { return None };
    let name = &*linker.program.symbols[symbol].name;
    let made_up = name.starts_with("_default") || name.contains('=') || name == "default";
    (!made_up).then(|| {
        let stem = name.trim_end_matches(|last: char| last.is_ascii_digit());
        stem.strip_suffix('$').filter(|stem| !stem.is_empty()).unwrap_or(name).to_owned()
    })
}

fn is_own(linker: &Linker<'_>, target: Target, package: usize) -> bool {
    match target {
        Target::Module(_) => false,
        Target::Symbol(symbol) => {
            let declarations = &linker.program.symbols[symbol].declarations;
            declarations
                .iter()
                .any(|declaration| linker.program.files[declaration.file].package == package)
        }
    }
}

/// Adds a place, and makes it the best one if it is.
fn add(linker: &Linker<'_>, placed: &mut Placed, mut place: Place) {
    if placed.best.module == place.module && placed.best.path == place.path {
        return;
    }
    let own = match placed.target {
        Target::Symbol(symbol) => &*linker.program.symbols[symbol].name,
        Target::Module(_) => "",
    };
    let rank = |place: &Place| {
        let last = place.path.rsplit('.').next().unwrap_or_default();
        let depth = place.path.matches('.').count();
        (place.module, depth, last == "default", last != own, place.path.len())
    };
    if rank(&place) < rank(&placed.best) {
        std::mem::swap(&mut place, &mut placed.best);
    }
    let here = |other: &Place| other.module == placed.best.module;
    let like = placed.others.iter().filter(|other| here(other) == here(&place)).count();
    if like < ALIASES_MAX && !placed.others.contains(&place) {
        placed.others.push(place);
    }
}
