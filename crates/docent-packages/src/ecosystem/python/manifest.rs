//! What a project asks for by itself: `pyproject.toml`, `setup.cfg`, `Pipfile`, requirements files.
//!
//! Feeds the survey with the range of one package, and the list of direct dependencies.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::dependency::{self, Entry};
use super::files::Files;
use super::lockfile::requirements;
use super::name::{is_distribution, normalized};
use super::{ini, version};
use crate::ecosystem::Required;

/// The direct dependencies of a project with the file that names them, nearest folder first.
pub(crate) fn all(folders: &[PathBuf], files: &Files<'_>) -> Vec<(Entry, PathBuf)> {
    folders.iter().flat_map(|folder| in_folder(folder, files)).collect()
}

/// The range of one package, from the nearest manifest that names it; one that says something is
/// preferred to one that only names it.
pub(crate) fn requirement(entries: &[(Entry, PathBuf)], names: &[String]) -> Option<Required> {
    let named = |(entry, _): &&(Entry, PathBuf)| names.contains(&entry.name);
    let says = |(entry, _): &&(Entry, PathBuf)| {
        !entry.range.is_empty() && version::satisfies(&entry.range, "0").is_ok()
    };
    let found = entries.iter().filter(named).find(says)?;
    Some(Required { range: found.0.range.clone(), file: found.1.clone() })
}

fn in_folder(folder: &Path, files: &Files<'_>) -> Vec<(Entry, PathBuf)> {
    let mut found = Vec::new();
    let mut add = |file: &Path, entries: Vec<Entry>| {
        found.extend(entries.into_iter().map(|entry| (entry, file.to_owned())));
    };
    let file = folder.join("pyproject.toml");
    if let Some(manifest) = files.toml(&file) {
        add(&file, pyproject(&manifest));
    }
    let file = folder.join("Pipfile");
    if let Some(manifest) = files.toml(&file) {
        let groups = ["packages", "dev-packages"];
        add(
            &file,
            groups.iter().filter_map(|group| manifest.get(*group)).flat_map(table).collect(),
        );
    }
    let file = folder.join("setup.cfg");
    if let Some(text) = files.text(&file) {
        add(&file, setup(&ini::parse(&text)));
    }
    if found.is_empty() {
        found.extend(asked_by_requirements(folder, files));
    }
    found
}

/// Requirements files where there is no other manifest; without those that were compiled from one.
fn asked_by_requirements(folder: &Path, files: &Files<'_>) -> Vec<(Entry, PathBuf)> {
    let mut all = requirements::in_folder(folder, files);
    all.retain(|one| !one.constraints);
    let is_input =
        |one: &requirements::Requirements| one.file.extension().is_some_and(|end| end == "in");
    if all.iter().any(is_input) {
        all.retain(is_input);
    }
    let entries = |one: requirements::Requirements| {
        one.entries.into_iter().map(move |entry| (entry, one.file.clone()))
    };
    all.into_iter().flat_map(entries).collect()
}

fn pyproject(manifest: &Table) -> Vec<Entry> {
    let at = |path: &[&str]| {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(manifest.get(*first)?, |value, key| value.get(key))
    };
    let mut entries: Vec<Entry> = at(&["project", "dependencies"]).map(list).unwrap_or_default();
    for path in [
        &["project", "optional-dependencies"][..],
        &["dependency-groups"],
        &["tool", "pdm", "dev-dependencies"],
    ] {
        let groups = at(path).and_then(Value::as_table).into_iter().flatten();
        entries.extend(groups.flat_map(|(_, group)| list(group)));
    }
    entries.extend(at(&["tool", "uv", "dev-dependencies"]).map(list).unwrap_or_default());
    for path in [&["tool", "poetry", "dependencies"][..], &["tool", "poetry", "dev-dependencies"]] {
        entries.extend(at(path).map(table).unwrap_or_default());
    }
    let groups = at(&["tool", "poetry", "group"]).and_then(Value::as_table).into_iter().flatten();
    let groups = groups.filter_map(|(_, group)| group.get("dependencies"));
    entries.extend(groups.flat_map(table));
    entries
}

/// A list of dependencies; other values in it, such as included groups, are listed elsewhere.
fn list(value: &Value) -> Vec<Entry> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| dependency::parse(item.as_str()?)).collect()
}

