//! What a distribution says of itself: `METADATA`, `PKG-INFO`, `pyproject.toml`, `top_level.txt`.
//!
//! Feeds [`super::layout`] and the summary and requirements of [`super::extract`].

use crate::extract::Package;
use crate::hashing::HashSet;
use crate::tree::{file_name, folder};

/// Whether there is a `*.dist-info` or `*.egg-info` folder as an installer leaves it.
pub(super) fn is_installed(package: &Package) -> bool {
    package.tree.paths().any(|path| {
        let at_top = folder(path);
        at_top.ends_with(".dist-info") && !at_top.contains('/')
    })
}

/// Whether these are the files that a distribution is built from.
pub(super) fn is_source(package: &Package) -> bool {
    ["PKG-INFO", "pyproject.toml", "setup.py", "setup.cfg"]
        .iter()
        .any(|file| package.tree.contains(file))
}

/// The importable names, where a build has listed them.
pub(super) fn top_level(package: &Package) -> Option<HashSet<String>> {
    let listed = package.tree.paths().find(|path| path.ends_with(".egg-info/top_level.txt"))?;
    let text = package.tree.text(listed)?;
    let names: HashSet<String> =
        text.lines().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    (!names.is_empty()).then_some(names)
}

/// A distribution that another one requires.
#[derive(Debug, PartialEq)]
pub(super) struct Requirement {
    pub(super) name: String,
    pub(super) versions: Option<String>,
    /// Only an extra asks for it.
    pub(super) optional: bool,
}

/// The summary, and the distributions that are required.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Manifest {
    pub(super) summary: String,
    pub(super) requires: Vec<Requirement>,
}

impl Manifest {
    pub(super) fn of(package: &Package) -> Self {
        let tree = &package.tree;
        let is_metadata = |path: &&str| {
            let (folder, file) = (folder(path), file_name(path));
            (folder.ends_with(".dist-info") && !folder.contains('/') && file == "METADATA")
                || (folder.is_empty() && file == "PKG-INFO")
                || (folder.ends_with(".egg-info") && file == "PKG-INFO")
        };
        let mut found = tree.paths().filter(is_metadata).filter_map(|path| tree.text(path));
        if let Some(text) = found.next() {
            return Self::of_metadata(&text);
        }
        tree.text("pyproject.toml").map_or_else(Self::default, |text| Self::of_project(&text))
    }

    /// The fields before the first empty line.
    fn of_metadata(text: &str) -> Self {
        let mut manifest = Self::default();
        for line in text.lines().take_while(|line| !line.trim().is_empty()) {
            let Some((field, value)) = line.split_once(':') else { continue };
            match field.to_ascii_lowercase().as_str() {
                "summary" if value.trim() != "UNKNOWN" => {
                    value.trim().clone_into(&mut manifest.summary)
                }
                "requires-dist" => manifest.requires.extend(requirement(value)),
                _ => {}
            }
        }
        manifest
    }

    fn of_project(text: &str) -> Self {
        let Ok(document) = text.parse::<toml::Table>() else { return Self::default() };
        let project = document.get("project").or_else(|| document.get("tool")?.get("poetry"));
        let Some(project) = project else { return Self::default() };
        let summary = project.get("description").and_then(toml::Value::as_str).unwrap_or_default();
        let requires = project.get("dependencies").and_then(toml::Value::as_array);
        let requires = requires.into_iter().flatten().filter_map(toml::Value::as_str);
        Self {
            summary: summary.trim().to_owned(),
            requires: requires.filter_map(requirement).collect(),
        }
    }

    /// The requirement on the distribution that has an import name as its own, if there is one.
    pub(super) fn required(&self, import: &str) -> Option<&Requirement> {
        let wanted = normalized(import);
        let fits = |required: &&Requirement| normalized(&required.name) == wanted;
        self.requires.iter().filter(fits).min_by_key(|required| required.optional)
    }
}

/// A distribution's name in the form in which names are compared.
fn normalized(name: &str) -> String {
    let mut out = String::new();
    for part in name.split(['-', '_', '.']).filter(|part| !part.is_empty()) {
        if !out.is_empty() {
            out.push('-');
        }
        out.push_str(&part.to_ascii_lowercase());
    }
    out
}

/// Name and versions of `name[extra] (>=1); marker`.
fn requirement(text: &str) -> Option<Requirement> {
    let (text, marker) = text.split_once(';').unwrap_or((text, ""));
    let optional = marker.contains("extra");
    let text = text.trim();
    let is_name = |character: char| character.is_alphanumeric() || "-_.".contains(character);
    let end = text.find(|character| !is_name(character)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = rest.trim();
    let versions =
        if rest.starts_with('[') { rest.split_once(']').map_or("", |rest| rest.1) } else { rest };
    let versions = versions.trim().trim_start_matches('(').trim_end_matches(')').trim();
    let versions =
        (!versions.is_empty() && !versions.starts_with('@')).then(|| versions.to_owned());
    (!name.is_empty()).then(|| Requirement { name: name.to_owned(), versions, optional })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_read_in_each_form() {
        let check = |text: &str, name: &str, versions: Option<&str>| {
            let versions = versions.map(str::to_owned);
            let optional = text.contains("extra");
            let expected = Requirement { name: name.to_owned(), versions, optional };
            assert_eq!(requirement(text), Some(expected), "{text}");
        };
        check(" idna", "idna", None);
        check("anyio<5,>=3.6.2", "anyio", Some("<5,>=3.6.2"));
        check("httpx (>=0.23)", "httpx", Some(">=0.23"));
        check("uvicorn[standard] >=0.12 ; python_version > '3.8'", "uvicorn", Some(">=0.12"));
        check("local @ https://files.example/x.whl", "local", None);
        check("trio>=1; extra == 'trio'", "trio", Some(">=1"));
    }

    #[test]
    fn the_summary_ends_where_the_description_starts() {
        let manifest = Manifest::of_metadata("Name: x\nSummary: Does it.\n\nSummary: not this\n");
        assert_eq!(manifest.summary, "Does it.");
    }
}
