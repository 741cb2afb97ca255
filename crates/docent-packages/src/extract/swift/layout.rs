//! Which modules a package has, which of them others can import, and which files they are made of.
//!
//! Goes by [`super::manifest`] and by the folders that the package manager looks in. A package
//! without a manifest that says anything has a module for each folder of sources.

use super::manifest::{Manifest, Target, TargetKind, is_manifest};
use crate::hashing::HashSet;
use crate::tree::{Tree, file_name, folder, join};

/// One module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Module {
    pub(super) name: String,
    /// Whether it is part of a product.
    pub(super) is_public: bool,
    pub(super) files: Vec<String>,
}

/// What a package consists of.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) manifest: Manifest,
    pub(super) modules: Vec<Module>,
}

/// Where the package manager looks for sources that no path is given for.
const SOURCES: &[&str] = &["Sources", "Source", "src", "srcs"];

/// Folders that are never part of a library.
const FOREIGN: &[&str] = &[
    "tests",
    "test",
    "examples",
    "example",
    "benchmarks",
    "benchmark",
    "snippets",
    "plugins",
    "demo",
    "demos",
    "playground",
    "sandbox",
    "docs",
    "integrationtests",
    "utils",
    "scripts",
    "fixtures",
];

impl Layout {
    pub(super) fn of(name: &str, tree: &Tree) -> Self {
        let root = root(tree);
        let at_root = |file: &&str| folder(file) == root && is_manifest(file_name(file));
        let manifests = tree.paths().filter(at_root);
        let texts =
            manifests.filter_map(|path| Some((file_name(path).to_owned(), tree.text(path)?)));
        let manifest = Manifest::newest(texts).unwrap_or_default();
        let mut modules = targets(&manifest, &root, tree);
        if modules.iter().all(|module| module.files.is_empty()) {
            modules = folders(name, &root, tree);
        }
        if modules.iter().all(|module| !module.is_public) {
            // Nothing but programs: what they are made of is all there is.
            modules.iter_mut().for_each(|module| module.is_public = true);
        }
        Self { manifest, modules }
    }
}

/// The folder of the package: the outermost that has a manifest.
fn root(tree: &Tree) -> String {
    let manifests = tree.paths().filter(|path| file_name(path) == "Package.swift");
    let outermost = manifests.min_by_key(|path| path.matches('/').count());
    let root = outermost.filter(|path| path.matches('/').count() <= 1).map_or("", folder);
    root.to_owned()
}

fn targets(manifest: &Manifest, root: &str, tree: &Tree) -> Vec<Module> {
    let in_products: HashSet<&str> = manifest
        .products
        .iter()
        .filter(|product| product.is_library)
        .flat_map(|product| product.targets.iter().map(String::as_str))
        .collect();
    let mut modules: Vec<Module> = Vec::new();
    for target in &manifest.targets {
        let is_code = matches!(target.kind, TargetKind::Library | TargetKind::Executable);
        let name = module_name(&target.name);
        if !is_code || modules.iter().any(|module| module.name == name) {
            continue;
        }
        let files = files(target, manifest.targets.len() == 1, root, tree);
        let is_listed = in_products.contains(target.name.as_str());
        let is_public = is_listed || (manifest.computed && target.kind == TargetKind::Library);
        modules.push(Module { name, is_public, files });
    }
    modules
}

/// The name that an import uses.
fn module_name(target: &str) -> String {
    let legal = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '_' };
    target.chars().map(legal).collect()
}

fn files(target: &Target, is_only: bool, root: &str, tree: &Tree) -> Vec<String> {
    let Some(folder) = folder_of(target, is_only, root, tree) else { return Vec::new() };
    let under = |path: &str, part: &str| {
        let whole = join(&folder, part).unwrap_or_default();
        path == whole || path.strip_prefix(&whole).is_some_and(|rest| rest.starts_with('/'))
    };
    let wanted = |path: &&str| {
        let is_chosen =
            target.sources.is_empty() || target.sources.iter().any(|part| under(path, part));
        is_chosen
            && !target.exclude.iter().any(|part| under(path, part))
            && !is_foreign(path, &folder)
    };
    sources(&folder, tree).filter(wanted).map(str::to_owned).collect()
}

/// The Swift files below a folder, manifests apart.
fn sources<'t>(folder: &str, tree: &'t Tree) -> impl Iterator<Item = &'t str> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let all = tree.paths().filter(move |path| path.starts_with(&prefix));
    all.filter(|path| path.ends_with(".swift") && !is_manifest(file_name(path)))
}

