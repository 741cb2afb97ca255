//! All servers as one: their tools, prompts, resources, templates and skills under names that tell
//! them apart.
//!
//! [`names`] makes the names, [`filter`] says what is offered at all, [`merge`] puts the lists
//! together, and [`find`] leads from a name back to the server and what it calls the thing.
//! [`skills`] have more than one address each, and [`pages`] of tools are named in their metadata.

mod filter;
mod find;
mod merge;
mod names;
mod pages;
mod skills;

pub(crate) use filter::allows;
pub(crate) use find::Place;
pub use merge::{Collision, Offered};
pub(crate) use merge::{Source, View};
pub(crate) use names::slugs;
pub(crate) use pages::rewrite as rewrite_pages;
pub(crate) use skills::{as_listed, put_before};
