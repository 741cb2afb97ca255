//! The public API of a Python distribution, from its stubs and sources.
//!
//! The steps: [`manifest`] and [`layout`] say which modules there are; [`modules`] reads each when
//! it is needed, as [`module`] and [`stub`] say, into the [`scope`]s that [`declare`] and [`define`] fill;
//! [`link`] follows names from file to file; [`public`] chooses where each thing is imported from;
//! [`items`] writes it down, with [`members`], [`class`] and [`docstring`].

mod added;
mod all;
mod attributes;
mod bound;
mod branch;
mod certain;
mod class;
mod declare;
mod define;
mod docstring;
mod dynamic;
mod forward;
mod items;
mod layout;
mod link;
mod manifest;
mod members;
mod module;
mod modules;
mod property;
mod public;
mod scope;
mod signature;
mod stub;
mod text;

use std::rc::Rc;

use super::{Input, Package};
use crate::hashing::HashSet;
use crate::{Extraction, Wanted};
use layout::{Layout, STANDARD_LIBRARY};
use link::Linker;
use manifest::{Manifest, Requirement};
use modules::{Modules, Parsed};

/// Packages that lead to packages that lead to packages: enough for all seen, and an end.
const LOOKS_MAX: usize = 8;

pub(super) fn extract(input: &Input<'_>) -> Extraction {
    let parsed = Parsed::default();
    let mut asked = HashSet::default();
    let mut looks = 0;
    loop {
        looks += 1;
        // Asks for what has not been asked for yet; whether something came of it.
        let mut open = |wanted: &[Wanted]| {
            let mut opened = false;
            for wanted in wanted {
                if looks < LOOKS_MAX && asked.insert(wanted.name.clone()) {
                    opened |= input.open(wanted).is_some();
                }
            }
            opened
        };
        let packages = input.packages();
        if let Some(extraction) = look(input, &packages[1..], &parsed, &mut open) {
            return extraction;
        }
    }
}

/// What can be found with the companions at hand; nothing if there are more of them now.
fn look(
    input: &Input<'_>,
    companions: &[Rc<Package>],
    parsed: &Parsed,
    open: &mut dyn FnMut(&[Wanted]) -> bool,
) -> Option<Extraction> {
    let package = input.package;
    let manifest = Manifest::of(package);
    let layout = Layout::of(package, companions);
    let has_stubs = layout.modules.values().any(|entry| entry.is_own && entry.stub.is_some());
    let linker = Linker::new(Modules::new(input, layout, parsed));
    let public = public::modules(&linker, &package.name);
    let is_at_hand = |name: &str| {
        package.name == name || companions.iter().any(|companion| companion.name == name)
    };
    // What a base is derived from may be known only to the distribution that the base is from.
    let manifests: Vec<Manifest> = companions.iter().map(|one| Manifest::of(one)).collect();
    let all = || companions.iter().map(|one| &**one).zip(&manifests);
    let wanted_for = |import: &String| {
        let (by, required) = std::iter::once((package, &manifest))
            .chain(all())
            .find_map(|(by, manifest)| Some((by, manifest.required(import)?)))?;
        let Requirement { name, versions, optional } = required;
        (!is_at_hand(name)).then(|| Wanted {
            name: name.clone(),
            requirement: versions.clone(),
            wanted_by: by.name.clone(),
            optional: *optional,
            decides: false,
        })
    };
    let mut writer = items::writer(input, &linker, &public);
    let soon: Vec<Wanted> = writer.preview(&public).iter().filter_map(wanted_for).collect();
    if open(&soon) {
        return None;
    }
    let found = writer.write(&public);
    let mut wanted: Vec<Wanted> = found.elsewhere.iter().filter_map(wanted_for).collect();
    let is_untyped = found.functions > 0 && found.annotated * 10 < found.functions;
    let needs_stubs = (is_untyped || found.is_compiled) && !has_stubs;
    let stubs = format!("types-{}", package.name);
    if needs_stubs && package.name != STANDARD_LIBRARY && !is_at_hand(&stubs) {
        wanted.push(Wanted {
            name: stubs,
            requirement: None,
            wanted_by: package.name.clone(),
            optional: false,
            decides: false,
        });
    }
    if open(&wanted) {
        return None;
    }
    let summary = if package.name == STANDARD_LIBRARY && manifest.summary.is_empty() {
        "The standard library of Python.".to_owned()
    } else {
        manifest.summary
    };
    let (items, surface) = (found.items, found.surface);
    Some(Extraction { summary, items, surface, wanted, ..Extraction::default() })
}
