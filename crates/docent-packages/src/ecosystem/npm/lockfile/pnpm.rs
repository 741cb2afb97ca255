//! pnpm's `pnpm-lock.yaml`, from version 5 to 9.
//!
//! `importers` says what each project of a workspace gets; `packages` lists everything. Keys and
//! versions changed shape over time: `/name/1.0.0_peer@2`, `/name@1.0.0(peer@2)`, `name@1.0.0`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{ELSEWHERE, Importer, Package, indentation, is_version, only_lines, split_at_version};
use crate::Limits;
use crate::ecosystem::npm::read;

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    importers: BTreeMap<String, Option<Project>>,
    /// A lockfile of one project has the fields of its only importer at the top.
    #[serde(flatten)]
    only: Project,
    #[serde(default)]
    packages: Option<BTreeMap<String, IgnoredAny>>,
}

type Chosen = Option<BTreeMap<String, Choice>>;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Project {
    #[serde(default)]
    dependencies: Chosen,
    #[serde(default)]
    dev_dependencies: Chosen,
    #[serde(default)]
    optional_dependencies: Chosen,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Choice {
    Version(String),
    Described { version: String },
}

pub(super) fn parse(
    text: &str,
    importer: &Importer,
    limits: &Limits,
) -> Result<Vec<Package>, String> {
    // Newer versions put a document about pnpm itself before the one about the project.
    let mut packages = Vec::new();
    for document in read::yaml::<Document>(&outline(text, importer), limits)? {
        let own = if importer.folder.is_empty() { "." } else { &importer.folder };
        for (folder, project) in &document.importers {
            let distance = if folder == own { 0 } else { ELSEWHERE };
            packages.extend(project.iter().flat_map(|project| chosen(project, distance)));
        }
        packages.extend(chosen(&document.only, 0));
        let listed = document.packages.unwrap_or_default();
        packages.extend(listed.keys().filter_map(|key| {
            let (name, version) = key_parts(key)?;
            let (import, distance) = (name.clone(), ELSEWHERE + 1);
            Some(Package { import, name, version, distance })
        }));
    }
    Ok(packages)
}

/// The text without what is said about each package, and without the sections that do not matter.
fn outline(text: &str, importer: &Importer) -> String {
    let wanted = importer.wanted.as_deref().unwrap_or_default();
    let mut section = "";
    only_lines(text, |line| {
        let depth = indentation(line);
        if depth == 0 && !line.is_empty() {
            section = line.split_once(':').map_or("", |(section, _)| section);
        }
        match section {
            "settings" | "specifiers" | "overrides" | "catalogs" | "time" | "snapshots" => false,
            "packages" => depth == 0 || depth == 2 && line.contains(wanted),
            _ => true,
        }
    })
}

fn chosen(project: &Project, distance: usize) -> Vec<Package> {
    let fields = [&project.dependencies, &project.dev_dependencies, &project.optional_dependencies];
    let entries = fields.into_iter().flatten().flatten();
    let packages = entries.filter_map(|(import, choice)| {
        let (Choice::Version(version) | Choice::Described { version }) = choice;
        let plain = Some(without_peers(version)).filter(|version| is_version(version));
        let (name, version) = match plain {
            Some(version) => (import.clone(), version.to_owned()),
            None => key_parts(version)?,
        };
        Some(Package { import: import.clone(), name, version, distance })
    });
    packages.collect()
}

/// The name and version in a key of any age.
fn key_parts(key: &str) -> Option<(String, String)> {
    let key = without_peers(key.strip_prefix('/').unwrap_or(key));
    let parts = split_at_version(key).filter(|(_, version)| is_version(version));
    let (name, version) = parts.or_else(|| {
        let (name, version) = key.rsplit_once('/')?;
        is_version(version).then_some((name, version))
    })?;
    Some((name.to_owned(), version.to_owned()))
}

/// A key or version without the peers it was resolved with: `(peer@2.0.0)`, `_peer@2.0.0`.
fn without_peers(text: &str) -> &str {
    let text = text.split_once('(').map_or(text, |(before, _)| before);
    // A name may have underscores too, a version may not.
    if let Some((version, _)) = text.split_once('_').filter(|(before, _)| is_version(before)) {
        return version;
    }
    let from = version_start(text);
    let end = text[from..].find('_').map_or(text.len(), |at| from + at);
    &text[..end]
}

/// Where the version starts in `name@1.0.0` or `name/1.0.0_peer@2`.
fn version_start(text: &str) -> usize {
    let after_name = text.find('/').filter(|_| text.starts_with('@')).map_or(0, |at| at + 1);
    let rest = &text[after_name..];
    let starts_with_digit =
        |at: &usize| rest[at + 1..].starts_with(|first: char| first.is_ascii_digit());
    let separators = rest.match_indices(['@', '/']).map(|(at, _)| at);
    let separator = { separators }.find(starts_with_digit);
    separator.map_or(after_name, |at| after_name + at + 1)
}
