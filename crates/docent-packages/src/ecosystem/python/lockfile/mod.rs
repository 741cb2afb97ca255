//! Locked versions: what the lockfiles of a project say, the nearest folder first.
//!
//! Each format is read in a file of its own; here is which files there are and in what order.

mod conda;
mod pipfile;
pub(crate) mod requirements;
mod tables;

use std::path::{Path, PathBuf};

use super::files::{Files, file_name};
use super::name::{is_distribution, normalized};
use crate::ecosystem::Locked;

/// All that the lockfiles pin, nearest file first.
pub(crate) fn all(folders: &[PathBuf], files: &Files<'_>) -> Vec<Locked> {
    folders.iter().flat_map(|folder| in_folder(folder, files)).collect()
}

fn in_folder(folder: &Path, files: &Files<'_>) -> Vec<Locked> {
    let mut locked = Vec::new();
    for name in ["uv.lock", "poetry.lock", "pdm.lock"] {
        let file = folder.join(name);
        locked
            .extend(files.toml(&file).into_iter().flat_map(|lock| tables::packages(&lock, &file)));
    }
    for file in files.entries(folder).into_iter().filter(|file| is_pylock(file_name(file))) {
        locked.extend(files.toml(&file).into_iter().flat_map(|lock| tables::pylock(&lock, &file)));
    }
    let file = folder.join("Pipfile.lock");
    locked.extend(files.json(&file).into_iter().flat_map(|lock| pipfile::packages(&lock, &file)));
    for found in requirements::in_folder(folder, files) {
        locked.extend(found.pinned());
    }
    // What conda says comes last: its names need not be those of packages elsewhere.
    locked.extend(conda::in_folder(folder, files));
    locked
}

/// Whether a file of this name is read for its versions, one of many that people may call so.
pub(crate) fn is_variant(name: &str) -> bool {
    is_pylock(name) || requirements::is_named(name)
}

/// `pylock.toml`, or `pylock.NAME.toml`.
fn is_pylock(name: &str) -> bool {
    let inner = name.strip_prefix("pylock.").and_then(|rest| rest.strip_suffix("toml"));
    inner.is_some_and(|inner| inner.is_empty() || inner.ends_with('.'))
}

/// An entry, if its name is one.
fn locked(name: &str, version: &str, file: &Path) -> Option<Locked> {
    let version = version.trim();
    let usable = is_distribution(name) && super::version::exact(&format!("=={version}")).is_some();
    usable.then(|| Locked {
        name: normalized(name),
        version: version.to_owned(),
        file: file.to_owned(),
        by_conda: false,
    })
}

#[cfg(test)]
mod tests;
