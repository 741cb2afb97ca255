//! Lockfiles in TOML: `uv.lock`, `poetry.lock`, `pdm.lock` and the standard `pylock.toml`.

use std::path::Path;

use toml::{Table, Value};

use super::locked;
use crate::ecosystem::Locked;

/// The `[[package]]` tables of uv, Poetry and PDM.
pub(crate) fn packages(lock: &Table, file: &Path) -> Vec<Locked> {
    rows(lock, "package", file)
}

/// The `[[packages]]` tables of PEP 751.
pub(crate) fn pylock(lock: &Table, file: &Path) -> Vec<Locked> {
    rows(lock, "packages", file)
}

fn rows(lock: &Table, key: &str, file: &Path) -> Vec<Locked> {
    let rows = lock.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let locked = rows.iter().filter(|row| !is_source(row)).filter_map(|row| {
        let text = |key: &str| row.get(key).and_then(Value::as_str);
        locked(text("name")?, text("version")?, file)
    });
    locked.collect()
}

/// Whether it is a folder of the project, which has no locked version.
fn is_source(row: &Value) -> bool {
    let source = row.get("source");
    let of = |key: &str| source.and_then(|source| source.get(key));
    let folder = ["editable", "virtual", "directory"].iter().any(|kind| of(kind).is_some());
    // uv names the kind by the key, Poetry by the type, PDM by a path beside the version.
    folder || of("type").and_then(Value::as_str) == Some("directory") || row.get("path").is_some()
}
