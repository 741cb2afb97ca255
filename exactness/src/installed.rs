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

/// Where packages are installed: `node_modules`, or `site-packages`.
pub(crate) struct Folder {
    pub(crate) ecosystem: Ecosystem,
    pub(crate) path: PathBuf,
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
            // These are read through the engine, which knows where cargo and Go keep them.
            Ecosystem::Go | Ecosystem::Rust => return None,
            _ => {
                let library = environment?.join("lib");
                let versions = std::fs::read_dir(library).ok()?.filter_map(Result::ok);
                versions
                    .map(|entry| entry.path().join("site-packages"))
                    .find(|path| path.is_dir())?
            }
        };
        path.is_dir().then_some(Self { ecosystem, path })
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
            _ => self.python(name),
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

/// The files of an npm package, without those of packages inside it.
fn files_below(root: &Path) -> Vec<(String, Vec<u8>)> {
    let (mut found, mut open) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
            let path = entry.path();
            if path.is_dir() {
                if entry.file_name() != "node_modules" {
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
