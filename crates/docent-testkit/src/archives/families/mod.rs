//! The fourteen families of hostile archives, by number.

mod bombs;
mod contradictions;
mod extensions;
mod lies;
mod links;
mod markers;
mod masses;
mod paths;
mod special;
mod truncated;
mod twins;

use super::Hostile;
use super::tar::Member;
use super::zip::Entry;

pub(super) const ALL: &[fn() -> Vec<Hostile>] = &[
    paths::outside,
    links::symbolic,
    links::hard,
    links::then_folder,
    extensions::pax,
    extensions::sizes,
    twins::names,
    special::files,
    bombs::bombs,
    contradictions::zips,
    masses::masses,
    truncated::cuts,
    markers::markers,
    lies::lies,
];

/// A harmless file, so that an archive is not empty.
fn manifest() -> Member {
    Member::file("package/package.json", r#"{"name":"x","version":"1.0.0"}"#)
}

/// The same in a zip archive.
fn module() -> Entry {
    Entry::deflated("x/__init__.py", "def f(): ...\n")
}
