//! Which folders are projects: those with a lockfile or a manifest.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use docent_packages::Ecosystem;
use ignore::WalkBuilder;

/// How a file is called, whose it is, and whether it locks versions.
const FILES: &[(&str, Ecosystem, bool)] = &[
    ("package-lock.json", Ecosystem::Npm, true),
    ("npm-shrinkwrap.json", Ecosystem::Npm, true),
    ("pnpm-lock.yaml", Ecosystem::Npm, true),
    ("yarn.lock", Ecosystem::Npm, true),
    ("bun.lock", Ecosystem::Npm, true),
    ("package.json", Ecosystem::Npm, false),
    ("uv.lock", Ecosystem::Python, true),
    ("poetry.lock", Ecosystem::Python, true),
    ("pdm.lock", Ecosystem::Python, true),
    ("Pipfile.lock", Ecosystem::Python, true),
    ("pylock.toml", Ecosystem::Python, true),
    ("requirements.txt", Ecosystem::Python, true),
    ("pyproject.toml", Ecosystem::Python, false),
    ("setup.cfg", Ecosystem::Python, false),
    ("Cargo.lock", Ecosystem::Rust, true),
    ("Cargo.toml", Ecosystem::Rust, false),
    ("go.sum", Ecosystem::Go, true),
    ("go.mod", Ecosystem::Go, false),
    ("Package.resolved", Ecosystem::Swift, true),
    ("Package.swift", Ecosystem::Swift, false),
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
    pub(crate) name: &'static str,
}

fn known(name: &str) -> Option<&'static (&'static str, Ecosystem, bool)> {
    FILES.iter().find(|(known, ..)| *known == name)
}

/// The files in one folder and those above it, up to the repository.
pub(crate) fn around(folder: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    for folder in folder.ancestors().take(DEPTH_MAX) {
        let here = FILES.iter().filter(|(name, ..)| folder.join(name).is_file());
        found.extend(here.map(|&(name, ecosystem, locks)| Found {
            folder: folder.to_owned(),
            ecosystem,
            locks,
            name,
        }));
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
        .filter_map(|entry| {
            let &(name, ecosystem, locks) = known(entry.file_name().to_str()?)?;
            let folder = entry.path().parent()?.to_owned();
            Some(Found { folder, ecosystem, locks, name })
        })
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