/// A table of names and ranges, as Poetry and Pipenv write it.
fn table(value: &Value) -> Vec<Entry> {
    let rows = value.as_table().into_iter().flatten();
    let entries = rows.filter(|(name, _)| is_distribution(name) && *name != "python");
    entries.map(|(name, value)| Entry { name: normalized(name), range: range(value) }).collect()
}

fn range(value: &Value) -> String {
    let text = match value {
        Value::String(text) => Some(text.as_str()),
        Value::Table(table) => table.get("version").and_then(Value::as_str),
        // Several of them, for several platforms: the first one will do.
        Value::Array(items) => items.first().and_then(|item| item.get("version")?.as_str()),
        _ => None,
    };
    let text = text.unwrap_or_default().trim();
    // A version alone pins it here, unlike what a person means by it.
    let pins = text.starts_with(|first: char| first.is_ascii_digit())
        && !text.contains(['*', ',', '|', ' ']);
    match text {
        "*" => String::new(),
        text if pins => format!("=={text}"),
        text => text.to_owned(),
    }
}

fn setup(settings: &ini::Settings) -> Vec<Entry> {
    let lists = settings.iter().filter(|(section, key, _)| {
        (section == "options" && key == "install-requires") || section == "options.extras_require"
    });
    lists.flat_map(|row| row.2.lines().filter_map(dependency::parse)).collect()
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    #[track_caller]
    fn check(name: &str, text: &str, expected: &[&str]) {
        let folder = Folder::new();
        folder.write(name, text);
        let limits = Limits::default();
        let found = all(&[folder.path().to_owned()], &Files::new(&limits));
        let found: Vec<String> =
            found.iter().map(|(entry, _)| format!("{} {}", entry.name, entry.range)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_kind_of_manifest() {
        check(
            "pyproject.toml",
            "[project]\ndependencies = ['click>=8', 'PyYAML', 3, '???']\n\
             [project.optional-dependencies]\nx = ['a==1']\n\
             [dependency-groups]\ndev = ['b~=2.0', {include-group = 'x'}]\n\
             [tool.uv]\ndev-dependencies = ['c']\n",
            &["click >=8", "pyyaml ", "a ==1", "b ~=2.0", "c "],
        );
        check(
            "pyproject.toml",
            "[tool.poetry.dependencies]\npython = '^3.9'\na = '^1.2'\nb = {version = '~1', optional = true}\n\
             c = '1.5'\nd = [{version = '<2'}]\ne = '*'\nf = {git = 'https://x.example'}\n\
             [tool.poetry.group.dev.dependencies]\ng = '1.*'\n",
            &["a ^1.2", "b ~1", "c ==1.5", "d <2", "e ", "f ", "g 1.*"],
        );
        check(
            "Pipfile",
            "[packages]\nclick = '>=8'\n[dev-packages]\nx = '*'\n",
            &["click >=8", "x "],
        );
        check(
            "setup.cfg",
            "[options]\ninstall_requires =\n    click>=8\n    # why\n    x; python_version < '3'\n\
             [options.extras_require]\ny = z==1\n",
            &["click >=8", "x ", "z ==1"],
        );
        check("requirements.in", "click\nx>=1\n", &["click ", "x >=1"]);
        check("pyproject.toml", "[project]\ndependencies = 3\n[dependency-groups]\nx = {}\n", &[]);
        check("pyproject.toml", "project = 1\ntool = []\ndependency-groups = 'x'", &[]);
    }

    #[test]
    fn the_nearest_range_that_says_something() {
        let folder = Folder::new();
        folder.write("a/pyproject.toml", "[project]\ndependencies = ['x', 'y>=2']\n");
        folder.write("pyproject.toml", "[project]\ndependencies = ['x>=1', 'y>=1', 'z !! 3']\n");
        let limits = Limits::default();
        let folders = [folder.path().join("a"), folder.path().to_owned()];
        let entries = all(&folders, &Files::new(&limits));
        let range = |name: &str| requirement(&entries, &[name.to_owned()]).map(|found| found.range);
        assert_eq!(range("x").as_deref(), Some(">=1"));
        assert_eq!(range("y").as_deref(), Some(">=2"));
        assert_eq!(range("z"), None);
    }
}
