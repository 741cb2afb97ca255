//! Which names a Python file binds, where, and what to.
//!
//! Filled by [`super::walk`]. A name is certain only if its scope binds it once.

use crate::check::found::Why;
use crate::check::uses::{Step, Use};
use crate::hashing::HashMap;

pub(super) type ScopeId = usize;

/// A name with what is done with its value: `np.linalg.norm(…)`.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub(super) scope: ScopeId,
    pub(super) root: String,
    pub(super) steps: Vec<Step>,
    pub(super) doubt: Option<Why>,
}

/// What a statement binds a name to.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    Import(Use),
    Value(Chain),
    /// Anything else: a parameter, a loop, a definition.
    Other,
}

/// What a name stands for where it is used.
pub(super) enum Meaning<'s> {
    Import(&'s Use),
    Value(&'s Chain),
    /// Nobody can tell; it may be this import.
    Doubt(Why, Option<&'s Use>),
    /// Nothing of a package.
    Other,
}

#[derive(Debug, Default)]
struct Scope {
    parent: Option<ScopeId>,
    is_class: bool,
    names: HashMap<String, Vec<Bound>>,
    has_star: bool,
}

#[derive(Debug)]
pub(super) struct Scopes(Vec<Scope>);

impl Scopes {
    pub(super) fn new() -> Self {
        Self(vec![Scope::default()])
    }

    pub(super) fn add(&mut self, parent: ScopeId, is_class: bool) -> ScopeId {
        self.0.push(Scope { parent: Some(parent), is_class, ..Scope::default() });
        self.0.len() - 1
    }

    pub(super) fn bind(&mut self, scope: ScopeId, name: &str, bound: Bound) {
        self.0[scope].names.entry(name.to_owned()).or_default().push(bound);
    }

    /// Notes that a name is bound elsewhere by `global` or `nonlocal`.
    pub(super) fn rebind_above(&mut self, scope: ScopeId, name: &str) {
        let mut next = Some(scope);
        while let Some(at) = next {
            let binds = &mut self.0[at].names;
            binds.entry(name.to_owned()).or_default().extend([Bound::Other, Bound::Other]);
            next = self.0[at].parent;
        }
    }

    pub(super) fn star(&mut self, scope: ScopeId) {
        self.0[scope].has_star = true;
    }

    /// What a name means in a scope.
    pub(super) fn meaning(&self, scope: ScopeId, name: &str) -> Meaning<'_> {
        let mut next = Some(scope);
        let mut is_first = true;
        while let Some(at) = next {
            let here = &self.0[at];
            next = here.parent;
            // A class's names are seen in its body only, not in its methods.
            if here.is_class && !is_first {
                continue;
            }
            is_first = false;
            let Some(bound) = here.names.get(name) else { continue };
            let import = bound.iter().find_map(|bound| match bound {
                Bound::Import(import) => Some(import),
                _ => None,
            });
            if here.has_star {
                return Meaning::Doubt(Why::Star, import);
            }
            return match bound.as_slice() {
                [Bound::Import(import)] => Meaning::Import(import),
                [Bound::Value(value)] => Meaning::Value(value),
                [Bound::Other] => Meaning::Other,
                // `import a.b` and `import a.c` bind `a` to the same thing.
                [Bound::Import(first), others @ ..]
                    if others.iter().all(|other| same(first, other)) =>
                {
                    Meaning::Import(first)
                }
                _ => Meaning::Doubt(Why::Rebound, import),
            };
        }
        Meaning::Other
    }
}

fn same(first: &Use, other: &Bound) -> bool {
    let names = |steps: &[Step]| -> Vec<String> {
        let name = |step: &Step| match step {
            Step::Name { name, .. } => name.clone(),
            _ => String::new(),
        };
        steps.iter().map(name).collect()
    };
    match other {
        Bound::Import(other) => {
            first.module == other.module
                && names(&first.steps) == names(&other.steps)
                && first.doubt == other.doubt
        }
        _ => false,
    }
}
