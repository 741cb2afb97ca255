//! How much of a package is known for certain: what is not here is not there.
//!
//! Items tell what a package has; this tells where that is all. Filled by [`crate::extract`], read by
//! [`crate::check`]. What extraction does not vouch for is simply missing here, so that nobody takes
//! a gap for a fact.

use serde::{Deserialize, Serialize};

/// What extraction vouches for. Items are positions in [`crate::Extraction::items`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Surface {
    /// All that can be imported, if nothing else can be.
    pub modules: Option<Vec<String>>,
    /// Modules and types all of whose members are known.
    pub members: Vec<Whole>,
    /// Functions and classes that can be called with no other keywords than those known.
    pub keywords: Vec<Whole>,
    /// Functions, and the items of the types whose values they return.
    pub returns: Vec<(u32, u32)>,
    /// Functions that return one thing or another, numbers of arguments, and the items of the types
    /// of what they return for that many.
    pub returns_for: Vec<(u32, u32, u32)>,
    /// Functions and values, and the types that another package has for them: its module, and the path
    /// there.
    pub elsewhere: Vec<(u32, String, String)>,
    /// Functions whose value has to be waited for.
    pub awaited: Vec<u32>,
    /// Functions and fields whose value may be absent, or a failure instead.
    pub wrapped: Vec<u32>,
    /// Types whose values can be used like those of another type.
    pub derefs: Vec<u32>,
    /// Items of `members` in which there may be more names that have one of these in them, made by
    /// macros.
    pub stems: Vec<Whole>,
    /// Types whose values are what entering them as a context gives.
    pub enters: Vec<u32>,
    /// Functions, positions of parameters, and the items of the types that those have.
    pub takes: Vec<(u32, u32, u32)>,
    /// Attributes that code of the package gives to objects from outside of their classes.
    pub given: Vec<String>,
}

/// An item that is known as a whole.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Whole {
    /// The item.
    pub item: u32,
    /// Names that are there beside those of its items, or of its signature.
    pub names: Vec<String>,
}
