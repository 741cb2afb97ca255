//! `package.json`: what can be imported from a package, and the files that stand behind it.
//!
//! Feeds [`super::resolve`], and [`super::extract`] with the entry points to start from.

use serde_json::{Map, Value};

use super::beside::{declarations_of, in_folder, is_types, script_of, without_ending};
use crate::extract::Package;
use crate::hashing::HashSet;
use crate::tree::{Tree, join};

/// More subpaths than these are not listed.
const ENTRIES_MAX: usize = 1500;
/// How deep conditions nest.
const CONDITIONS_DEEP_MAX: usize = 16;
/// The TypeScript release that `typesVersions` and `types@…` are read for.
const TYPESCRIPT: &str = "5.9.3";

/// The conditions of `exports`, the preferred ones first; all others come after them.
const CONDITIONS: [&str; 7] =
    ["import", "node", "module-sync", "module", "default", "require", "browser"];

/// What one import of a package leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The subpath without `./`; empty for the package itself.
    pub(super) subpath: String,
    /// The file in the package.
    pub(super) file: String,
    /// Nothing names it: it is only there, and nothing forbids to import it.
    pub(super) guessed: bool,
}

/// The manifest of one package.
pub(super) struct Manifest {
    json: Map<String, Value>,
}

impl Manifest {
    pub(super) fn read(tree: &Tree) -> Self {
        let text = tree.text("package.json").unwrap_or_default();
        Self { json: serde_json::from_str(&text).unwrap_or_default() }
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.json.get(key).and_then(Value::as_str)
    }

    /// Whether it says what can be imported.
    pub(super) fn has_exports(&self) -> bool {
        self.json.get("exports").is_some_and(|exports| !exports.is_null())
    }

    /// All subpaths that can be imported, if the manifest lists them one by one.
    pub(super) fn exported(&self) -> Option<Vec<String>> {
        let listed = |key: &String| {
            let subpath = key.strip_prefix('.')?;
            let open = subpath.contains('*') || subpath.ends_with('/');
            (!open).then(|| subpath.trim_start_matches('/').to_owned())
        };
        match self.json.get("exports")? {
            Value::Object(map) if map.keys().any(|key| key.starts_with('.')) => {
                map.keys().map(listed).collect()
            }
            Value::Null => None,
            // Only the package itself.
            _ => Some(vec![String::new()]),
        }
    }

    /// The range of versions that it asks for of another package.
    pub(super) fn range(&self, name: &str) -> Option<&str> {
        ["dependencies", "peerDependencies", "optionalDependencies", "devDependencies"]
            .iter()
            .find_map(|key| self.json.get(*key)?.get(name)?.as_str())
    }

    /// All that can be imported, the package itself first.
    pub(super) fn entries(&self, package: &Package, types_only: bool) -> Vec<Entry> {
        let tree = &package.tree;
        let mut entries: Vec<Entry> = Vec::new();
        let mut known: HashSet<String> = HashSet::default();
        let mut add = |subpath: &str, file: Option<String>, guessed: bool| {
            if let Some(file) = file
                && entries.len() < ENTRIES_MAX
                && (!types_only || is_types(&file))
                && known.insert(subpath.to_owned())
            {
                entries.push(Entry { subpath: subpath.to_owned(), file, guessed });
            }
        };
        match self.json.get("exports") {
            Some(Value::Object(map)) if map.keys().any(|key| key.starts_with('.')) => {
                for (key, target) in map {
                    let Some(subpath) = key.strip_prefix('.') else { continue };
                    let subpath = subpath.strip_prefix('/').unwrap_or(subpath);
                    if subpath.contains('*') {
                        for (subpath, file) in self.expand(tree, subpath, target, map) {
                            add(&subpath, Some(file), false);
                        }
                    } else if is_public(subpath) {
                        add(subpath, self.target(tree, subpath, target), false);
                    }
                }
            }
            Some(exports @ (Value::String(_) | Value::Object(_) | Value::Array(_))) => {
                add("", self.target(tree, "", exports), false);
            }
            _ => {
                let main = self.main(tree);
                add("", main.clone(), false);
                for (subpath, file) in self.open_subpaths(tree) {
                    if main.as_ref() != Some(&file) {
                        let guessed = !file.contains('/');
                        add(&subpath, Some(file), guessed);
                    }
                }
            }
        }
        // Exports may leave the types of the package itself to the old field.
        add("", self.main(tree), false);
        entries.sort_by(|a, b| (a.subpath.len(), &a.subpath).cmp(&(b.subpath.len(), &b.subpath)));
        entries
    }

