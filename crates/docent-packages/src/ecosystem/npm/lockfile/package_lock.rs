//! npm's `package-lock.json` and `npm-shrinkwrap.json`, versions 1 to 3.
//!
//! From version 2 on, `packages` lists every folder; version 1 nests `dependencies` as folders nest.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{ELSEWHERE, Importer, Package, is_version, split_at_version};
use crate::Limits;
use crate::ecosystem::npm::read::{self, Text};

const MODULES: &str = "node_modules/";

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    packages: BTreeMap<String, Entry>,
    #[serde(default)]
    dependencies: BTreeMap<String, Nested>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    name: Text,
    #[serde(default)]
    version: Text,
    #[serde(default)]
    link: bool,
    #[serde(default)]
    resolved: Text,
}

#[derive(Deserialize)]
struct Nested {
    #[serde(default)]
    version: Text,
    #[serde(default)]
    dependencies: BTreeMap<String, Nested>,
}

pub(super) fn parse(
    text: &str,
    importer: &Importer,
    limits: &Limits,
) -> Result<Vec<Package>, String> {
    let document: Document = read::json(text, limits)?;
    if document.packages.is_empty() {
        return Ok(from_nested(document.dependencies, importer));
    }
    let folders = document.packages.iter();
    Ok(folders.filter_map(|(path, entry)| package(path, entry, importer)).collect())
}

fn package(path: &str, entry: &Entry, importer: &Importer) -> Option<Package> {
    // A link leads to a package of the workspace, which is found on disk and not in a registry; nor
    // is a registry the place for what came from a repository.
    let source = entry.resolved.as_deref().unwrap_or_default();
    if entry.link || source.starts_with("git") || source.starts_with("file:") {
        return None;
    }
    let at = path.rfind(MODULES)?;
    let (holder, import) = (path[..at].trim_end_matches('/'), &path[at + MODULES.len()..]);
    let version = entry.version.as_deref().filter(|version| is_version(version))?;
    Some(Package {
        import: import.to_owned(),
        name: entry.name.as_deref().unwrap_or(import).to_owned(),
        version: version.to_owned(),
        distance: distance(holder, &importer.folder),
    })
}

/// How many folders up from the importer a holder of `node_modules` is.
fn distance(holder: &str, importer: &str) -> usize {
    let inside = if holder.is_empty() {
        Some(importer)
    } else {
        importer.strip_prefix(holder).filter(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    inside.map_or(ELSEWHERE + holder.matches(MODULES).count(), |rest| {
        rest.split('/').filter(|part| !part.is_empty()).count()
    })
}

/// Level by level rather than by recursion. What is nested under the importer is nearest; then come
/// the outermost ones, which it finds above itself.
fn from_nested(outermost: BTreeMap<String, Nested>, importer: &Importer) -> Vec<Package> {
    let own = format!("file:{}", importer.folder);
    let mut packages = Vec::new();
    let mut level: Vec<(String, Nested, usize)> =
        outermost.into_iter().map(|(import, nested)| (import, nested, 1)).collect();
    while !level.is_empty() {
        let mut deeper = Vec::new();
        for (import, nested, distance) in level {
            packages.extend(from_one(&import, &nested, distance));
            let is_importer = distance == 1 && nested.version.as_deref() == Some(&own);
            let next = if is_importer { 0 } else { ELSEWHERE };
            deeper.extend(nested.dependencies.into_iter().map(|(import, it)| (import, it, next)));
        }
        level = deeper;
    }
    packages
}

fn from_one(import: &str, nested: &Nested, distance: usize) -> Option<Package> {
    let version = nested.version.as_deref()?;
    let (name, version) = match version.strip_prefix("npm:") {
        Some(target) => split_at_version(target)?,
        None => (import, version),
    };
    is_version(version).then(|| Package {
        import: import.to_owned(),
        name: name.to_owned(),
        version: version.to_owned(),
        distance,
    })
}
