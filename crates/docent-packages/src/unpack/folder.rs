//! Lists a folder on disk: an installed package.
//!
//! Files are read later, from where they are. A link counts for what it leads to as long as that is
//! a file inside the root; folders behind links are not entered, so no walk goes round in circles.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use super::{keep, path};
use crate::tree::{Content, Listed, file_name, folder};
use crate::{Error, ErrorKind, Limits};

/// Folders that hold other packages, or nothing that anyone has written.
const FOREIGN: &[&str] = &[
    "node_modules",
    "bower_components",
    "__pycache__",
    "site-packages",
    ".git",
    ".hg",
    ".svn",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".yarn",
    ".build",
    ".swiftpm",
    "DerivedData",
    "Carthage",
    "Pods",
    ".idea",
    ".vscode",
];

/// All files under `root`, or those of `files` that are there.
pub(super) fn read(
    root: &Path,
    files: Option<&[String]>,
    limits: &Limits,
) -> Result<BTreeMap<String, Content>, Error> {
    let failed = |error| Error::io(format_args!("the folder {}", root.display()), &error);
    let root = root.canonicalize().map_err(failed)?;
    match files {
        Some(files) => listed(&root, files, limits),
        None => walked(&root, limits),
    }
}

fn walked(root: &Path, limits: &Limits) -> Result<BTreeMap<String, Content>, Error> {
    let mut found = BTreeMap::new();
    let mut seen = 0u64;
    let mut folders = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        // A folder that cannot be read is as good as empty; the root has been looked at before.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > limits.entries_max {
                return Err(too_many(root));
            }
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
                continue;
            };
            let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            // The same rules as for archives: a path is a path, wherever it comes from.
            let Ok(path) = path::normal(&path, limits.path_bytes_max) else { continue };
            if kind.is_dir() {
                if !FOREIGN.contains(&file_name(&path)) {
                    folders.push((entry.path(), path));
                }
            } else if kind.is_file() && !keep::useful(&path) {
                found.insert(path, Content::Skipped);
            } else if let Ok(metadata) = entry.metadata()
                && let Some(content) = content(root, entry.path(), metadata, &path, limits)
            {
                found.insert(path, content);
            }
        }
    }
    Ok(found)
}

fn listed(
    root: &Path,
    files: &[String],
    limits: &Limits,
) -> Result<BTreeMap<String, Content>, Error> {
    if files.len() as u64 > limits.entries_max {
        return Err(too_many(root));
    }
    let mut found = BTreeMap::new();
    let mut folders: HashMap<String, Option<PathBuf>> = HashMap::new();
    for file in files {
        let Ok(path) = path::normal(file, limits.path_bytes_max) else { continue };
        // One look at each folder is enough to know that its files do not lie elsewhere.
        let real = folders.entry(folder(&path).to_owned());
        let real = real.or_insert_with_key(|folder| inside(root, &root.join(folder)));
        let Some(real) = real else { continue };
        let file = real.join(file_name(&path));
        let Ok(metadata) = fs::symlink_metadata(&file) else { continue };
        if let Some(content) = content(root, file, metadata, &path, limits) {
            found.insert(path, content);
        }
    }
    Ok(found)
}

/// What is at `file`, whose folder is known to be inside the root.
fn content(
    root: &Path,
    mut file: PathBuf,
    mut metadata: fs::Metadata,
    path: &str,
    limits: &Limits,
) -> Option<Content> {
    if metadata.is_symlink() {
        file = inside(root, &file)?;
        metadata = fs::symlink_metadata(&file).ok()?;
    }
    if !metadata.is_file() {
        return None;
    }
    Some(if !keep::useful(path) {
        Content::Skipped
    } else if metadata.len() > limits.file_bytes_max {
        Content::TooLarge(metadata.len())
    } else {
        let modified = metadata.modified().ok();
        Content::OnDisk(file, Listed { bytes: metadata.len(), modified })
    })
}

/// Where a path really is, if that is inside the root.
fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().filter(|real| real.starts_with(root))
}

fn too_many(root: &Path) -> Error {
    let message = format!("the folder {} has more files than the limit", root.display());
    Error::new(ErrorKind::LimitExceeded, message)
}