    /// The file of one import of the package.
    pub(super) fn file(&self, tree: &Tree, subpath: &str) -> Option<String> {
        match self.json.get("exports") {
            Some(Value::Object(map)) if map.keys().any(|key| key.starts_with('.')) => {
                let key = if subpath.is_empty() { ".".to_owned() } else { format!("./{subpath}") };
                let exact = map.get(&key).and_then(|target| self.target(tree, subpath, target));
                let pattern = || {
                    map.iter().find_map(|(pattern, target)| {
                        let (before, after) = pattern.split_once('*')?;
                        let star = key.strip_prefix(before)?.strip_suffix(after)?;
                        let mut found = Vec::new();
                        leaves(target, CONDITIONS_DEEP_MAX, &mut found);
                        let found = found.iter().map(|leaf| leaf.replace('*', star));
                        pick(tree, found)
                    })
                };
                exact
                    .or_else(pattern)
                    .or_else(|| subpath.is_empty().then(|| self.main(tree)).flatten())
            }
            Some(exports @ (Value::String(_) | Value::Object(_) | Value::Array(_)))
                if subpath.is_empty() =>
            {
                self.target(tree, "", exports).or_else(|| self.main(tree))
            }
            _ if subpath.is_empty() => self.main(tree),
            _ => self.versioned(tree, subpath).or_else(|| in_folder(tree, subpath)),
        }
    }

    /// The file of `#name`, as the `imports` of the manifest say.
    pub(super) fn internal(&self, tree: &Tree, name: &str) -> Option<String> {
        let imports = self.json.get("imports")?.as_object()?;
        let mut found = Vec::new();
        if let Some(target) = imports.get(name) {
            leaves(target, CONDITIONS_DEEP_MAX, &mut found);
            return pick(tree, found.into_iter().map(str::to_owned));
        }
        imports.iter().find_map(|(pattern, target)| {
            let (before, after) = pattern.split_once('*')?;
            let star = name.strip_prefix(before)?.strip_suffix(after)?;
            let mut found = Vec::new();
            leaves(target, CONDITIONS_DEEP_MAX, &mut found);
            pick(tree, found.iter().map(|leaf| leaf.replace('*', star)))
        })
    }

    fn target(&self, tree: &Tree, subpath: &str, target: &Value) -> Option<String> {
        let mut found = Vec::new();
        leaves(target, CONDITIONS_DEEP_MAX, &mut found);
        let picked = pick(tree, found.iter().map(|leaf| (*leaf).to_owned()))?;
        if is_types(&picked) {
            return Some(picked);
        }
        self.versioned(tree, subpath).or(Some(picked))
    }

    /// All imports that a pattern of `exports` allows.
    fn expand(
        &self,
        tree: &Tree,
        pattern: &str,
        target: &Value,
        exports: &Map<String, Value>,
    ) -> Vec<(String, String)> {
        let mut found = Vec::new();
        leaves(target, CONDITIONS_DEEP_MAX, &mut found);
        // A pattern that opens a folder as it is shows internals, not an interface.
        let raw = |leaf: &&str| leaf.strip_prefix("./") == Some(pattern);
        if found.iter().any(raw) && exports.len() > 1 {
            return Vec::new();
        }
        let closed: Vec<&str> = exports
            .iter()
            .filter(|(_, target)| target.is_null())
            .filter_map(|(key, _)| key.strip_prefix("./"))
            .collect();
        let mut expanded: Vec<(String, String)> = Vec::new();
        for leaf in found {
            let leaf = leaf.strip_prefix("./").unwrap_or(leaf);
            let Some((before, after)) = leaf.split_once('*') else { continue };
            for path in tree.paths_under(before) {
                let star = path.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
                let Some(star) = star.filter(|star| !star.is_empty()) else { continue };
                // Without an ending in the pattern, the star takes that of the file too.
                let star = if after.is_empty() { without_ending(star) } else { star };
                let subpath = pattern.replacen('*', star, 1);
                let is_closed = closed.iter().any(|closed| matches_pattern(closed, &subpath));
                if !is_public(&subpath) || is_closed {
                    continue;
                }
                let file = pick(tree, std::iter::once(path.to_owned()));
                expanded.extend(file.map(|file| (subpath, file)));
                if expanded.len() > ENTRIES_MAX {
                    return expanded;
                }
            }
            if expanded.iter().any(|(_, file)| is_types(file)) {
                break;
            }
        }
        expanded
    }

    /// The main file, where there are no `exports`.
    fn main(&self, tree: &Tree) -> Option<String> {
        let types = self.text("types").or_else(|| self.text("typings"));
        let types = types.and_then(|types| {
            let versioned = self.versioned(tree, types.strip_prefix("./").unwrap_or(types));
            versioned.or_else(|| join("", types).and_then(|path| declarations_of(tree, &path)))
        });
        let scripts = ["module", "main"].iter().filter_map(|key| self.text(key));
        let scripts: Vec<String> = scripts.filter_map(|path| join("", path)).collect();
        types
            .or_else(|| self.versioned(tree, "index"))
            .or_else(|| scripts.iter().find_map(|path| declarations_of(tree, path)))
            .or_else(|| declarations_of(tree, "index"))
            .or_else(|| scripts.iter().find_map(|path| script_of(tree, path)))
            .or_else(|| script_of(tree, "index"))
    }

