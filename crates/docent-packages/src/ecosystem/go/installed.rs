//! Where the sources of a module are on this machine: the project itself, its `vendor` folder, a
//! replacement, the module cache.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::module_file::Instead;
use super::name::{candidates, escaped, is_path, is_within, unescaped};
use super::project::{Project, Selected, normal};
use super::version;
use crate::ecosystem::Installed;
use crate::ecosystem::python::files::Files;
use crate::tree::Place;

/// The version of what is worked on, which has none yet.
const UNRELEASED: &str = "(devel)";

/// Versions of one module in the module cache that are looked at.
const VERSIONS_MAX: usize = 200;

fn folder(name: &str, version: &str, root: PathBuf, files: Option<Vec<String>>) -> Installed {
    Installed {
        name: name.to_owned(),
        version: version.to_owned(),
        shown: root.clone(),
        place: Place::Folder { root, files },
        bundled: false,
    }
}

/// The copy of a module that is worked on.
pub(super) fn own(project: &Project, path: &str) -> Option<Installed> {
    let (module, name) = project.own(path)?;
    Some(folder(name, UNRELEASED, module.folder.clone(), None))
}

/// The module in a `vendor` folder that holds a package.
pub(super) fn vendored(project: &Project, path: &str, files: &Files<'_>) -> Option<Installed> {
    project.roots().into_iter().find_map(|root| {
        let vendor = root.join("vendor");
        let modules = vendor_list(&files.text(&vendor.join("modules.txt"))?);
        let holding = modules.iter().filter(|(module, _)| is_within(path, module));
        // Modules nest, and which of them a package belongs to is said there.
        let listed =
            holding.clone().find(|(_, (_, packages))| packages.iter().any(|one| one == path));
        let (module, (version, packages)) =
            listed.or_else(|| holding.max_by_key(|(module, _)| module.len()))?;
        let base = vendor.join(module);
        let mut list: Vec<String> = Vec::new();
        let folders = packages.iter().filter(|package| is_within(package, module));
        let folders = folders.map(|package| package[module.len()..].trim_start_matches('/'));
        for inside in std::iter::once("").chain(folders) {
            for file in files.entries(&base.join(inside)).into_iter().filter(|file| file.is_file())
            {
                let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                list.push(if inside.is_empty() {
                    name.to_owned()
                } else {
                    format!("{inside}/{name}")
                });
            }
        }
        list.sort();
        list.dedup();
        (!list.is_empty()).then(|| folder(module, version, base, Some(list)))
    })
}

/// The modules of a `modules.txt` with their versions and packages.
fn vendor_list(text: &str) -> BTreeMap<String, (String, Vec<String>)> {
    let mut found: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    let mut module = None;
    for line in text.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix("# ") {
            let mut words = head.split_whitespace();
            let name = words.next().filter(|name| is_path(name));
            // One that is replaced by a folder may have no version.
            let version = words.next().filter(|word| version::parse(word).is_some());
            module = name.map(str::to_owned);
            if let Some(name) = &module {
                let entry = found.entry(name.clone()).or_default();
                version.unwrap_or(UNRELEASED).clone_into(&mut entry.0);
            }
        } else if let Some(entry) = module.as_ref().and_then(|module| found.get_mut(module))
            && is_path(line)
        {
            entry.1.push(line.to_owned());
        }
    }
    found.retain(|_, (_, packages)| !packages.is_empty());
    found
}

/// What the project requires and a package belongs to: the longest path that fits.
pub(super) fn required(project: &Project, path: &str) -> Option<Selected> {
    let holding = project.selected().into_iter().filter(|one| is_within(path, &one.module));
    holding.max_by_key(|one| one.module.len())
}

/// The module and version to look for in place of a required one, or the folder that it is.
pub(super) enum Source {
    Folder(PathBuf),
    Module(String, String),
}

/// Where a module at a version really comes from.
pub(super) fn source(project: &Project, module: &str, version: &str) -> Source {
    match project.replaced(module, version) {
        Some((base, Instead::Folder(folder))) => Source::Folder(normal(&base.join(folder))),
        Some((_, Instead::Module(module, version))) => {
            Source::Module(module.clone(), version.clone())
        }
        None => Source::Module(module.to_owned(), version.to_owned()),
    }
}

/// The copy of a required module, if it is on this machine.
pub(super) fn of_required(
    project: &Project,
    wanted: &Selected,
    cache: Option<&Path>,
) -> Option<Installed> {
    match source(project, &wanted.module, &wanted.version) {
        Source::Folder(root) => {
            root.is_dir().then(|| folder(&wanted.module, &wanted.version, root, None))
        }
        Source::Module(module, version) => {
            let copy = cached(cache?, &module, &version)?;
            Some(Installed { name: wanted.module.clone(), ..copy })
        }
    }
}

/// Modules that are replaced by folders without being required, as in a workspace.
pub(super) fn of_replaced(project: &Project, path: &str) -> Option<Installed> {
    let holding = project.replaced_modules().filter(|module| is_within(path, module));
    let module = holding.max_by_key(|module| module.len())?;
    match source(project, module, "") {
        Source::Folder(root) => root.is_dir().then(|| folder(module, UNRELEASED, root, None)),
        Source::Module(..) => None,
    }
}

/// A module in the module cache.
pub(super) fn cached(cache: &Path, module: &str, version: &str) -> Option<Installed> {
    let root = cache.join(format!("{}@{}", escaped(module), escaped(version)));
    root.is_dir().then(|| folder(module, version, root, None))
}

/// All versions in the module cache of the modules that may hold a package, newest first.
pub(super) fn all_cached(cache: &Path, path: &str, files: &Files<'_>) -> Vec<Installed> {
    let mut found: Vec<Installed> = Vec::new();
    for module in candidates(path) {
        let (above, last) = module.rsplit_once('/').unwrap_or(("", module));
        let begin = format!("{}@", escaped(last));
        let entries = files.entries(&cache.join(escaped(above)));
        let versions = entries.iter().filter_map(|entry| {
            let version = unescaped(entry.file_name()?.to_str()?.strip_prefix(&begin)?)?;
            version::parse(&version).map(|_| version)
        });
        let mut versions: Vec<String> = versions.take(VERSIONS_MAX).collect();
        versions.sort_by(|left, right| version::order(right, left));
        found.extend(versions.iter().filter_map(|version| cached(cache, module, version)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_vendored_modules() {
        let text = "\
# m.example/one v1.2.3
## explicit; go 1.20
m.example/one
m.example/one/sub
# m.example/none v1.0.0
## explicit
# m.example/local => ./local
m.example/local
## workspace
";
        let found: Vec<String> = vendor_list(text)
            .iter()
            .map(|(module, (version, packages))| format!("{module} {version} {}", packages.len()))
            .collect();
        assert_eq!(found, ["m.example/local (devel) 1", "m.example/one v1.2.3 2"]);
    }
}
