//! Installed copies of a package: `node_modules` in all its layouts.
//!
//! Looks where Node would look: in `node_modules` of the project's folder and of each one above it.
//! Further copies, which an import from the project does not find, are listed after these: those
//! nested one level down, and those in the stores of pnpm, Bun and Yarn. Links are followed, since
//! that is how these stores work, but only to a folder whose manifest confirms the name. Packages of
//! the project's own workspace count as installed.

use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::project::Project;
use super::read::Notes;
use super::{pnp, version, workspace};
use crate::Limits;
use crate::ecosystem::Installed;
use crate::tree::Place;

const MODULES: &str = "node_modules";
/// Entries of one folder that are looked at.
const ENTRIES_MAX: usize = 20_000;
/// Copies that are worth listing.
const COPIES_MAX: usize = 32;
/// What npm takes for a package without a version.
const NO_VERSION: &str = "0.0.0";

/// All copies, the one that an import would find first.
pub(super) fn find(
    project: &Project,
    package: &str,
    limits: &Limits,
    notes: &mut Notes,
) -> Vec<Installed> {
    let mut search = Search { package, limits, notes, found: Vec::new() };
    search.own(project);
    let modules: Vec<PathBuf> = project.folders.iter().map(|it| it.join(MODULES)).collect();
    for folder in &modules {
        search.add(&folder.join(package));
    }
    for copy in pnp::find(project, package, limits, search.notes) {
        if !search.found.iter().any(|earlier| earlier.place == copy.place) {
            search.found.push(copy);
        }
    }
    if search.found.is_empty() {
        let member = workspace::find(project, package, limits, search.notes);
        search.found.extend(member.map(|it| installed(&it, it.folder.clone(), &it.folder)));
    }
    let importable = search.found.len();
    for folder in modules.iter().filter(|folder| folder.is_dir()) {
        search.nested(folder);
        search.stores(folder);
    }
    let mut found = search.found;
    found[importable..].sort_by(|left, right| version::order(&right.version, &left.version));
    found
}

struct Search<'a> {
    package: &'a str,
    limits: &'a Limits,
    notes: &'a mut Notes,
    found: Vec<Installed>,
}

impl Search<'_> {
    /// The project itself, when it is the package in question.
    fn own(&mut self, project: &Project) {
        let manifests = [project.manifest.as_ref(), project.root_manifest.as_ref()];
        let own = manifests.into_iter().flatten().find(|it| it.name() == Some(self.package));
        if let Some(manifest) = own {
            self.found.push(installed(manifest, manifest.folder.clone(), &manifest.folder));
        }
    }

    /// A folder, if it is there and holds the package.
    fn add(&mut self, shown: &Path) {
        if self.found.len() >= COPIES_MAX {
            return;
        }
        let Ok(root) = shown.canonicalize() else { return };
        let known = |earlier: &Installed| earlier.place.path() == root;
        if self.found.iter().any(known) {
            return;
        }
        let Some(manifest) = Manifest::read(&root, self.limits, self.notes) else { return };
        if manifest.name() == Some(self.package) || is_alias(&root, &manifest) {
            self.found.push(installed(&manifest, root, shown));
        }
    }

    /// Copies inside other packages: `node_modules/*/node_modules/name`.
    fn nested(&mut self, modules: &Path) {
        for entry in entries(modules) {
            if entry.starts_with('.') {
                continue;
            }
            let folder = modules.join(&entry);
            if entry.starts_with('@') {
                for scoped in entries(&folder) {
                    self.add(&folder.join(scoped).join(MODULES).join(self.package));
                }
            } else {
                self.add(&folder.join(MODULES).join(self.package));
            }
        }
    }

    /// Copies in a store that the other packages link to.
    fn stores(&mut self, modules: &Path) {
        let flat = format!("{}@", self.package.replace('/', "+"));
        for store in [".pnpm", ".bun"] {
            let store = modules.join(store);
            for entry in entries(&store).filter(|entry| entry.starts_with(&flat)) {
                self.add(&store.join(entry).join(MODULES).join(self.package));
            }
        }
        let flat = self.package.replace('/', "-");
        let store = modules.join(".store");
        for entry in entries(&store) {
            let rest = entry.strip_prefix(&flat).unwrap_or_default();
            if rest.starts_with("-npm-") || rest.starts_with("-virtual-") {
                self.add(&store.join(entry).join("package"));
            }
        }
    }
}

/// A folder whose package has another name is an alias if a package manager put it there; a link to
/// some folder of the user's is not.
fn is_alias(root: &Path, manifest: &Manifest) -> bool {
    let in_modules = root.components().any(|part| part.as_os_str() == MODULES);
    in_modules && manifest.name().is_some_and(super::name::is_package)
}

fn installed(manifest: &Manifest, root: PathBuf, shown: &Path) -> Installed {
    Installed {
        name: manifest.name().unwrap_or_default().to_owned(),
        version: manifest.version().unwrap_or(NO_VERSION).to_owned(),
        place: Place::Folder { root, files: None },
        shown: shown.to_owned(),
        bundled: false,
    }
}

/// The names in a folder, as far as they are text; none if it cannot be listed.
fn entries(folder: &Path) -> impl Iterator<Item = String> + use<> {
    let listed = std::fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES_MAX);
    let mut names: Vec<String> =
        listed.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names.into_iter()
}

#[cfg(test)]
mod tests;
