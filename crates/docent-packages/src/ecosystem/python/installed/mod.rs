//! The copies of a package that a project's environments hold.
//!
//! By the name of a distribution or by that of an import: `PyYAML` and `yaml` find the same one. Fed
//! by [`super::environment`]; what it finds is read by the extractor, file by file as listed here.

mod contained;
mod distribution;
mod editable;
mod source;

use std::path::{Path, PathBuf};

use self::distribution::Distribution;
use super::environment::Interpreter;
use super::files::Files;
use super::name::{candidates, normalized};
use crate::ecosystem::{Installed, Name};
use crate::tree::Place;

pub(crate) use self::contained::source_files;
pub(crate) use self::source::of_project;

/// All copies, the one that an import would find first.
pub(crate) fn find(name: &Name, interpreters: &[Interpreter], files: &Files<'_>) -> Vec<Installed> {
    // Where the project has an environment of its own, the machine's packages are not imported.
    let own = interpreters.iter().any(|one| !one.shared);
    let usable = interpreters.iter().filter(|one| !(own && one.shared));
    let mut found: Vec<Installed> = Vec::new();
    for site in usable.flat_map(|one| &one.sites) {
        let here = std::iter::once(site.clone()).chain(editable::path_folders(site, files));
        for folder in here {
            let copy = in_site(name, &folder, files).and_then(|one| installed(&one, site, files));
            found.extend(copy.filter(|copy| !found.iter().any(|known| known.place == copy.place)));
        }
    }
    found
}

/// The distribution of one folder that a name means.
fn in_site(name: &Name, site: &Path, files: &Files<'_>) -> Option<Distribution> {
    let entries = files.entries(site);
    let mut all: Vec<Distribution> =
        entries.iter().filter_map(|path| Distribution::at(path)).collect();
    let wanted = candidates(name);
    let named = |name: &String| all.iter().position(|one| one.name == *name);
    let chosen = wanted.first().and_then(named);
    let chosen = chosen.or_else(|| importing(name, &all, &entries, files));
    let chosen = chosen.or_else(|| wanted.iter().skip(1).find_map(named))?;
    Some(all.swap_remove(chosen))
}

/// The distribution that brings most of an import's path; of several, the one of the shortest name.
fn importing(
    name: &Name,
    all: &[Distribution],
    entries: &[PathBuf],
    files: &Files<'_>,
) -> Option<usize> {
    let module = name.module.as_deref().unwrap_or(&name.package);
    let path: Vec<String> = module.split('.').map(normalized).collect();
    let first = path.first()?;
    // Most folders hold nothing of that name, and the lists of files need not be read.
    let stem = |path: &Path| {
        let name = super::files::file_name(path);
        normalized(name.split('.').next().unwrap_or(name))
    };
    let present = entries.iter().any(|entry| stem(entry) == *first);
    let best = all.iter().enumerate().filter_map(|(at, one)| {
        let covered = one.covers(&path, present, files);
        (covered > 0).then_some((std::cmp::Reverse(covered), one.name.len(), at))
    });
    best.min().map(|(_, _, at)| at)
}

fn installed(one: &Distribution, site: &Path, files: &Files<'_>) -> Option<Installed> {
    let (name, version) = one.identity(files)?;
    let copy = |root: PathBuf, list: Vec<String>| Installed {
        name: normalized(&name),
        version: version.clone(),
        shown: root.clone(),
        place: Place::Folder { root, files: Some(list) },
        bundled: false,
    };
    if let Some(root) = editable::source(one, site, files) {
        let list = source_files(&root, files);
        return Some(copy(root, list));
    }
    let list = contained::existing(&one.site, one.listed(files), files);
    Some(copy(one.site.clone(), list))
}

#[cfg(test)]
mod tests;
