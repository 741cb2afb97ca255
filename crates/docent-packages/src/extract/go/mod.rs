//! The public API of a Go module, from its sources.
//!
//! The steps: [`folders`] says which packages there are; [`modules`] reads each when it is needed.
//! A file is cut down to its declarations ([`bodies`]), parsed ([`syntax`], [`declare`], [`shape`]),
//! and put together with the others of its package ([`package`], [`constraint`]); [`promote`] finds
//! what types have from others, [`example`] the examples, and [`items`] writes it all down as
//! `go doc` would, while [`certain`] notes where that is all. Of a module that is too large for this
//! one package is read, or else the [`synopsis`] of each.

mod bodies;
mod certain;
mod comment;
mod constraint;
mod declare;
mod example;
pub(crate) mod folders;
mod items;
mod modules;
mod package;
mod promote;
mod shape;
mod synopsis;
mod syntax;
mod text;
pub(crate) mod tokens;

use std::rc::Rc;

use super::Input;
use crate::{Extent, Extraction};
use example::Examples;
use folders::STANDARD_LIBRARY;
use items::Writer;
use modules::Modules;

pub(super) fn extract(input: &Input<'_>) -> Extraction {
    let modules = Modules::new(input);
    let mut writer = Writer::new(&modules);
    let mut public: Vec<&String> = modules
        .folders
        .iter()
        .filter(|(_, folder)| folder.is_public && !folder.sources.is_empty())
        .map(|(path, _)| path)
        .collect();
    // What is near the root is what a module is for.
    public.sort_by_key(|path| (path.matches('/').count(), path.as_str()));
    if let Extent::Module(part) = &modules.extent {
        public.retain(|path| *path == part);
    }
    let (mut left, mut listed) = (0, 0);
    for path in public {
        let Some(folder) = modules.folders.get(path) else { continue };
        if writer.items.len() >= input.limits.items_max {
            left += 1;
        } else if modules.is_apart(path) {
            if let Some(package) = synopsis::read(input, path, folder) {
                writer.package(&Rc::new(package), Examples::default());
                listed += 1;
            }
        } else if let Some(package) = modules.get(path) {
            let examples = example::read(input, &folder.tests);
            writer.package(&package, examples);
        }
    }
    left += modules.left();
    if left > 0 {
        input.problem("", None, format!("{left} packages not read: there is too much of them"));
    }
    if listed > 0 {
        let message = "packages listed only: the module is too large to be read at once";
        input.problem("", None, format!("{listed} {message}, ask for one by its import path"));
    }
    let Writer { items, examples, certain, .. } = writer;
    let surface = certain.surface(&modules);
    let summary = match input.package.name.as_str() {
        STANDARD_LIBRARY => "The standard library of Go.".to_owned(),
        _ => summary(&items),
    };
    let (wanted, extent) = (modules.wanted(), modules.extent.clone());
    Extraction { summary, items, prose: examples, wanted, surface, extent, ..Extraction::default() }
}

/// The first sentence that a package near the root says of itself.
fn summary(items: &[crate::Item]) -> String {
    let said = items.iter().find(|item| item.path.is_empty() && !item.docs.is_empty());
    let paragraph = said.and_then(|item| item.docs.split("\n\n").next()).unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    line[..end].to_owned()
}
