//! The exact public API and prose of the packages a project uses, from the version at hand.
//!
//! A question goes through one pipeline, which [`Engine`] reads as:
//! resolve → locate or fetch → unpack → extract → index → rank → render, with the cache to the side.
//! Nothing of a package is ever executed, imported or built.
//!
//! Modules in reading order: `package` (what was asked for), `ecosystem` (npm, Python: names,
//! versions, projects, registries), `resolve` (which version, and why), `fetch`, [`unpack`],
//! [`extract`], `index`, `rank`, `render`, `diff`; `cache` and [`worker`] to the side.

#![expect(dead_code, reason = "being built")]

mod cache;
mod ecosystem;
mod environment;
mod error;
pub mod extract;
mod fetch;
mod item;
mod limits;
mod nesting;
mod package;
mod progress;
mod tool;
mod tree;
pub mod unpack;
pub mod worker;

pub use environment::Environment;
pub use error::{Error, ErrorKind};
pub use item::{Chunk, ChunkKind, Extraction, Item, Kind, Problem, Wanted};
pub use limits::Limits;
pub use package::{Ecosystem, PackageRef};
pub use progress::{Progress, Update};
pub use tree::{ArchiveFormat, Place, Tree};
