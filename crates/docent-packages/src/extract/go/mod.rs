//! The public API of a Go module, from its sources.
//!
//! The steps: [`folders`] says which packages there are; [`modules`] reads each when it is needed.
//! A file is cut down to its declarations ([`bodies`]), parsed ([`syntax`], [`declare`], [`shape`]),
//! and put together with the others of its package ([`package`], [`constraint`]); [`promote`] finds
//! what types have from others, [`example`] the examples, and [`items`] writes it all down as
//! `go doc` would, while [`certain`] notes where that is all.

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
mod syntax;
mod text;
pub(crate) mod tokens;

use super::Input;
use crate::Extraction;
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
    let mut left = 0;
    for path in public {
        if writer.items.len() >= input.limits.items_max {
            left += 1;
            continue;
        }
        if let Some(package) = modules.get(path) {
            let tests = modules.folders.get(path).map(|folder| folder.tests.as_slice());
            let examples = example::read(input, tests.unwrap_or_default());
            writer.package(&package, examples);
        }
    }
    left += modules.left();
    if left > 0 {
        input.problem("", None, format!("{left} packages not read: there is too much of them"));
    }
    let Writer { items, examples, certain, .. } = writer;
    let surface = certain.surface(&modules);
    let summary = match input.package.name.as_str() {
        STANDARD_LIBRARY => "The standard library of Go.".to_owned(),
        _ => summary(&items),
    };
    let wanted = modules.wanted();
    Extraction { summary, items, prose: examples, wanted, surface, ..Extraction::default() }
}

/// The first sentence that a package near the root says of itself.
fn summary(items: &[crate::Item]) -> String {
    let said = items.iter().find(|item| item.path.is_empty() && !item.docs.is_empty());
    let paragraph = said.and_then(|item| item.docs.split("\n\n").next()).unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    line[..end].to_owned()
}
