//! Pipenv's lockfile: JSON, with one object for each group of packages.

use std::path::Path;

use serde_json::Value;

use super::locked;
use crate::ecosystem::Locked;

/// The packages of all groups, `default` first.
pub(crate) fn packages(lock: &Value, file: &Path) -> Vec<Locked> {
    let Some(groups) = lock.as_object() else { return Vec::new() };
    let mut names: Vec<&String> = groups.keys().filter(|name| !name.starts_with('_')).collect();
    names.sort_by_key(|name| (*name != "default", *name));
    let packages = names.iter().filter_map(|name| groups.get(*name)?.as_object()).flatten();
    let pinned = packages.filter_map(|(name, package)| {
        let version = package.get("version")?.as_str()?.strip_prefix("==")?;
        locked(name, version, file)
    });
    pinned.collect()
}
