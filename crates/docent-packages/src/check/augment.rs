//! Whether files of a project, or of its other packages, add to the types of an npm package, and what
//! the files of a Swift project declare.
//!
//! `declare module "x" { interface Options { … } }` gives types members that their own package does
//! not have. Asked only when something would otherwise be a finding.

use std::path::{Path, PathBuf};

use super::language::swift::declared_names;
use crate::hashing::HashSet;

/// Files that are looked at; a project with more is taken to add to everything.
const FILES_MAX: usize = 6_000;
/// Bytes of one file that is looked at.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Folders below one another.
const DEEP_MAX: usize = 24;
/// Folders that hold no sources of the project.
const NOT_SWIFT: &[&str] = &["Pods", "Carthage", "DerivedData", "node_modules"];
/// The same, where there may be any language.
const NOT_SOURCES: &[&str] = &["node_modules", "target", "dist", "build", "out", "coverage"];

/// Whether somebody adds to `package`, seen from a project that depends on `dependencies`.
pub(super) fn is_augmented(project: &Path, package: &str, dependencies: &[String]) -> bool {
    let root = root(project);
    let mut left = FILES_MAX;
    if adds(&root, package, false, &mut left) {
        return true;
    }
    let others = dependencies.iter().filter(|name| name.as_str() != package);
    for name in others {
        let Some(folder) = installed(project, name) else { continue };
        // Who adds to a package has to know it.
        let manifest = std::fs::read_to_string(folder.join("package.json")).unwrap_or_default();
        if !manifest.contains(&format!("\"{package}\"")) {
            continue;
        }
        if adds(&folder, package, true, &mut left) {
            return true;
        }
    }
    false
}

/// The nearest folder with a manifest.
fn root(project: &Path) -> PathBuf {
    let above = project.ancestors().find(|folder| folder.join("package.json").is_file());
    above.unwrap_or(project).to_owned()
}

fn installed(project: &Path, name: &str) -> Option<PathBuf> {
    let folders = project.ancestors().map(|above| above.join("node_modules").join(name));
    folders.into_iter().find(|folder| folder.is_dir())
}

/// Whether a file below a folder has a block that adds to a package.
fn adds(folder: &Path, package: &str, declarations_only: bool, left: &mut usize) -> bool {
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, deep)) = open.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        for entry in entries {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if kind.is_dir() {
                let skipped = name == "node_modules"
                    || name.starts_with('.')
                    || (!declarations_only && NOT_SOURCES.contains(&name.as_ref()));
                if !skipped && deep < DEEP_MAX {
                    open.push((entry.path(), deep + 1));
                }
                continue;
            }
            let is_source = [".ts", ".mts", ".cts", ".tsx"].iter().any(|end| name.ends_with(end));
            if !kind.is_file() || !is_source || (declarations_only && !name.contains(".d.")) {
                continue;
            }
            let Some(rest) = left.checked_sub(1) else { return !declarations_only };
            *left = rest;
            if entry.metadata().is_ok_and(|metadata| metadata.len() <= FILE_BYTES_MAX)
                && std::fs::read_to_string(entry.path()).is_ok_and(|text| says_so(&text, package))
            {
                return true;
            }
        }
    }
    false
}

/// The names that the Swift files of a project declare; nothing if there are too many to be sure.
pub(super) fn declared(project: &Path) -> Option<HashSet<String>> {
    let above = project.ancestors().find(|folder| folder.join("Package.swift").is_file());
    let mut names = HashSet::default();
    let mut left = FILES_MAX;
    let mut open = vec![(above.unwrap_or(project).to_owned(), 0)];
    while let Some((folder, deep)) = open.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        for entry in entries {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_skipped = name.starts_with('.') || NOT_SWIFT.contains(&name.as_ref());
            if kind.is_dir() && !is_skipped && deep < DEEP_MAX {
                open.push((entry.path(), deep + 1));
            }
            if !kind.is_file() || !name.ends_with(".swift") {
                continue;
            }
            left = left.checked_sub(1)?;
            let is_small = entry.metadata().is_ok_and(|metadata| metadata.len() <= FILE_BYTES_MAX);
            let text = std::fs::read_to_string(entry.path()).ok().filter(|_| is_small)?;
            names.extend(declared_names(&text)?);
        }
    }
    Some(names)
}

/// Whether a name is among those that are declared.
pub(super) fn declares(declared: Option<&HashSet<String>>, name: &str) -> bool {
    declared.is_none_or(|names| names.contains(name))
}

fn says_so(text: &str, package: &str) -> bool {
    let blocks = text.match_indices("declare module").any(|(at, found)| {
        let rest = text[at + found.len()..].trim_start();
        let Some(quoted) = rest.strip_prefix(['"', '\'']) else { return false };
        quoted.strip_prefix(package).is_some_and(|after| after.starts_with(['"', '\'', '/']))
    });
    // Some packages leave a global namespace for others to add to.
    let global = text.find("declare global");
    blocks || global.is_some_and(|at| text[at..].contains("namespace "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_by_their_module() {
        for (text, expected) in [
            ("declare module 'kit' { }", true),
            ("declare module \"kit/sub\" { }", true),
            ("declare module 'kitten' { }", false),
            ("declare module './kit' { }", false),
            ("declare global { namespace Express { interface Request {} } }", true),
            ("declare global { interface Window {} }", false),
            ("import 'kit'", false),
        ] {
            assert_eq!(says_so(text, "kit"), expected, "{text}");
        }
    }
}
