//! Packages that the project names by path, and those that these name.

use std::path::{Path, PathBuf};

use super::project::{Project, read};
use crate::ecosystem::python::files::Files;
use crate::extract::swift::manifest::Source;

/// Packages by path that are followed.
const PACKAGES_MAX: usize = 64;

/// Adds them to the project.
pub(super) fn add(project: &mut Project, files: &Files<'_>) {
    let of_xcode = project.xcode.iter().flat_map(|one| one.locals.iter().cloned());
    let mut todo: Vec<PathBuf> = of_xcode.collect();
    todo.extend(
        project.packages.iter().flat_map(|one| {
            paths(&one.root, one.manifest.dependencies.iter().map(|one| &one.source))
        }),
    );
    let mut seen: Vec<PathBuf> =
        project.packages.iter().filter_map(|one| one.root.canonicalize().ok()).collect();
    let mut at = 0;
    while let Some(path) = todo.get(at).cloned() {
        at += 1;
        if seen.len() >= PACKAGES_MAX {
            return;
        }
        let Ok(root) = path.canonicalize() else { continue };
        if seen.contains(&root) {
            continue;
        }
        seen.push(root.clone());
        if let Some(package) = read(&root, files) {
            let sources = package.manifest.dependencies.iter().map(|one| &one.source);
            todo.extend(paths(&root, sources));
            project.packages.push(package);
        }
    }
}

fn paths<'a>(root: &Path, sources: impl Iterator<Item = &'a Source>) -> Vec<PathBuf> {
    let paths = sources.filter_map(|source| match source {
        Source::Path(path) => Some(root.join(path)),
        Source::Url(_) | Source::Registry(_) => None,
    });
    paths.collect()
}