    /// The subpaths of a package that closes none: what `typesVersions` names, folders with a
    /// manifest of their own, declarations at the top.
    fn open_subpaths(&self, tree: &Tree) -> Vec<(String, String)> {
        const TOP_FILES_MAX: usize = 64;
        let mut found = Vec::new();
        for key in self.versions().into_iter().flat_map(Map::keys) {
            if !key.contains('*') && is_public(key) {
                found.extend(self.versioned(tree, key).map(|file| (key.clone(), file)));
            }
        }
        for path in tree.paths() {
            if let Some(subpath) = path.strip_suffix("/package.json")
                && subpath.split('/').count() <= 2
                && is_public(subpath)
                && !subpath.contains("node_modules")
            {
                found.extend(in_folder(tree, subpath).map(|file| (subpath.to_owned(), file)));
            }
        }
        let top: Vec<&str> =
            tree.paths().filter(|path| !path.contains('/') && path.ends_with(".d.ts")).collect();
        if top.len() <= TOP_FILES_MAX {
            let subpath = |path: &&str| path.strip_suffix(".d.ts").map(str::to_owned);
            let named = top.iter().filter_map(|path| Some((subpath(path)?, (*path).to_owned())));
            found.extend(named.filter(|(subpath, _)| subpath != "index" && is_public(subpath)));
        }
        found
    }

    /// The mapping of `typesVersions` for the TypeScript at hand.
    fn versions(&self) -> Option<&Map<String, Value>> {
        let versions = self.json.get("typesVersions")?.as_object()?;
        versions.iter().find(|(range, _)| fits(range))?.1.as_object()
    }

    fn versioned(&self, tree: &Tree, subpath: &str) -> Option<String> {
        self.versions()?.iter().find_map(|(pattern, targets)| {
            let star = match pattern.split_once('*') {
                Some((before, after)) => subpath.strip_prefix(before)?.strip_suffix(after)?,
                None if pattern == subpath => "",
                None => return None,
            };
            targets.as_array()?.iter().find_map(|target| {
                let path = join("", &target.as_str()?.replace('*', star))?;
                declarations_of(tree, &path)
            })
        })
    }
}

/// The scripts at the top of a package that closes none of its files, as subpaths.
pub(super) fn top_scripts(tree: &Tree) -> Vec<Entry> {
    const SCRIPTS_MAX: usize = 64;
    let top = tree.paths().filter(|path| !path.contains('/'));
    let scripts = top.filter_map(|path| {
        let subpath = path.strip_suffix(".js")?;
        let tool = subpath.contains('.') || subpath.to_lowercase().ends_with("file");
        (subpath != "index" && !tool && is_public(subpath)).then(|| Entry {
            subpath: subpath.to_owned(),
            file: path.to_owned(),
            guessed: true,
        })
    });
    scripts.take(SCRIPTS_MAX).collect()
}

/// Whether a range such as `>=5.0` takes the TypeScript at hand.
fn fits(range: &str) -> bool {
    let version = nodejs_semver::Version::parse(TYPESCRIPT);
    let range = nodejs_semver::Range::parse(range);
    matches!((version, range), (Ok(version), Ok(range)) if range.satisfies(&version))
}

/// The paths that a target of `exports` can lead to, the preferred ones first.
fn leaves<'v>(target: &'v Value, deep: usize, found: &mut Vec<&'v str>) {
    let Some(deep) = deep.checked_sub(1) else { return };
    match target {
        Value::String(path) => found.push(path),
        Value::Array(targets) => targets.iter().for_each(|target| leaves(target, deep, found)),
        Value::Object(conditions) => {
            let versioned =
                conditions.iter().filter(|(key, _)| key.strip_prefix("types@").is_some_and(fits));
            versioned.for_each(|(_, target)| leaves(target, deep, found));
            let is_types = |key: &str| key == "types" || key.starts_with("types@");
            let known = std::iter::once("types").chain(CONDITIONS);
            let known = known.filter_map(|key| conditions.get(key));
            known.for_each(|target| leaves(target, deep, found));
            for (key, target) in conditions {
                if !is_types(key) && !CONDITIONS.contains(&key.as_str()) {
                    leaves(target, deep, found);
                }
            }
        }
        _ => {}
    }
}

/// The first path with declarations, or else the first that is a script.
fn pick(tree: &Tree, paths: impl Iterator<Item = String>) -> Option<String> {
    let paths: Vec<String> = paths.filter_map(|path| join("", &path)).collect();
    let types = paths.iter().find_map(|path| declarations_of(tree, path));
    types.or_else(|| paths.iter().find_map(|path| script_of(tree, path)))
}

/// Whether a subpath is meant for users, and is code.
fn is_public(subpath: &str) -> bool {
    const OTHER: [&str; 10] =
        ["json", "css", "scss", "sass", "less", "svg", "wasm", "html", "md", "map"];
    let ending = subpath.rsplit_once('.').map(|(_, ending)| ending);
    let internal = |part: &str| {
        part.starts_with('_')
            || matches!(part, "internal" | "internals" | "private" | "node_modules")
    };
    !ending.is_some_and(|ending| OTHER.contains(&ending)) && !subpath.split('/').any(internal)
}

fn matches_pattern(pattern: &str, subpath: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, after)) => {
            subpath.strip_prefix(before).is_some_and(|rest| rest.ends_with(after))
        }
        None => pattern == subpath,
    }
}
