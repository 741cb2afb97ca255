//! The exact public API and prose of the packages a project uses, from the version at hand.
//!
//! A question goes through one pipeline, which [`Engine`] reads as:
//! resolve → locate or fetch → unpack → extract → index → rank → render, with the cache to the side.
//! Nothing of a package is ever executed, imported or built.
//!
//! Modules in reading order: `package` and `question` (what was asked for), `ecosystem` (npm, Python: names,
//! versions, projects, registries), `resolve` (which version, and why), `fetch`, [`unpack`],
//! [`extract`], `index`, `rank`, `render`, `diff`; [`cache`] and [`worker`] to the side.

pub mod cache;
mod check;
mod companions;
mod diff;
mod ecosystem;
mod engine;
mod environment;
mod error;
pub mod extract;
mod fetch;
mod fingerprint;
mod git;
mod hashing;
mod index;
mod item;
mod kept;
mod limits;
mod nesting;
mod package;
mod paths;
mod progress;
mod project;
mod question;
mod rank;
mod recent;
mod render;
mod resolve;
mod stored;
mod surface;
mod text;
mod tool;
mod tree;
pub mod unpack;
mod versions;
pub mod worker;
mod yaml;

pub use check::{
    Checked, CheckedPackage, CodeToCheck, Finding, FindingKind, Language, Position, Suggestion,
    Unknown, UnknownUse, Why,
};
pub use diff::{Change, Changes, Diff};
pub use ecosystem::decides_versions;
pub use engine::{Builder, Engine, Loaded};
pub use environment::Environment;
pub use error::{Error, ErrorKind};
pub use item::{Chunk, ChunkKind, Extent, Extraction, Item, Kind, Problem, Wanted};
pub use kept::Kept;
pub use limits::Limits;
pub use package::{Ecosystem, PackageRef};
pub use progress::{Progress, Update};
pub use project::Coverage;
pub use question::{Document, Style, Target};
pub use render::budget::tokens;
pub use render::{Answer, Cut, Origin, Receipt, Shown};
pub use resolve::Reason;
pub use surface::{Surface, Whole};
pub use text::Text;
pub use tree::{ArchiveFormat, Place, Tree};
