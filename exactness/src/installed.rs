//! Packages as they are installed, read without the engine: what extraction says when nothing but
//! extraction is at work. Feeds the comparison with `--direct` and the bench.

use std::path::{Path, PathBuf};

use docent_packages::extract::{Input, Package, extract};
use docent_packages::{Ecosystem, Extraction, Limits, Tree};

/// Rounds of asking for what would complete an extraction.
const ROUNDS_MAX: usize = 5;

/// A package and those that it refers to.
pub(crate) struct Installed {
    pub(crate) ecosystem: Ecosystem,
    pub(crate) package: Package,
    pub(crate) companions: Vec<Package>,
}

/// Where packages are installed: `node_modules`, `site-packages`, checkouts, or what cargo and Go have
/// unpacked.
pub(crate) struct Folder {
    pub(crate) ecosystem: Ecosystem,
    pub(crate) path: PathBuf,
    /// What the project has locked, where one folder holds many versions.
    locked: Vec<(String, String)>,
}

impl Folder {
    /// The folder of a project, or of its virtual environment.
    pub(crate) fn of(
        ecosystem: Ecosystem,
        project: &Path,
        environment: Option<&Path>,
    ) -> Option<Self> {
        let path = match ecosystem {
            Ecosystem::Npm => project.join("node_modules"),
            Ecosystem::Swift => project.join(".build/checkouts"),
            Ecosystem::Rust => {
                let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
                home.or_else(|| Some(std::env::home_dir()?.join(".cargo")))?.join("registry/src")
            }
            Ecosystem::Go => {
                let cache = std::env::var_os("GOMODCACHE").map(PathBuf::from);
                cache.or_else(|| Some(std::env::home_dir()?.join("go/pkg/mod")))?
            }
            _ => {
                let library = environment?.join("lib");
                let versions = std::fs::read_dir(library).ok()?.filter_map(Result::ok);
                versions
                    .map(|entry| entry.path().join("site-packages"))
                    .find(|path| path.is_dir())?
            }
        };
        let locked = match ecosystem {
            Ecosystem::Rust => crates(&std::fs::read_to_string(project.join("Cargo.lock")).ok()?),
            Ecosystem::Go => modules(&std::fs::read_to_string(project.join("go.mod")).ok()?),
            Ecosystem::Swift => pins(&std::fs::read_to_string(project.join("Package.swift")).ok()?),
            _ => Vec::new(),
        };
        path.is_dir().then_some(Self { ecosystem, path, locked })
    }

    /// A package with its companions, and what is extracted from it.
    pub(crate) fn load(&self, name: &str) -> Option<(Installed, Extraction)> {
        let mut installed = Installed {
            ecosystem: self.ecosystem,
            package: self.package(name)?,
            companions: Vec::new(),
        };
        let mut extraction = installed.extract(&|_| {});
        for _ in 0..ROUNDS_MAX {
            let before = installed.companions.len();
            for wanted in &extraction.wanted {
                let known = installed.companions.iter().any(|known| known.name == wanted.name);
                if let Some(package) = self.package(&wanted.name).filter(|_| !known) {
                    installed.companions.push(package);
                }
            }
            if installed.companions.len() == before {
                break;
            }
            extraction = installed.extract(&|_| {});
        }
        Some((installed, extraction))
    }

    fn package(&self, name: &str) -> Option<Package> {
        match self.ecosystem {
            Ecosystem::Npm => self.npm(name),
            Ecosystem::Rust | Ecosystem::Go | Ecosystem::Swift => self.unpacked(name),
            _ => self.python(name),
        }
    }

    /// What cargo or Go has unpacked or somebody checked out, in the version that the project has locked.
    fn unpacked(&self, name: &str) -> Option<Package> {
        let (_, version) = self.locked.iter().find(|(locked, _)| locked == name)?;
        let tree = Tree::in_memory(files_below(&self.root(name)?));
        Some(Package { name: name.to_owned(), version: version.clone(), tree })
    }

    /// The folder of a package, or the one that it shares with others.
    pub(crate) fn root(&self, name: &str) -> Option<PathBuf> {
        let version = || Some(&self.locked.iter().find(|(locked, _)| locked == name)?.1);
        match self.ecosystem {
            Ecosystem::Npm | Ecosystem::Swift => Some(self.path.join(name)),
            Ecosystem::Go => Some(self.path.join(format!("{}@{}", escaped(name), version()?))),
            Ecosystem::Rust => {
                let registries = std::fs::read_dir(&self.path).ok()?.flatten();
                let folder = format!("{name}-{}", version()?);
                registries.map(|it| it.path().join(&folder)).find(|it| it.is_dir())
            }
            _ => Some(self.path.clone()),
        }
    }

