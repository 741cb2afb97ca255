//! Which modules a distribution has, and in which files they are.
//!
//! Reads only paths, of a wheel or an installed distribution, of a source distribution or of the
//! standard library. Feeds [`super::modules`], which reads the files, and [`super::public`].

use std::collections::BTreeMap;
use std::rc::Rc;

use super::manifest;
use crate::extract::Package;
use crate::hashing::HashSet;
use crate::tree::{file_name, folder};

/// The name that the standard library has as a package.
pub(super) const STANDARD_LIBRARY: &str = "python";

/// Folders and files at the top of a source distribution that are not installed.
const NOT_INSTALLED: &[&str] = &[
    "bench",
    "benchmarks",
    "build",
    "ci",
    "conftest",
    "dist",
    "doc",
    "docs",
    "example",
    "examples",
    "fabfile",
    "noxfile",
    "scripts",
    "setup",
    "tasks",
    "test",
    "tests",
    "tools",
    "versioneer",
];

/// Parts of a module's name that mark it as no API of the distribution.
const NOT_API: &[&str] =
    &["conftest", "extern", "externals", "tests", "third_party", "vendor", "vendored"];

/// What the standard library's folder has besides the library.
const NOT_LIBRARY: &[&str] =
    &["antigravity", "idlelib", "lib2to3", "site-packages", "test", "this", "turtledemo"];

/// The folders of a source distribution that packages may be in, most telling first.
const SOURCE_ROOTS: &[&str] = &["src/", "lib/", "python/", ""];

/// The files of one module.
pub(super) struct Entry<'a> {
    pub(super) package: &'a Package,
    pub(super) source: Option<String>,
    pub(super) stub: Option<(&'a Package, String)>,
    pub(super) is_package: bool,
    /// Of the distribution at hand, and not of a companion.
    pub(super) is_own: bool,
}

/// All modules by the name they are imported as.
pub(super) struct Layout<'a> {
    pub(super) modules: BTreeMap<String, Entry<'a>>,
    /// The packages of the distribution that have a file of their own: a namespace is shared.
    tops: HashSet<String>,
    /// The compiled modules of the distribution.
    compiled: HashSet<String>,
    /// Modules in folders that are no packages, inside of one: templates, as a rule.
    data: HashSet<String>,
    /// Folders called `test` that hold tests, as the beginnings of module names.
    test_folders: HashSet<String>,
}

impl<'a> Layout<'a> {
    /// The modules of a distribution and of its companions.
    pub(super) fn of(package: &'a Package, companions: &'a [Rc<Package>]) -> Self {
        let mut layout = Self {
            modules: BTreeMap::new(),
            tops: HashSet::default(),
            compiled: HashSet::default(),
            data: HashSet::default(),
            test_folders: HashSet::default(),
        };
        layout.add(package, true);
        layout.compiled = compiled(package);
        let names = layout.modules.keys();
        layout.tops = names.filter(|name| !name.contains('.')).cloned().collect();
        for companion in companions {
            layout.add(companion, false);
        }
        layout
    }

    fn add(&mut self, package: &'a Package, is_own: bool) {
        let roots = Roots::of(package);
        for path in package.tree.paths() {
            let Some((stem, is_stub)) = stem(path) else { continue };
            let Some(inside) = roots.inside(stem) else { continue };
            let is_package = file_name(inside) == "__init__";
            let inside = if is_package { folder(inside) } else { inside };
            let Some(name) = module_name(inside) else { continue };
            if !is_package && !is_in_package(package, folder(path)) {
                self.data.insert(name.clone());
            }
            if file_name(inside).starts_with("test_")
                && let Some((above, _)) = name.rsplit_once('.')
            {
                self.test_folders.insert(above.to_owned());
            }
            // Stubs that others wrote for what is compiled are all that can be read of it.
            let is_for_own = is_own || (is_stub && self.compiled.contains(&name));
            let entry = self.modules.entry(name).or_insert_with(|| Entry {
                package,
                source: None,
                stub: None,
                is_package,
                is_own: is_for_own,
            });
            // Stubs of others are about what there is, whether that is a folder or a file.
            if is_stub && entry.is_own && !is_own {
                entry.stub.get_or_insert_with(|| (package, path.to_owned()));
                continue;
            }
            // A package comes before a module of the same name, and what came first before the rest.
            if is_package && !entry.is_package {
                (entry.source, entry.stub, entry.is_package) = (None, None, true);
            } else if entry.is_package && !is_package {
                continue;
            }
            if is_stub {
                entry.stub.get_or_insert_with(|| (package, path.to_owned()));
            } else if entry.source.is_none() && (is_own || !entry.is_own) {
                entry.package = package;
                entry.source = Some(path.to_owned());
            }
        }
    }

    pub(super) fn is_own(&self, module: &str) -> bool {
        self.modules.get(module).is_some_and(|entry| entry.is_own)
    }

    /// Whether a module would be one of the distribution, read or compiled.
    pub(super) fn is_inside(&self, module: &str) -> bool {
        self.is_own(module) || self.tops.contains(module.split('.').next().unwrap_or(module))
    }

    /// Whether a module's name is one that users import.
    pub(super) fn is_public(&self, name: &str) -> bool {
        name.split('.').all(|part| !part.starts_with('_') && !is_test(part))
            && !name.split('.').any(|part| NOT_API.contains(&part))
            && !self.in_test_folder(name)
            && !self.data.contains(name)
    }

