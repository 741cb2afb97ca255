//! `yarn.lock` of Yarn 2 and later: YAML, with an entry for each version.
//!
//! A key lists what was asked for, `name@npm:range`; `resolution` says what was found. The entry of
//! a workspace says what that workspace asks for.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{ELSEWHERE, Importer, Package, indentation, is_version, only_lines, split_at_version};
use crate::Limits;
use crate::ecosystem::npm::read;

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    version: String,
    #[serde(default)]
    resolution: String,
    #[serde(default)]
    dependencies: BTreeMap<String, String>,
}

/// What Yarn writes for packages of the workspace itself.
const LOCAL: &str = "0.0.0-use.local";

pub(super) fn parse(
    text: &str,
    importer: &Importer,
    limits: &Limits,
) -> Result<Vec<Package>, String> {
    let mut documents = read::yaml::<BTreeMap<String, Entry>>(&outline(text, importer), limits)?;
    let entries = documents.pop().unwrap_or_default();
    let own = if importer.folder.is_empty() { "." } else { &importer.folder };
    let own = format!("@workspace:{own}");
    let workspace = entries.values().find(|entry| entry.resolution.ends_with(&own));
    let mut direct: Vec<String> = workspace
        .into_iter()
        .flat_map(|entry| &entry.dependencies)
        .map(|(name, range)| format!("{name}@{range}"))
        .collect();
    direct.extend(importer.ranges.iter().map(|(name, range)| format!("{name}@npm:{range}")));
    let mut packages = Vec::new();
    for (key, entry) in &entries {
        let Some((name, _)) = split_at_version(&entry.resolution) else { continue };
        if entry.version == LOCAL || !is_version(&entry.version) {
            continue;
        }
        for asked in key.split(", ") {
            let Some((import, _)) = split_at_version(asked) else { continue };
            let distance = if direct.iter().any(|it| it == asked) { 0 } else { ELSEWHERE };
            packages.push(Package {
                import: import.to_owned(),
                name: name.to_owned(),
                version: entry.version.clone(),
                distance,
            });
        }
    }
    Ok(packages)
}

/// The text without the entries and the fields that do not matter: what a package of somebody else's
/// depends on, and all packages but the wanted one.
fn outline(text: &str, importer: &Importer) -> String {
    let wanted = importer.wanted.as_deref().unwrap_or_default();
    let (mut is_workspace, mut is_wanted) = (false, false);
    only_lines(text, |line| {
        // A colon alone follows a key too long for one line.
        if indentation(line) == 0 && !line.is_empty() && line != ":" {
            is_workspace = line.contains("@workspace:");
            is_wanted = is_workspace || line.contains(wanted);
            return is_wanted;
        }
        let matters = line.starts_with("  version:") || line.starts_with("  resolution:");
        is_workspace || is_wanted && (matters || line == ":")
    })
}
