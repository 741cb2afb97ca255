//! The packages of Go itself, from the sources that every installation has.

use std::path::{Path, PathBuf};

use super::project::Project;
use super::settings::Settings;
use crate::Environment;
use crate::ecosystem::Installed;
use crate::ecosystem::python::files::Files;
use crate::extract::go::folders::STANDARD_LIBRARY;
use crate::tree::Place;

/// A package of Go in each installation that has it, the one the project would use first. The name
/// `std` stands for all packages.
pub(super) fn find(
    path: &str,
    project: &Project,
    settings: &Settings<'_>,
    environment: &Environment,
    files: &Files<'_>,
) -> Vec<Installed> {
    let mut roots = roots(settings, environment);
    if let Some(wanted) = project.toolchain() {
        // The project's version may be among those that Go has downloaded for it.
        let downloaded = downloaded(settings, files);
        let fitting = downloaded.into_iter().filter(|(version, _)| *version == wanted);
        let is_there = |root: &PathBuf| version(root, files).as_deref() == Some(wanted.as_str());
        if !roots.iter().any(is_there) {
            roots.splice(0..0, fitting.map(|(_, root)| root));
        }
    }
    let mut found: Vec<Installed> = Vec::new();
    for root in roots {
        let Some(version) = version(&root, files) else { continue };
        let Ok(source) = root.join("src").canonicalize() else { continue };
        let list = match path {
            STANDARD_LIBRARY => None,
            path => Some(sources(&source, path, files)).filter(|list| !list.is_empty()),
        };
        if path != STANDARD_LIBRARY && list.is_none() || found.iter().any(|one| one.shown == source)
        {
            continue;
        }
        found.push(Installed {
            name: STANDARD_LIBRARY.to_owned(),
            version,
            shown: source.clone(),
            place: Place::Folder { root: source, files: list },
            bundled: true,
        });
    }
    found
}

/// The folders that Go is installed in.
fn roots(settings: &Settings<'_>, environment: &Environment) -> Vec<PathBuf> {
    let set = settings.get("GOROOT").map(PathBuf::from);
    let program = environment.program("go").and_then(|program| program.canonicalize().ok());
    let around = program.as_deref().and_then(Path::parent).and_then(Path::parent);
    set.into_iter().chain(around.map(Path::to_owned)).collect()
}

/// The versions of Go in the module cache.
fn downloaded(settings: &Settings<'_>, files: &Files<'_>) -> Vec<(String, PathBuf)> {
    let Some(cache) = settings.module_cache() else { return Vec::new() };
    let entries = files.entries(&cache.join("golang.org"));
    let toolchains = entries.into_iter().filter_map(|entry| {
        // `toolchain@v0.0.1-go1.22.1.linux-amd64`
        let rest = entry.file_name()?.to_str()?.strip_prefix("toolchain@v0.0.1-")?.to_owned();
        let (version, _) = rest.rsplit_once('.')?;
        Some((version.to_owned(), entry))
    });
    toolchains.collect()
}

/// The version of an installation: the first line of its file `VERSION`.
fn version(root: &Path, files: &Files<'_>) -> Option<String> {
    let text = files.text(&root.join("VERSION"))?;
    let first = text.lines().next()?.trim();
    (!first.is_empty() && first.len() < 64).then(|| first.to_owned())
}

/// The files of one package, relative to the folder of all.
fn sources(source: &Path, path: &str, files: &Files<'_>) -> Vec<String> {
    let entries = files.entries(&source.join(path));
    let names = entries.iter().filter_map(|entry| entry.file_name()?.to_str());
    names.filter(|name| name.ends_with(".go")).map(|name| format!("{path}/{name}")).collect()
}
