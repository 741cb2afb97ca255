//! The project itself, when the question is about the package that it is the source of.

use std::path::{Path, PathBuf};

use super::source_files;
use crate::ecosystem::python::files::Files;
use crate::ecosystem::python::ini;
use crate::ecosystem::python::name::{candidates, normalized};
use crate::ecosystem::{Installed, Name};
use crate::tree::Place;

/// What a source tree whose version is made up at build time counts as.
const VERSION_UNKNOWN: &str = "0+unknown";

/// The project's own source, if one of its folders is that package.
pub(crate) fn of_project(name: &Name, folders: &[PathBuf], files: &Files<'_>) -> Option<Installed> {
    folders.iter().find_map(|folder| {
        let (own, version) = identity(folder, files)?;
        let own = normalized(&own);
        if !candidates(name).contains(&own) && !has_module(folder, name) {
            return None;
        }
        let list = source_files(folder, files);
        Some(Installed {
            name: own,
            version: version.unwrap_or_else(|| VERSION_UNKNOWN.to_owned()),
            shown: folder.clone(),
            place: Place::Folder { root: folder.clone(), files: Some(list) },
            bundled: false,
        })
    })
}

/// The name and version in a folder's manifest.
fn identity(folder: &Path, files: &Files<'_>) -> Option<(String, Option<String>)> {
    if let Some(manifest) = files.toml(&folder.join("pyproject.toml")) {
        let poetry = manifest.get("tool").and_then(|tool| tool.get("poetry"));
        for table in [manifest.get("project"), poetry].into_iter().flatten() {
            if let Some(name) = table.get("name").and_then(toml::Value::as_str) {
                let version = table.get("version").and_then(toml::Value::as_str);
                return Some((name.to_owned(), version.map(str::to_owned)));
            }
        }
    }
    let text = files.text(&folder.join("setup.cfg"))?;
    let settings = ini::parse(&text);
    let name = ini::value(&settings, "metadata", "name")?;
    let version = ini::value(&settings, "metadata", "version");
    // `attr:` and `file:` would have to be followed into code.
    let version =
        version.filter(|version| version.starts_with(|first: char| first.is_ascii_digit()));
    Some((name.to_owned(), version.map(str::to_owned)))
}

/// Whether the first part of the import is a module of this source tree.
fn has_module(folder: &Path, name: &Name) -> bool {
    let written = name.module.as_deref().and_then(|module| module.split('.').next());
    let underscored = name.package.replace('-', "_");
    let module = written.unwrap_or(&underscored);
    let roots = [folder.join("src"), folder.to_owned()];
    roots.iter().any(|root| root.join(module).join("__init__.py").is_file())
}
