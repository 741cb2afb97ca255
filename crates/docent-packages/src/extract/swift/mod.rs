//! The public API of a Swift package, from its sources.
//!
//! The steps: [`manifest`] and [`layout`] say which modules there are and which files they are made
//! of; [`lex`] (with [`literal`]) and [`parse`] read each file into [`declaration`]s, with
//! [`attributes`], [`availability`], [`condition`], [`text`] and [`docs`]; [`link`] puts types and
//! their extensions together; [`items`] writes them down, under the module that one imports
//! ([`exports`]), and [`certain`] says where that is all.

mod attributes;
mod availability;
mod certain;
mod condition;
mod declaration;
mod docs;
mod exports;
mod items;
mod layout;
pub(crate) mod lex;
mod link;
mod literal;
pub(crate) mod manifest;
mod parse;
mod text;

use super::Input;
use crate::hashing::HashSet;
use crate::{Extraction, Item, Kind};
use certain::Certain;
use declaration::File;
use exports::Exports;
use items::Writer;
use layout::{Layout, Module};
use link::Linked;

pub(super) fn extract(input: &Input<'_>) -> Extraction {
    let package = input.package;
    let layout = Layout::of(&package.name, &package.tree);
    let modules: Vec<(&Module, Vec<(String, File)>)> =
        layout.modules.iter().map(|module| (module, read(input, module))).collect();
    let exports = Exports::of(&modules);
    let names: HashSet<String> = layout.modules.iter().map(|module| module.name.clone()).collect();
    let (items_max, nesting_max) = (input.limits.items_max, input.limits.nesting_max);
    let linked: Vec<Linked<'_>> =
        modules.iter().map(|(_, files)| link::link(files, &names)).collect();
    let mut certain = Certain::of(&modules, &linked);
    let mut writer = Writer { items: Vec::new(), items_max, nesting_max };
    for (public, files) in &modules {
        // A module without a Swift file is one of C.
        let is_shown = exports.shown(&public.name) == Some(public.name.as_str());
        let Some((first, _)) = files.first().filter(|_| is_shown) else { continue };
        writer.items.push(Item {
            module: public.name.as_str().into(),
            kind: Kind::Module,
            docs: exports.note(&public.name).into(),
            file: first.into(),
            line: 1,
            ..Item::default()
        });
        let inside = |name: &str| exports.shown(name) == Some(public.name.as_str());
        let parts: Vec<_> =
            modules.iter().zip(&linked).filter(|((module, _), _)| inside(&module.name)).collect();
        if let (Some(certain), Ok(at)) = (&mut certain, u32::try_from(writer.items.len() - 1)) {
            let handed_on = modules.iter().filter(|(module, _)| {
                let mut others = exports.others(&module.name);
                inside(&module.name) || others.any(|name| *name == public.name)
            });
            certain.module(at, &handed_on.collect::<Vec<_>>(), &names);
        }
        for ((module, _), linked) in parts {
            let start = writer.items.len();
            writer.module(&public.name, linked);
            for item in writer.items[start..].iter_mut().filter(|item| item.parent.is_none()) {
                let others = exports.others(&module.name);
                item.aliases = others.map(|name| (name.clone(), item.path.clone())).collect();
            }
        }
    }
    let is_all = writer.items.len() < items_max;
    let surface = certain.filter(|_| is_all).map(|certain| certain.surface(&writer.items));
    let surface = surface.unwrap_or_default();
    Extraction { summary: summary(&layout), items: writer.items, surface, ..Extraction::default() }
}

/// The declarations of a module, file by file.
fn read(input: &Input<'_>, module: &Module) -> Vec<(String, File)> {
    let mut files = Vec::with_capacity(module.files.len());
    for path in &module.files {
        let Some(source) = input.source(input.package, path) else { continue };
        let file = parse::file(&source, input.limits.nesting_max);
        for (line, message) in &file.problems {
            input.problem(path, Some(*line), *message);
        }
        files.push((path.clone(), file));
    }
    files
}

fn summary(layout: &Layout) -> String {
    let products = layout.manifest.products.iter().filter(|product| product.is_library);
    let products: Vec<&str> = products.map(|product| product.name.as_str()).collect();
    match products.is_empty() {
        true => String::new(),
        false => format!("Library products: {}.", products.join(", ")),
    }
}
