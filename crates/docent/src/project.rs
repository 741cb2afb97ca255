//! Which folders are projects: those with a lockfile or a manifest.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use docent_packages::{Ecosystem, decides_versions};
use ignore::WalkBuilder;

/// Files that name dependencies without locking them.
const MANIFESTS: &[&str] = &[
    "package.json",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "Pipfile",
    "environment.yml",
    "environment.yaml",
    "Cargo.toml",
    "go.mod",
    "go.work",
    "Package.swift",
];

/// Folders that hold what was installed, not projects.
const INSTALLED: &[&str] = &[
    "node_modules",
    "site-packages",
    ".git",
    ".venv",
    "venv",
    "target",
    "vendor",
    ".build",
    "__pycache__",
    ".tox",
    ".yarn",
    ".pnpm-store",
];

const DEPTH_MAX: usize = 24;

/// A file that says what a project depends on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Found {
    pub(crate) folder: PathBuf,
    pub(crate) ecosystem: Ecosystem,
    pub(crate) locks: bool,
    pub(crate) name: String,
}

fn known(folder: &Path, name: &str) -> Option<Found> {
    let ecosystem = decides_versions(name)?;
    let locks = !MANIFESTS.contains(&name);
    Some(Found { folder: folder.to_owned(), ecosystem, locks, name: name.to_owned() })
}

/// The files in one folder and those above it, up to the repository.
pub(crate) fn around(folder: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    for folder in folder.ancestors().take(DEPTH_MAX) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let files = entries.filter(|entry| entry.path().is_file());
        let mut here: Vec<Found> =
            files.filter_map(|entry| known(folder, entry.file_name().to_str()?)).collect();
        here.sort();
        found.append(&mut here);
        if folder.join(".git").exists() {
            break;
        }
    }
    found
}

/// All such files below a folder; what Git ignores is left out.
pub(crate) fn below(folder: &Path) -> Vec<Found> {
    let walk = WalkBuilder::new(folder)
        .hidden(false)
        .require_git(false)
        .max_depth(Some(DEPTH_MAX))
        .filter_entry(|entry| {
            let name = entry.file_name().to_str().unwrap_or_default();
            entry.depth() == 0 || !INSTALLED.contains(&name)
        })
        .build();
    let files = walk
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut found: Vec<Found> = files
        .filter_map(|entry| known(entry.path().parent()?, entry.file_name().to_str()?))
        .collect();
    found.sort();
    found
}

/// The projects among the files: each folder with a lockfile, and each manifest that no lockfile at
/// or above it covers.
pub(crate) fn projects(found: &[Found]) -> BTreeSet<(PathBuf, Ecosystem)> {
    let locked = |folder: &Path, ecosystem: Ecosystem| {
        found.iter().any(|other| {
            other.locks && other.ecosystem == ecosystem && folder.starts_with(&other.folder)
        })
    };
    let projects = found.iter().filter(|one| one.locks || !locked(&one.folder, one.ecosystem));
    projects.map(|one| (one.folder.clone(), one.ecosystem)).collect()
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;

    #[test]
    fn lockfiles_count_and_manifests_only_without_one() {
        let folder = Folder::new();
        for file in [
            "web/package.json",
            "web/pnpm-lock.yaml",
            "web/packages/a/package.json",
            "web/node_modules/x/package.json",
            "tool/pyproject.toml",
            "old/requirements.txt",
            "ignored/package.json",
        ] {
            folder.write(file, "{}");
        }
        folder.write(".gitignore", "ignored/\n");
        let found = projects(&below(folder.path()));
        let found: Vec<(String, &str)> = found
            .iter()
            .map(|(path, ecosystem)| {
                let path = path.strip_prefix(folder.path()).expect("inside");
                (path.display().to_string(), ecosystem.scheme())
            })
            .collect();
        let expected = [("old", "pypi"), ("tool", "pypi"), ("web", "npm")];
        assert_eq!(found, expected.map(|(path, scheme)| (path.to_owned(), scheme)));
    }
}
