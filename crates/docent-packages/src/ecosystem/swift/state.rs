//! `workspace-state.json`: what the package manager has put where.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::name;
use super::project::names;
use super::resolved::State;
use crate::ecosystem::python::files::Files;

/// A package that the package manager has put somewhere.
#[derive(Debug)]
pub(super) struct Placed {
    /// Its address or identity.
    pub(super) name: String,
    pub(super) version: Option<String>,
    pub(super) root: PathBuf,
}

#[derive(Deserialize)]
struct File {
    object: Object,
}

#[derive(Deserialize)]
struct Object {
    #[serde(default)]
    dependencies: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    package_ref: Reference,
    state: EntryState,
    #[serde(default)]
    subpath: String,
}

#[derive(Deserialize)]
struct Reference {
    #[serde(default)]
    identity: String,
    #[serde(default, alias = "path")]
    location: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EntryState {
    #[serde(default)]
    name: String,
    #[serde(default)]
    checkout_state: Option<State>,
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    path: Option<String>,
}

/// What is in a folder such as `.build`: as its state says, else what lies there.
pub(super) fn read(container: &Path, files: &Files<'_>) -> Vec<Placed> {
    let file = container.join("workspace-state.json");
    let stored = files.text(&file).and_then(|text| {
        let parsed = serde_json::from_str::<File>(&text).ok();
        if parsed.is_none() {
            files.problem(&file, "is not what the package manager writes");
        }
        parsed
    });
    let mut found: Vec<Placed> = Vec::new();
    for entry in stored.map(|file| file.object.dependencies).unwrap_or_default() {
        let Entry { package_ref, state, subpath } = entry;
        let is_inside = !subpath.is_empty()
            && Path::new(&subpath)
                .components()
                .all(|part| matches!(part, std::path::Component::Normal(_)));
        let folder = match state.name.as_str() {
            "registryDownload" => container.join("registry/downloads").join(&subpath),
            "edited" | "local" | "fileSystem" => match &state.path {
                Some(path) => PathBuf::from(path),
                None if state.name == "edited" => {
                    container.with_file_name("Packages").join(&subpath)
                }
                None => PathBuf::from(&package_ref.location),
            },
            _ => container.join("checkouts").join(&subpath),
        };
        let is_elsewhere = matches!(state.name.as_str(), "edited" | "local" | "fileSystem");
        if (is_inside || is_elsewhere) && folder.is_dir() {
            let version = state.version.or_else(|| state.checkout_state?.shown());
            let name = name::address(&package_ref.location).filter(|_| !is_elsewhere);
            let name = name.unwrap_or(package_ref.identity);
            found.push(Placed { name, version, root: folder });
        }
    }
    let checkouts = container.join("checkouts");
    for name in names(&checkouts) {
        let root = checkouts.join(&name);
        if root.is_dir() && !found.iter().any(|known| known.root == root) {
            found.push(Placed { name, version: None, root });
        }
    }
    found
}