/// Whether a file is in a folder inside of `from` that belongs to something else: articles with
/// code, or the tests of a target that takes in everything.
fn is_foreign(path: &str, from: &str) -> bool {
    let inner = path.strip_prefix(from).unwrap_or(path).trim_start_matches('/');
    let mut folders = inner.split('/').rev().skip(1);
    let is_root = from.is_empty();
    folders.any(|folder| {
        let lower = folder.to_ascii_lowercase();
        lower.ends_with(".docc")
            || lower.starts_with('.')
            || (is_root && FOREIGN.contains(&lower.as_str()))
    })
}

fn folder_of(target: &Target, is_only: bool, root: &str, tree: &Tree) -> Option<String> {
    let holds = |folder: &String| {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        tree.paths_under(&prefix).next().is_some()
    };
    if let Some(path) = &target.path {
        return join(root, path).filter(holds);
    }
    let names = std::iter::once(&target.name).chain(&target.others);
    let usual = names.flat_map(|name| SOURCES.iter().map(move |base| format!("{base}/{name}")));
    let usual = usual.filter_map(|path| join(root, &path)).find(|folder| holds(folder));
    // A package of one module may keep it right there.
    usual.or_else(|| {
        let bases = SOURCES.iter().filter_map(|base| join(root, base));
        bases.filter(|_| is_only).find(holds)
    })
}

/// The modules of a package that has no manifest, or none that says where they are.
fn folders(name: &str, root: &str, tree: &Tree) -> Vec<Module> {
    for base in SOURCES.iter().filter_map(|base| join(root, base)) {
        let mut modules: Vec<Module> = Vec::new();
        for path in sources(&base, tree).filter(|path| !is_foreign(path, &base)) {
            let inner = path[base.len()..].trim_start_matches('/');
            let module = inner.split_once('/').map_or(package_module(name), |(first, _)| first);
            let module = module_name(module);
            match modules.iter_mut().find(|known| known.name == module) {
                Some(known) => known.files.push(path.to_owned()),
                None => {
                    let files = vec![path.to_owned()];
                    modules.push(Module { name: module, is_public: true, files });
                }
            }
        }
        if !modules.is_empty() {
            return modules;
        }
    }
    let all = sources(root, tree).filter(|path| !is_foreign(path, root));
    let files: Vec<String> = all.map(str::to_owned).collect();
    vec![Module { name: module_name(package_module(name)), is_public: true, files }]
}

/// What a package's only module is called, as far as its address says.
fn package_module(name: &str) -> &str {
    let last = name.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or(name);
    last.strip_suffix(".git").unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[(&str, bool, &[&str])]) {
        let layout = Layout::of("pkg", &Tree::in_memory(files.iter().copied()));
        let found: Vec<(&str, bool, Vec<&str>)> = layout
            .modules
            .iter()
            .map(|one| {
                let files = one.files.iter().map(String::as_str).collect();
                (one.name.as_str(), one.is_public, files)
            })
            .collect();
        let expected: Vec<(&str, bool, Vec<&str>)> =
            expected.iter().map(|row| (row.0, row.1, row.2.to_vec())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn targets_are_where_the_manifest_or_custom_puts_them() {
        check(
            &[
                (
                    "Package.swift",
                    "Package(products: [.library(name: \"A\", targets: [\"A\", \"my-b\"])], targets: [\
                     .target(name: \"A\", exclude: [\"no\"]), .target(name: \"my-b\", path: \"lib\"), \
                     .target(name: \"Inner\"), .testTarget(name: \"ATests\")])",
                ),
                ("Sources/A/a.swift", ""),
                ("Sources/A/no/b.swift", ""),
                ("Sources/A/A.docc/c.swift", ""),
                ("Sources/Inner/d.swift", ""),
                ("lib/e.swift", ""),
                ("Tests/ATests/f.swift", ""),
            ],
            &[
                ("A", true, &["Sources/A/a.swift"]),
                ("my_b", true, &["lib/e.swift"]),
                ("Inner", false, &["Sources/Inner/d.swift"]),
            ],
        );
    }

    #[test]
    fn a_wrapping_folder_is_seen_through() {
        check(
            &[
                ("w/Package.swift", "Package(targets: [.target(name: \"A\")])"),
                ("w/Sources/a.swift", ""),
            ],
            &[("A", true, &["w/Sources/a.swift"])],
        );
    }

    #[test]
    fn without_a_manifest_folders_are_modules() {
        check(
            &[("Sources/A/a.swift", ""), ("Tests/b.swift", "")],
            &[("A", true, &["Sources/A/a.swift"])],
        );
        check(&[("a.swift", ""), ("Tests/b.swift", "")], &[("pkg", true, &["a.swift"])]);
    }
}