    fn npm(&self, name: &str) -> Option<Package> {
        let root = self.path.join(name);
        let manifest = std::fs::read_to_string(root.join("package.json")).ok()?;
        let manifest: serde_json::Value = serde_json::from_str(&manifest).ok()?;
        let version = manifest["version"].as_str().unwrap_or_default().to_owned();
        let tree = Tree::in_memory(files_below(&root));
        Some(Package { name: name.to_owned(), version, tree })
    }

    fn python(&self, name: &str) -> Option<Package> {
        let normal = |name: &str| name.to_lowercase().replace(['-', '.'], "_");
        let entries = std::fs::read_dir(&self.path).ok()?.filter_map(Result::ok);
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let found = names.filter_map(|folder| {
            let stem = folder.strip_suffix(".dist-info")?;
            let (found, version) = stem.rsplit_once('-')?;
            (normal(found) == normal(name)).then(|| (folder.clone(), version.to_owned()))
        });
        let (folder, version) = found.last()?;
        let record = std::fs::read_to_string(self.path.join(folder).join("RECORD")).ok()?;
        let files = record.lines().filter_map(|line| line.split(',').next());
        let files = files.filter(|file| !file.starts_with("..") && !file.contains("__pycache__"));
        let files =
            files.filter_map(|file| Some((file, std::fs::read(self.path.join(file)).ok()?)));
        let tree = Tree::in_memory(files.collect::<Vec<_>>());
        Some(Package { name: name.to_owned(), version, tree })
    }
}

impl Installed {
    /// What is found, telling `before` of each file that is parsed.
    pub(crate) fn extract(&self, before: &dyn Fn(&str)) -> Extraction {
        let limits = Limits::default();
        let mut input = Input::new(&self.package, &self.companions, &limits);
        input.before = before;
        extract(self.ecosystem, &input)
    }

    /// The text of a file, from its name as `before` is told it.
    pub(crate) fn text(&self, full: &str) -> Option<String> {
        let (name, path) = full.split_once(':')?;
        let all = std::iter::once(&self.package).chain(&self.companions);
        all.filter(|package| package.name == name).find_map(|package| package.tree.text(path))
    }
}

/// The names and versions in a `Cargo.lock`.
fn crates(lockfile: &str) -> Vec<(String, String)> {
    let value = |line: &str, key: &str| {
        line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"').map(str::to_owned)
    };
    let lines: Vec<&str> = lockfile.lines().collect();
    let pairs = lines.windows(2);
    pairs.filter_map(|pair| Some((value(pair[0], "name")?, value(pair[1], "version")?))).collect()
}

/// The modules and versions that a `go.mod` requires.
fn modules(manifest: &str) -> Vec<(String, String)> {
    let lines = manifest.lines().map(|line| line.trim().trim_start_matches("require "));
    let pairs = lines.filter_map(|line| line.split_once(' '));
    let versions = pairs.filter(|(_, version)| version.starts_with('v'));
    versions
        .map(|(module, version)| {
            let version = version.split(' ').next().unwrap_or(version);
            (module.to_owned(), version.to_owned())
        })
        .collect()
}

/// The names and versions of repositories that a `Package.swift` pins.
fn pins(manifest: &str) -> Vec<(String, String)> {
    let packages = manifest.split(".package(url: \"").skip(1);
    packages
        .filter_map(|text| {
            let words: Vec<&str> = text.split('"').collect();
            let [address, _, version, ..] = words.as_slice() else { return None };
            Some((address.rsplit('/').next()?.to_owned(), (*version).to_owned()))
        })
        .collect()
}

/// A module's path as Go writes it on disk: `!a` for `A`.
fn escaped(module: &str) -> String {
    let mut path = String::new();
    for c in module.chars() {
        if c.is_ascii_uppercase() {
            path.push('!');
        }
        path.push(c.to_ascii_lowercase());
    }
    path
}

/// The files of a package, without those of npm packages inside it and a repository's own.
fn files_below(root: &Path) -> Vec<(String, Vec<u8>)> {
    let (mut found, mut open) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() {
                if entry.file_name() != "node_modules" && entry.file_name() != ".git" {
                    open.push(path);
                }
            } else if let (Ok(relative), Ok(bytes)) =
                (path.strip_prefix(root), std::fs::read(&path))
            {
                found.push((relative.to_string_lossy().replace('\\', "/"), bytes));
            }
        }
    }
    found
}
