//! References in texts: `${VAR}`, `${env:VAR}`, `${input:id}` and the other forms.
//!
//! `template` finds them, once, as the owner of the file writes them; `resolve` replaces them, once.
//! What came out of a reference is never looked at again, so no value can bring in another.

mod resolve;
mod template;
#[cfg(test)]
mod tests;

pub use resolve::{Resolution, Source};
pub(crate) use resolve::{Scene, Shown, Trace};
pub(crate) use template::{Folder, Piece, Reference, Template};
