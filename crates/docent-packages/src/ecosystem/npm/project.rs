//! The project that a question is about: its folders upward, its manifest, its workspace.
//!
//! Fed by the folder in the question; feeds the search for what is installed, locked, asked for and
//! configured.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::manifest::Manifest;
use super::read::{self, Notes};
use super::version;
use crate::ecosystem::{Context, Required};
use crate::{Environment, Limits};

/// More folders than any real path has.
const FOLDERS_MAX: usize = 128;
pub(super) const PNPM_WORKSPACE: &str = "pnpm-workspace.yaml";
const YARN_SETTINGS: &str = ".yarnrc.yml";
/// Files that make the folder they are in the root of a workspace.
const WORKSPACE_FILES: &[&str] = &[PNPM_WORKSPACE, "lerna.json"];

/// What surrounds the folder of a question.
#[derive(Debug)]
pub(super) struct Project {
    /// The folder of the question and those above it, nearest first.
    pub(super) folders: Vec<PathBuf>,
    /// The nearest manifest.
    pub(super) manifest: Option<Manifest>,
    /// The manifest at the root of the workspace, if that is another one.
    pub(super) root_manifest: Option<Manifest>,
    /// The root of the workspace, or the folder of the nearest manifest, or that of the question.
    pub(super) root: PathBuf,
}

impl Project {
    /// Looks upward from the folder in question, as far as the home folder or the root of all.
    pub(super) fn find(context: &Context<'_>, notes: &mut Notes) -> Self {
        let folders = upward(context.project, context.environment);
        let start = folders.first().cloned().unwrap_or_else(|| context.project.to_owned());
        let mut manifests = folders
            .iter()
            .filter_map(|folder| Manifest::read(folder, context.limits, notes))
            .collect::<Vec<_>>()
            .into_iter();
        let manifest = manifests.next();
        let package = manifest.as_ref().map_or(start, |manifest| manifest.folder.clone());
        if manifest.as_ref().is_some_and(is_workspace_root) {
            return Self { folders, manifest, root_manifest: None, root: package };
        }
        let root_manifest = manifests.find(is_workspace_root);
        let root = root_manifest.as_ref().map_or(package, |root| root.folder.clone());
        Self { folders, manifest, root_manifest, root }
    }

    /// The folder of the nearest manifest, or that of the question.
    pub(super) fn package(&self) -> &Path {
        self.manifest.as_ref().map_or(&self.root, |manifest| &manifest.folder)
    }

    /// The folder of the nearest manifest as seen from one above it: `packages/app`, or empty.
    pub(super) fn importer(&self, above: &Path) -> String {
        let inside = self.package().strip_prefix(above).unwrap_or(Path::new(""));
        let parts = inside.components().map(|part| part.as_os_str().to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    }

    /// The range that the nearest manifest asks for, with catalogs and workspaces looked up.
    pub(super) fn requirement(
        &self,
        package: &str,
        limits: &Limits,
        notes: &mut Notes,
    ) -> Option<Required> {
        let manifests = [self.manifest.as_ref(), self.root_manifest.as_ref()];
        let mut manifests = manifests.into_iter().flatten();
        let (manifest, range) = manifests.find_map(|manifest| {
            let asked = manifest.dependencies();
            let range = asked.into_iter().find(|(name, _)| *name == package)?.1;
            Some((manifest, range.to_owned()))
        })?;
        if let Some(catalog) = range.strip_prefix("catalog:") {
            return self.catalog(catalog.trim(), package, limits, notes);
        }
        let range = match range.strip_prefix("workspace:") {
            Some("" | "^" | "~") => "*".to_owned(),
            Some(rest) => rest.to_owned(),
            None => version::without_credentials(&range),
        };
        Some(Required { range, file: manifest.file() })
    }

    /// The range that a catalog of the workspace has, wherever the package manager keeps catalogs.
    fn catalog(
        &self,
        catalog: &str,
        package: &str,
        limits: &Limits,
        notes: &mut Notes,
    ) -> Option<Required> {
        let catalog = Some(catalog).filter(|name| !matches!(*name, "" | "default"));
        for name in [PNPM_WORKSPACE, YARN_SETTINGS] {
            let file = self.root.join(name);
            let Some(text) = read::text(&file, limits, notes) else { continue };
            let catalogs = match read::yaml::<Catalogs>(&text, limits) {
                Ok(documents) => documents.into_iter().next().unwrap_or_default(),
                Err(why) => {
                    notes.push(format!("{} {why}", file.display()));
                    continue;
                }
            };
            if let Some(range) = catalogs.range(catalog, package) {
                return Some(Required { range, file });
            }
        }
        let manifests = [self.root_manifest.as_ref(), self.manifest.as_ref()];
        let found = manifests.into_iter().flatten().find_map(|manifest| {
            let range = manifest.catalog(catalog, package)?.to_owned();
            Some(Required { range, file: manifest.file() })
        });
        if found.is_none() {
            let catalog = catalog.unwrap_or("default");
            notes.push(format!("the catalog `{catalog}` of the workspace has no `{package}`"));
        }
        found
    }
}

#[derive(Default, Deserialize)]
struct Catalogs {
    #[serde(default)]
    catalog: BTreeMap<String, String>,
    #[serde(default)]
    catalogs: BTreeMap<String, BTreeMap<String, String>>,
}

impl Catalogs {
    fn range(mut self, catalog: Option<&str>, package: &str) -> Option<String> {
        let named = self.catalogs.remove(catalog.unwrap_or("default"));
        let unnamed = catalog.is_none().then_some(self.catalog);
        unnamed.into_iter().chain(named).find_map(|mut ranges| ranges.remove(package))
    }
}

fn is_workspace_root(manifest: &Manifest) -> bool {
    let has = |name: &&str| manifest.folder.join(name).is_file();
    manifest.has_workspaces() || WORKSPACE_FILES.iter().any(has)
}

fn upward(project: &Path, environment: &Environment) -> Vec<PathBuf> {
    let real = |path: &Path| path.canonicalize().ok();
    let absolute = environment.directory().join(project);
    let mut start = real(&absolute).unwrap_or(absolute);
    if start.is_file() {
        start.pop();
    }
    let home = environment.home().map(|home| real(home).unwrap_or_else(|| home.to_owned()));
    let mut folders = Vec::new();
    for folder in start.ancestors().take(FOLDERS_MAX) {
        folders.push(folder.to_owned());
        if home.as_deref() == Some(folder) {
            break;
        }
    }
    folders
}

#[cfg(test)]
mod tests;
