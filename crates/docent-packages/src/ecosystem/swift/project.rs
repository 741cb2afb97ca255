//! The project around a folder: packages and Xcode projects there and above, and the packages that
//! they name by path.

use std::path::{Path, PathBuf};

use super::{local, xcode};
use crate::ecosystem::python::files::Files;
use crate::extract::swift::manifest::{Manifest, is_manifest};

/// Folders upward that are looked at.
const FOLDERS_MAX: usize = 32;
/// Entries of one folder that are looked at.
const ENTRIES_MAX: usize = 4096;

/// What is around a folder, nearest first.
#[derive(Debug, Default)]
pub(super) struct Project {
    /// The folder and those above it.
    pub(super) folders: Vec<PathBuf>,
    /// Packages whose sources are the project's own.
    pub(super) packages: Vec<Package>,
    pub(super) xcode: Vec<xcode::Xcode>,
}

/// A package on disk.
#[derive(Debug)]
pub(super) struct Package {
    pub(super) root: PathBuf,
    pub(super) manifest: Manifest,
}

impl Project {
    pub(super) fn find(folder: &Path, files: &Files<'_>) -> Self {
        let mut project = Self::default();
        for folder in folder.ancestors().take(FOLDERS_MAX) {
            project.folders.push(folder.to_owned());
            let names = names(folder);
            if names.iter().any(|name| is_manifest(name)) {
                project.packages.extend(read(folder, files));
            }
            let containers = names.iter().filter(|name| xcode::is_container(name));
            let found = containers.filter_map(|name| xcode::read(&folder.join(name), files));
            project.xcode.extend(found);
        }
        local::add(&mut project, files);
        project
    }
}

/// The package in a folder, if there is one.
pub(super) fn read(root: &Path, files: &Files<'_>) -> Option<Package> {
    let manifests = names(root).into_iter().filter(|name| is_manifest(name));
    let texts = manifests.filter_map(|name| {
        let text = files.text(&root.join(&name))?;
        Some((name, text))
    });
    let manifest = Manifest::newest(texts.collect::<Vec<_>>())?;
    Some(Package { root: root.to_owned(), manifest })
}

/// The names in a folder, sorted.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names = entries.flatten().take(ENTRIES_MAX);
    let mut names: Vec<String> =
        names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}
