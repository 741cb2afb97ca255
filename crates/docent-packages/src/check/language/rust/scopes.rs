//! Which names a Rust file binds, where, and what to.
//!
//! Filled by [`super::walk`] when a module or block is entered. Types and values have separate names;
//! an import may bind both.

use crate::check::found::Why;
use crate::check::uses::{At, Step, Use};
use crate::hashing::HashMap;

pub(super) type ScopeId = usize;

/// How many imports one name is followed through.
const HOPS_MAX: usize = 8;

/// Types of the language, which no crate is named like.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16",
    "u32", "u64", "u8", "usize",
];

/// What attributes of tools begin with.
const TOOLS: &[&str] = &["clippy", "diagnostic", "miri", "rustdoc", "rustfmt"];

/// A path as it is written, without generic arguments.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pub(super) segments: Vec<(String, At)>,
    /// Whether it begins with `::`.
    pub(super) is_absolute: bool,
}

/// Where an expression leads: a crate, and the steps from there.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) module: String,
    pub(super) at: At,
    pub(super) steps: Vec<Step>,
    pub(super) doubt: Option<Why>,
}

impl Origin {
    pub(super) fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    pub(super) fn used(self) -> Use {
        let Self { module, at, steps, doubt } = self;
        Use { module, at, steps, doubt }
    }
}

/// Which names do not get in each other's way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Space {
    Types,
    Values,
    Macros,
}

#[derive(Clone, Debug)]
enum Bound {
    /// An import, and why it may not be the one that counts.
    Import(Path, Option<Why>),
    /// Something of the code's own.
    Own(Space),
}

#[derive(Debug, Default)]
struct Scope {
    parent: Option<ScopeId>,
    is_module: bool,
    names: HashMap<String, Vec<Bound>>,
    /// Whether it has all names of the module around it.
    has_super: bool,
    /// Whether it has all names of another module of the project.
    has_star: bool,
}

#[derive(Debug, Default)]
pub(super) struct Scopes(Vec<Scope>);

/// What a name is bound to.
enum Meaning<'s> {
    Import(ScopeId, &'s Path, Option<Why>),
    Own,
    /// Nothing that can be seen.
    None {
        has_star: bool,
    },
}

impl Scopes {
    pub(super) fn add(&mut self, parent: Option<ScopeId>, is_module: bool) -> ScopeId {
        self.0.push(Scope { parent, is_module, ..Scope::default() });
        self.0.len() - 1
    }

    pub(super) fn import(&mut self, scope: ScopeId, name: &str, path: Path, doubt: Option<Why>) {
        let names = &mut self.0[scope].names;
        names.entry(name.to_owned()).or_default().push(Bound::Import(path, doubt));
    }

    pub(super) fn own(&mut self, scope: ScopeId, name: &str, space: Space) {
        self.0[scope].names.entry(name.to_owned()).or_default().push(Bound::Own(space));
    }

    /// Notes `use super::*`; whether the module around is in this file.
    pub(super) fn star_of_super(&mut self, scope: ScopeId) -> bool {
        let module = self.module(scope);
        let is_here = self.0[module].parent.is_some();
        self.0[scope].has_super |= is_here;
        self.0[scope].has_star |= !is_here;
        is_here
    }

    pub(super) fn star(&mut self, scope: ScopeId) {
        self.0[scope].has_star = true;
    }

    /// The scope of the module that a scope is in.
    fn module(&self, scope: ScopeId) -> ScopeId {
        let mut at = scope;
        while let (false, Some(parent)) = (self.0[at].is_module, self.0[at].parent) {
            at = parent;
        }
        at
    }

