//! Which file stands for a path: the declarations beside a script, the main file of a folder.
//!
//! Serves [`super::manifest`] and [`super::resolve`].

use serde_json::{Map, Value};

use crate::tree::{Tree, folder, join};

/// Whether a file is TypeScript.
pub(super) fn is_types(path: &str) -> bool {
    [".ts", ".mts", ".cts", ".tsx"].iter().any(|ending| path.ends_with(ending))
}

pub(super) fn without_ending(path: &str) -> &str {
    const ENDINGS: [&str; 11] =
        [".d.ts", ".d.mts", ".d.cts", ".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"];
    ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path)
}

/// The declarations of a file or folder: itself, or what is beside it.
pub(super) fn declarations_of(tree: &Tree, path: &str) -> Option<String> {
    if is_types(path) && tree.contains(path) {
        return Some(path.to_owned());
    }
    let stem = without_ending(path);
    let (first, second) = if path.ends_with(".mjs") || path.ends_with(".mts") {
        (".d.mts", ".mts")
    } else if path.ends_with(".cjs") || path.ends_with(".cts") {
        (".d.cts", ".cts")
    } else {
        (".d.ts", ".ts")
    };
    let beside = [first, ".d.ts", second, ".d.mts", ".d.cts", ".tsx"];
    let beside = beside.iter().map(|ending| format!("{stem}{ending}"));
    let whole = [".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx"];
    let whole = whole.iter().map(|ending| format!("{path}{ending}"));
    let index = ["index.d.ts", "index.d.mts", "index.d.cts", "index.ts", "index.tsx"];
    let inside = index
        .iter()
        .map(|file| if path.is_empty() { (*file).to_owned() } else { format!("{path}/{file}") });
    let mut paths = beside.chain(whole).chain(inside);
    paths.find(|path| tree.contains(path)).or_else(|| {
        let manifest = format!("{path}/package.json");
        (!path.is_empty() && tree.contains(&manifest))
            .then(|| in_folder(tree, path).filter(|file| is_types(file)))
            .flatten()
    })
}

/// The script of a file or folder.
pub(super) fn script_of(tree: &Tree, path: &str) -> Option<String> {
    let is_script = [".js", ".mjs", ".cjs", ".jsx"].iter().any(|ending| path.ends_with(ending));
    if is_script && tree.contains(path) {
        return Some(path.to_owned());
    }
    let endings = [".js", ".mjs", ".cjs", "/index.js", "/index.mjs", "/index.cjs", ".jsx"];
    endings.iter().map(|ending| format!("{path}{ending}")).find(|path| tree.contains(path))
}

/// The main file of a folder with a manifest of its own, or without one.
pub(super) fn in_folder(tree: &Tree, path: &str) -> Option<String> {
    let text = tree.text(&format!("{path}/package.json"));
    let json: Map<String, Value> =
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let field = |key: &str| json.get(key).and_then(Value::as_str).and_then(|file| join(path, file));
    // A folder that names itself would be looked into forever.
    let field = |key: &str| field(key).filter(|file| !folder(file).is_empty() && file != path);
    let types = field("types").or_else(|| field("typings")).filter(|file| tree.contains(file));
    let scripts: Vec<String> = ["module", "main"].iter().filter_map(|key| field(key)).collect();
    let beside = |file: &String| {
        let stem = without_ending(file);
        [".d.ts", ".d.mts", ".d.cts"]
            .iter()
            .map(|ending| format!("{stem}{ending}"))
            .find(|path| tree.contains(path))
    };
    let index = ["index.d.ts", "index.d.mts"].iter().map(|file| format!("{path}/{file}"));
    let ended = [".d.ts", ".d.mts", ".d.cts", ".ts"].iter().map(|end| format!("{path}{end}"));
    types
        .or_else(|| scripts.iter().find_map(beside))
        .or_else(|| ended.chain(index).find(|path| tree.contains(path)))
        .or_else(|| scripts.iter().find_map(|file| script_of(tree, file)))
        .or_else(|| script_of(tree, path))
}