    fn in_test_folder(&self, name: &str) -> bool {
        name.match_indices(".test").any(|(at, _)| {
            let end = at + ".test".len();
            (name.len() == end || name[end..].starts_with('.'))
                && self.test_folders.contains(&name[..end])
        })
    }
}

/// The modules of a distribution that are compiled: `core` of `core.abi3.so`.
fn compiled(package: &Package) -> HashSet<String> {
    let libraries =
        package.tree.paths().filter(|path| path.ends_with(".so") || path.ends_with(".pyd"));
    let names = libraries.filter_map(|path| {
        let name = file_name(path);
        let stem = name.split('.').next().unwrap_or(name);
        module_name(&path[..path.len() - name.len() + stem.len()])
    });
    names.collect()
}

fn is_test(part: &str) -> bool {
    part.starts_with("test_") || part.ends_with("_test") || part.ends_with("_tests")
}

/// Where packages lie in a distribution's files.
struct Roots {
    prefixes: Vec<String>,
    /// The names that are importable, if that is known.
    names: Option<HashSet<String>>,
    is_standard_library: bool,
}

impl Roots {
    fn of(package: &Package) -> Self {
        let mut roots = Self {
            prefixes: vec![String::new()],
            names: None,
            is_standard_library: package.name == STANDARD_LIBRARY,
        };
        if roots.is_standard_library {
            return roots;
        }
        if manifest::is_installed(package) {
            for path in package.tree.paths() {
                for part in [".data/purelib/", ".data/platlib/"] {
                    if let Some(at) = path.find(part).filter(|&at| !path[..at].contains('/')) {
                        let prefix = path[..at + part.len()].to_owned();
                        if !roots.prefixes.contains(&prefix) {
                            roots.prefixes.insert(0, prefix);
                        }
                    }
                }
            }
            return roots;
        }
        if manifest::is_source(package) {
            roots.find_in_source(package);
        }
        roots
    }

    /// In a source distribution: `src/`, another folder of the kind, or the top.
    fn find_in_source(&mut self, package: &Package) {
        let listed = manifest::top_level(package);
        for prefix in SOURCE_ROOTS {
            let mut packages = HashSet::default();
            let mut modules = HashSet::default();
            let mut folders = HashSet::default();
            for path in package.tree.paths_under(prefix) {
                let Some((stem, _)) = stem(&path[prefix.len()..]) else { continue };
                match stem.split_once('/') {
                    None => modules.insert(stem.to_owned()),
                    Some((top, "__init__")) => packages.insert(top.to_owned()),
                    Some((top, _)) => folders.insert(top.to_owned()),
                };
            }
            let wanted = |name: &String| match &listed {
                Some(listed) => listed.contains(name),
                None => !NOT_INSTALLED.contains(&name.as_str()),
            };
            packages.retain(wanted);
            modules.retain(wanted);
            folders.retain(wanted);
            let names = match (&listed, packages.is_empty()) {
                (Some(_), _) => packages.into_iter().chain(modules).chain(folders).collect(),
                (None, false) => packages,
                (None, true) if !modules.is_empty() => modules,
                (None, true) => folders,
            };
            if !names.is_empty() {
                self.prefixes = vec![(*prefix).to_owned()];
                self.names = Some(names);
                return;
            }
        }
    }

    /// A path as seen from where packages lie; `None` if it is not part of one.
    fn inside<'p>(&self, stem: &'p str) -> Option<&'p str> {
        let inside = self.prefixes.iter().find_map(|prefix| stem.strip_prefix(prefix.as_str()))?;
        let top = inside.split('/').next().unwrap_or(inside);
        let wanted = match &self.names {
            Some(names) => names.contains(top),
            None if self.is_standard_library => !NOT_LIBRARY.contains(&top),
            None => !matches!(top, "setup" | "conftest" | "__pycache__"),
        };
        wanted.then_some(inside)
    }
}

/// A path without the extension of a Python file, and whether it is a stub.
fn stem(path: &str) -> Option<(&str, bool)> {
    match path.strip_suffix(".pyi") {
        Some(stem) => Some((stem, true)),
        None => path.strip_suffix(".py").map(|stem| (stem, false)),
    }
}

/// What a file is imported as; `None` if it cannot be.
fn module_name(inside: &str) -> Option<String> {
    let mut parts = Vec::new();
    for (at, part) in inside.split('/').enumerate() {
        let part = if at == 0 { part.strip_suffix("-stubs").unwrap_or(part) } else { part };
        let mut characters = part.chars();
        let starts = characters.next().is_some_and(|first| first.is_alphabetic() || first == '_');
        if !starts || !characters.all(|character| character.is_alphanumeric() || character == '_') {
            return None;
        }
        parts.push(part);
    }
    let last = parts.last()?;
    (*last != "__main__").then(|| parts.join("."))
}

/// Whether a folder is a package, or has none above it.
fn is_in_package(package: &Package, in_folder: &str) -> bool {
    let is_package = |folder: &str| {
        let init = format!("{folder}/__init__.py");
        package.tree.contains(&init) || package.tree.contains(&format!("{init}i"))
    };
    let above = folder(in_folder);
    in_folder.is_empty() || is_package(in_folder) || above.is_empty() || !is_package(above)
}