    fn meaning(
        &self,
        scope: ScopeId,
        name: &str,
        space: Space,
        not: Option<ScopeId>,
    ) -> Meaning<'_> {
        let mut next = Some(scope);
        let (mut has_star, mut has_super) = (false, false);
        while let Some(at) = next {
            let here = &self.0[at];
            has_star |= here.has_star;
            has_super |= here.has_super;
            let all = here.names.get(name).filter(|_| not != Some(at));
            if let Some(all) = all {
                let is_own = |bound: &&Bound| matches!(bound, Bound::Own(own) if *own == space);
                if all.iter().any(|bound| is_own(&bound)) {
                    return Meaning::Own;
                }
                let mut imports = all.iter().filter_map(|bound| match bound {
                    Bound::Import(path, doubt) => Some((path, *doubt)),
                    Bound::Own(_) => None,
                });
                if let Some((path, doubt)) = imports.next() {
                    let doubt = if imports.next().is_some() { Some(Why::Rebound) } else { doubt };
                    return Meaning::Import(at, path, doubt);
                }
            }
            next = match here.parent {
                // A module sees nothing of the one around it, unless it imports that.
                Some(parent) if here.is_module => {
                    std::mem::take(&mut has_super).then(|| self.module(parent))
                }
                parent => parent,
            };
        }
        Meaning::None { has_star }
    }

    /// What a path is a use of; `None` if it is none of a crate.
    pub(super) fn resolve(&self, scope: ScopeId, path: &Path, space: Space) -> Option<Origin> {
        self.follow(scope, path, space, None, 0)
    }

    /// The same for the path of an import, which begins at a crate if nothing else has its name.
    pub(super) fn resolve_import(&self, scope: ScopeId, name: &str, path: &Path) -> Option<Origin> {
        let first = path.segments.first().is_some_and(|(first, _)| first == name);
        self.follow(scope, path, Space::Types, first.then_some(scope), 1)
    }

    fn follow(
        &self,
        scope: ScopeId,
        path: &Path,
        space: Space,
        not: Option<ScopeId>,
        hops: usize,
    ) -> Option<Origin> {
        let ((first, at), rest) = path.segments.split_first()?;
        if path.is_absolute {
            return Some(of_crate(first, *at, rest, None));
        }
        let inner = |scope: ScopeId| {
            let path = Path { segments: rest.to_vec(), is_absolute: false };
            self.inside(scope, &path, space, hops + 1)
        };
        match first.as_str() {
            "crate" | "Self" | "$crate" => return None,
            "self" => return inner(self.module(scope)),
            "super" => {
                let around = self.0[self.module(scope)].parent?;
                return inner(self.module(around));
            }
            name if PRIMITIVES.contains(&name) && not.is_none() => return None,
            _ => {}
        }
        let wanted = if rest.is_empty() { space } else { Space::Types };
        match self.meaning(scope, first, wanted, not) {
            Meaning::Own => None,
            Meaning::Import(home, path, doubt) => {
                self.imported(home, first, path, doubt, rest, hops)
            }
            Meaning::None { has_star } => {
                let is_crate = !rest.is_empty() || hops == 1;
                let is_lower = first.starts_with(|c: char| c.is_lowercase() || c == '_');
                let doubt = has_star.then_some(Why::Star);
                let is_tool = TOOLS.contains(&first.as_str());
                (is_crate && is_lower && !is_tool).then(|| of_crate(first, *at, rest, doubt))
            }
        }
    }

    /// A path whose first name is one of a module's own.
    fn inside(&self, module: ScopeId, path: &Path, space: Space, hops: usize) -> Option<Origin> {
        let ((first, _), rest) = path.segments.split_first()?;
        if first == "super" {
            return self.follow(module, path, space, None, hops);
        }
        let wanted = if rest.is_empty() { space } else { Space::Types };
        match self.meaning(module, first, wanted, None) {
            Meaning::Import(home, path, doubt) => {
                self.imported(home, first, path, doubt, rest, hops)
            }
            _ => None,
        }
    }

    fn imported(
        &self,
        home: ScopeId,
        name: &str,
        path: &Path,
        doubt: Option<Why>,
        rest: &[(String, At)],
        hops: usize,
    ) -> Option<Origin> {
        if hops > HOPS_MAX {
            return None;
        }
        let is_same = path.segments.first().is_some_and(|(first, _)| first == name);
        let not = is_same.then_some(home);
        let hops = if hops == 0 { 1 } else { hops + 1 };
        let mut found = self.follow(home, path, Space::Types, not, hops).or_else(|| {
            // Followed through more than one import, a path still begins at a crate.
            let [(only, at)] = &path.segments[..] else { return None };
            let is_crate = not.is_some() && !path.is_absolute;
            is_crate.then(|| of_crate(only, *at, &[], None))
        })?;
        found.steps.extend(names(rest));
        found.doubt = found.doubt.or(doubt);
        Some(found)
    }

    /// Whether a name stands for something that the code declares.
    pub(super) fn is_own(&self, scope: ScopeId, name: &str, space: Space) -> bool {
        matches!(self.meaning(scope, name, space, None), Meaning::Own)
    }

    /// Whether a name stands for something of this file, or for an import.
    pub(super) fn is_bound(&self, scope: ScopeId, name: &str, space: Space) -> bool {
        !matches!(self.meaning(scope, name, space, None), Meaning::None { .. })
    }
}

fn of_crate(name: &str, at: At, rest: &[(String, At)], doubt: Option<Why>) -> Origin {
    Origin { module: name.to_owned(), at, steps: names(rest).collect(), doubt }
}

fn names(segments: &[(String, At)]) -> impl Iterator<Item = Step> {
    segments.iter().map(|(name, at)| Step::Name { name: name.clone(), at: *at })
}
