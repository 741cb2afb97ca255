//! What code uses of packages, in a form that all languages share.
//!
//! Made by a [`super::language`], judged by [`mod@super::judge`]. A use starts at a module and goes on in
//! steps, as far as the code alone tells what each name stands for.

use serde::{Deserialize, Serialize};

use super::found::Why;
use crate::hashing::HashSet;

/// A place in the text, in bytes.
pub(super) type At = u32;

/// All that was found in one text.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Uses {
    pub(super) uses: Vec<Use>,
    /// What could not even be followed to a package.
    pub(super) doubts: Vec<(Why, String, At)>,
    /// Members and names that the code makes itself, or asks about before it uses them.
    pub(super) guarded: HashSet<String>,
    /// Modules that the code adds to.
    pub(super) augmented: HashSet<String>,
    /// Imports that may be of traits, whose members other types have then too.
    pub(super) brought: Vec<Use>,
    /// Modules all of whose names are imported.
    pub(super) globs: Vec<Use>,
    /// Whether all names of a module of the project are imported.
    pub(super) has_own_star: bool,
}

/// One use of something that may be a package's.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Use {
    /// The module, as an import names it.
    pub(super) module: String,
    pub(super) at: At,
    pub(super) steps: Vec<Step>,
    /// Why no conclusion may be drawn from it.
    pub(super) doubt: Option<Why>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Step {
    /// The module goes by that name, else it is not the one that is meant; comes first.
    Called(String),
    /// The module declares that name, and no other one that is imported does; comes first.
    Owned(String),
    /// A name of a module, or a member of what came before.
    Name { name: String, at: At },
    /// A call.
    Call(Call),
    /// A construction where the language writes that in its own way.
    New(Call),
    /// Waiting for a value.
    Await,
    /// Entering a context.
    Enter,
    /// A value, where what came before is a type or one of its variants.
    Value,
    /// Taking a value out of what may be empty or a failure.
    Unwrap,
    /// Something that may be empty or a failure becomes another such thing with the same inside.
    Pass,
    /// Something that may be empty or a failure, with what came before inside.
    Wrap,
}

/// What is passed by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Call {
    pub(super) keywords: Vec<(String, At)>,
    /// How many arguments there are, if that is certain.
    pub(super) count: Option<u32>,
    /// The keys of arguments that are written out as objects, by position.
    pub(super) objects: Vec<(u32, Vec<(String, At)>)>,
}

impl Uses {
    /// A text that cannot be judged at all.
    pub(crate) fn none(why: &str) -> Self {
        Self { doubts: vec![(Why::NotParsed, why.to_owned(), 0)], ..Self::default() }
    }
}
