//! Whether files of a project, or of its other packages, add to the types of an npm package, and what
//! the files of a Swift project declare.
//!
//! `declare module "x" { interface Options { … } }` gives types members that their own package does
//! not have. Asked only when something would otherwise be a finding.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::language::swift::{declared_names, is_system};
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
    let enters =
        |name: &str| name != "node_modules" && (declarations_only || !NOT_SOURCES.contains(&name));
    let takes = |name: &str| {
        let is_source = [".ts", ".mts", ".cts", ".tsx"].iter().any(|end| name.ends_with(end));
        is_source && (!declarations_only || name.contains(".d."))
    };
    walk(folder, left, enters, takes, |text| match text {
        File::Text(text) if says_so(&text, package) => ControlFlow::Break(true),
        File::Text(_) | File::Unread => ControlFlow::Continue(()),
        File::TooMany => ControlFlow::Break(!declarations_only),
    })
    .unwrap_or(false)
}

/// The names that the Swift files of a project declare; nothing if there are too many to be sure.
pub(super) fn declared(project: &Path) -> Option<HashSet<String>> {
    let above = project.ancestors().find(|folder| folder.join("Package.swift").is_file());
    let mut names = HashSet::default();
    let enters = |name: &str| !NOT_SWIFT.contains(&name);
    let takes = |name: &str| name.ends_with(".swift");
    let mut left = FILES_MAX;
    let unknown = walk(above.unwrap_or(project), &mut left, enters, takes, |text| match text {
        File::Text(text) => match declared_names(&text) {
            Some(found) => {
                names.extend(found);
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        },
        File::Unread | File::TooMany => ControlFlow::Break(()),
    });
    unknown.is_none().then_some(names)
}

/// What a walk comes upon.
enum File {
    Text(String),
    /// It is too large, or cannot be read.
    Unread,
    /// The limit is reached, and there is one more.
    TooMany,
}

/// Goes through the files below a folder that are wanted, hidden folders left out, until `look` has seen
/// enough; what that says.
fn walk<T>(
    folder: &Path,
    left: &mut usize,
    enters: impl Fn(&str) -> bool,
    takes: impl Fn(&str) -> bool,
    mut look: impl FnMut(File) -> ControlFlow<T>,
) -> Option<T> {
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, deep)) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
            let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
            let name = name.to_string_lossy();
            if kind.is_dir() && !name.starts_with('.') && enters(&name) && deep < DEEP_MAX {
                open.push((entry.path(), deep + 1));
            }
            if !kind.is_file() || !takes(&name) {
                continue;
            }
            let is_small = entry.metadata().is_ok_and(|metadata| metadata.len() <= FILE_BYTES_MAX);
            let text = || is_small.then(|| std::fs::read_to_string(entry.path()).ok()).flatten();
            let file = match left.checked_sub(1) {
                None => File::TooMany,
                Some(rest) => {
                    *left = rest;
                    text().map_or(File::Unread, File::Text)
                }
            };
            if let ControlFlow::Break(said) = look(file) {
                return Some(said);
            }
        }
    }
    None
}

/// The modules that the Swift files of a project import, those of the system left out.
pub(super) fn imported(project: &Path) -> Vec<String> {
    let names = declared(project).unwrap_or_default();
    let modules = names.iter().filter_map(|name| name.strip_prefix("import "));
    modules.filter(|module| !is_system(module)).map(str::to_owned).collect()
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
