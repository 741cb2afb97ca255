//! The public API of a Rust crate, from its sources.
//!
//! The steps: `manifest` says where the crate begins; `load` follows its modules from file to file,
//! each parsed by `syntax` without its `bodies`; `collect` and `imports` keep what they declare (`attributes` with `meta` and `cfg`,
//! `docs`, `signature` with `text`), and `expand` what calls of `macros` stand for; all of it is the
//! `world`. `resolve` follows imports, also into other crates; `place` finds the paths that users
//! type; `rename` keeps private names out of declarations; `implement` brings methods to their types; `write`
//! makes the items.
//! `doubt` and `returned` keep what `certain` needs to say where that is all that there is.

mod attributes;
mod bodies;
mod certain;
mod cfg;
mod collect;
mod docs;
mod doubt;
mod expand;
mod implement;
mod imports;
mod load;
mod macros;
mod manifest;
mod meta;
mod place;
mod rename;
mod resolve;
mod returned;
mod signature;
pub(crate) mod syntax;
mod text;
mod world;
mod write;

use std::rc::Rc;

use super::Input;
use crate::Extraction;
use manifest::Manifest;
use resolve::Resolver;
use world::World;

pub(super) fn extract(input: &Input<'_>) -> Extraction {
    let summary = Manifest::read(input.package).description;
    let mut world = World::default();
    if load::load(input, &mut world, Rc::new(input.package.clone())).is_none() {
        return Extraction { summary, ..Extraction::default() };
    }
    let mut resolver = Resolver::new(input, world);
    resolver.may_open = true;
    let places = place::find(&mut resolver);
    implement::attach(&mut resolver);
    let written = write::write(&mut resolver.world, &places);
    let surface = certain::surface(&mut resolver, &places, &written);
    Extraction {
        summary,
        items: written.items,
        surface,
        wanted: resolver.wanted,
        ..Extraction::default()
    }
}
