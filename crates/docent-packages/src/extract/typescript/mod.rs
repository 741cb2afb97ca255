//! The public API of an npm package, from its type declarations or its JavaScript.
//!
//! The steps: `manifest` says what can be imported, `module` parses a file, `link` follows names from
//! file to file, `place` finds the best public place of everything, `declare` writes the items.

mod beside;
mod calls;
mod certain;
mod commonjs;
mod declare;
mod inherit;
mod javascript;
mod jsdoc;
mod link;
mod local;
mod manifest;
mod member;
mod members;
mod module;
mod place;
mod program;
mod rename;
mod resolve;
mod scripts;
mod shape;
mod signature;
mod typed;
mod typing;
mod variable;
mod wording;

#[cfg(test)]
mod tests;

use std::rc::Rc;

use super::Input;
use crate::hashing::HashSet;
use crate::{Extraction, Item, Surface, Wanted};
use link::{Linker, Target};
use manifest::Entry;
use place::Module;
use resolve::types_package;

pub(super) fn extract(input: &Input<'_>) -> Extraction {
    let mut linker = Linker::new(input);
    let summary = linker.manifests[0].text("description").unwrap_or_default().to_owned();
    let (package, entries) = entries(&mut linker);
    let modules = open(&mut linker, package, &entries);
    let (mut items, mut surface) = write(&mut linker, modules, package);
    surface.modules = linker.manifests[0].exported();
    if package != 0 {
        scripts::document(input, &mut items);
    }
    Extraction { summary, items, surface, wanted: linker.wanted, ..Extraction::default() }
}

/// Finds the public places of all that the modules export, and writes the items.
fn write(
    linker: &mut Linker<'_>,
    mut modules: Vec<Module>,
    package: usize,
) -> (Vec<Item>, Surface) {
    for module in &modules {
        // Reads all files that exports lead to, for what they add to other modules.
        linker.exports(module.scope);
    }
    linker.augment(package);
    modules.extend(additions(linker));
    let placed = place::places(linker, &modules, package);
    for one in &placed {
        if let Target::Symbol(symbol) = one.target {
            let name = one.best.path.rsplit('.').next().unwrap_or_default();
            linker.placed.insert(symbol);
            if name != "default" {
                linker.public_names.insert(symbol, Rc::from(name));
            }
        }
    }
    declare::write(linker, &modules, &placed, package)
}

/// The package whose files tell the API, and what can be imported from it: its own declarations, or
/// those that the community wrote for it, or its scripts.
fn entries(linker: &mut Linker<'_>) -> (usize, Vec<Entry>) {
    let package = linker.input.package;
    let mut all = linker.manifests[0].entries(package, false);
    let is_typed = |entry: &Entry| beside::is_types(&entry.file);
    let root_typed = all.iter().any(|entry| entry.subpath.is_empty() && is_typed(entry));
    if root_typed || (all.iter().any(is_typed) && all.iter().all(|entry| !entry.subpath.is_empty()))
    {
        return (0, all.into_iter().filter(is_typed).collect());
    }
    let types = types_package(&package.name);
    if package.name.starts_with("@types/") {
        return (0, all);
    }
    let mut at = linker.position(&types);
    if at.is_none() && !all.is_empty() {
        let requirement = major(&package.version);
        let wanted_by = package.name.clone();
        let (optional, decides) = (false, true);
        at = linker.open(Wanted { name: types, requirement, wanted_by, optional, decides });
    }
    if let Some(at) = at {
        let typed = linker.manifests[at].entries(&linker.packages[at], true);
        if !typed.is_empty() {
            return (at, typed);
        }
    }
    if !all.iter().any(is_typed) && !linker.manifests[0].has_exports() {
        all.extend(manifest::top_scripts(&package.tree));
    }
    (0, all)
}

/// The range of versions that have the same interface.
fn major(version: &str) -> Option<String> {
    let version = nodejs_semver::Version::parse(version).ok()?;
    Some(match version.major() {
        0 => format!("~0.{}", version.minor()),
        major => format!("^{major}"),
    })
}

/// Parses the files of the entry points.
fn open(linker: &mut Linker<'_>, package: usize, entries: &[Entry]) -> Vec<Module> {
    let name = module_name(&linker.input.package.name);
    let mut modules: Vec<Module> = Vec::new();
    let (named, guessed): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|entry| !entry.guessed);
    let mut used = HashSet::default();
    for entry in named.iter().chain(&guessed) {
        if entry.guessed && used.is_empty() {
            for module in &modules {
                linker.exports(module.scope);
            }
            used = linker.imported_files(package);
            used.insert(String::new());
        }
        // What the package itself imports is a part of it, not one more thing to import.
        if entry.guessed && used.contains(&entry.file) {
            continue;
        }
        let Some(file) = linker.load(package, &entry.file) else { continue };
        let specifier = match entry.subpath.as_str() {
            "" => name.clone(),
            subpath => format!("{name}/{subpath}"),
        };
        let file = &linker.program.files[file];
        let ambient = linker.ambient.get(&specifier).copied();
        // A script has nothing to import; what it declares is global.
        if ambient.is_none() && !file.is_module && !entry.subpath.is_empty() {
            continue;
        }
        let scope = ambient.unwrap_or(file.scope);
        modules.push(Module { specifier, scope, open: false });
    }
    let known = |specifier: &str| modules.iter().any(|module| module.specifier == specifier);
    let others: Vec<Module> = linker
        .ambient_order
        .iter()
        .filter(|specifier| !specifier.contains('*') && !known(specifier))
        .map(|specifier| {
            let scope = linker.ambient[specifier];
            Module { specifier: specifier.clone(), scope, open: false }
        })
        .collect();
    modules.extend(others);
    let root = |module: &Module| module.specifier != name;
    modules.sort_by(|a, b| {
        (root(a), a.specifier.len(), &a.specifier).cmp(&(root(b), b.specifier.len(), &b.specifier))
    });
    modules
}

/// What the package adds to the global names and to modules of other packages.
fn additions(linker: &Linker<'_>) -> Vec<Module> {
    let name = module_name(&linker.input.package.name);
    let mut modules = vec![Module { specifier: name, scope: linker.globals, open: true }];
    let augmented = linker.augmented.iter().filter(|(specifier, _)| !specifier.contains('*'));
    modules.extend(augmented.map(|(specifier, scope)| {
        let specifier = if specifier.starts_with('.') {
            module_name(&linker.input.package.name)
        } else {
            specifier.clone()
        };
        Module { specifier, scope: *scope, open: true }
    }));
    modules
}

/// What users import to get a package: for community types, the package they are about.
fn module_name(package: &str) -> String {
    match package.strip_prefix("@types/") {
        Some(name) => match name.split_once("__") {
            Some((scope, name)) => format!("@{scope}/{name}"),
            None => name.to_owned(),
        },
        None => package.to_owned(),
    }
}
