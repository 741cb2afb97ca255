//! `Cargo.toml`: what a package is called, what it asks for, and what it has from its workspace.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::name;
use super::read::{self, Notes};
use crate::Limits;

/// Members of a workspace that are looked at.
const MEMBERS_MAX: usize = 2_000;

/// One manifest, with that of its workspace.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) file: PathBuf,
    table: Table,
    /// The workspace's own, if it is another one, and its folder.
    workspace: Option<(PathBuf, Table)>,
}

/// What a manifest asks for under one name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Asked {
    /// The name in the manifest.
    pub(super) key: String,
    /// The package's own name.
    pub(super) package: String,
    pub(super) requirement: Option<String>,
    /// A folder of this machine.
    pub(super) path: Option<PathBuf>,
    /// The name of a registry other than the default one, or the address of its index.
    pub(super) registry: Option<String>,
    pub(super) git: bool,
}

impl Manifest {
    /// The nearest manifest, upward from a folder, and the workspace's above it.
    pub(super) fn find(from: &Path, limits: &Limits, notes: &mut Notes) -> Option<Self> {
        let mut manifests = from.ancestors().filter_map(|folder| {
            let file = folder.join("Cargo.toml");
            read::toml(&file, limits, notes).map(|table| (file, table))
        });
        let (file, table) = manifests.next()?;
        let mut found = Self { file, table, workspace: None };
        if !found.table.contains_key("workspace") {
            found.workspace = manifests
                .find(|(_, table)| table.contains_key("workspace"))
                .map(|(file, table)| (folder_of(&file), table));
        }
        Some(found)
    }

    /// The manifest in a folder.
    pub(super) fn read(folder: &Path, limits: &Limits, notes: &mut Notes) -> Option<Self> {
        let file = folder.join("Cargo.toml");
        let table = read::toml(&file, limits, notes)?;
        Some(Self { file, table, workspace: None })
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.table.get("package")?.get("name")?.as_str()
    }

    /// The version, from the workspace if that is where it is.
    pub(super) fn version(&self) -> Option<&str> {
        match self.table.get("package")?.get("version")? {
            Value::String(version) => Some(version),
            _ => self.inherited()?.get("package")?.get("version")?.as_str(),
        }
    }

    /// What the workspace's manifest says for its members.
    fn inherited(&self) -> Option<&Value> {
        let table = self.workspace.as_ref().map_or(&self.table, |(_, table)| table);
        table.get("workspace")
    }

    fn folder(&self) -> PathBuf {
        folder_of(&self.file)
    }

    /// The workspace's folder.
    pub(super) fn root(&self) -> PathBuf {
        self.workspace.as_ref().map_or_else(|| self.folder(), |(folder, _)| folder.clone())
    }

    /// All dependencies, those of the package before those that only its workspace names.
    pub(super) fn dependencies(&self) -> Vec<Asked> {
        let mut found: Vec<Asked> = Vec::new();
        let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
        let targets = self.table.get("target").and_then(Value::as_table).into_iter().flatten();
        let targets = targets.filter_map(|(_, target)| target.as_table());
        for table in std::iter::once(&self.table).chain(targets) {
            for kind in kinds {
                for (key, value) in table.get(kind).and_then(Value::as_table).into_iter().flatten()
                {
                    found.push(self.asked(key, value));
                }
            }
        }
        // A workspace without a package of its own still says what its members share.
        let shared = self.inherited().and_then(|it| it.get("dependencies")?.as_table());
        for (key, value) in shared.into_iter().flatten() {
            if !found.iter().any(|known| known.key == *key) {
                found.push(asked(key, value, &self.root()));
            }
        }
        found
    }

    fn asked(&self, key: &str, value: &Value) -> Asked {
        let from_workspace = value.get("workspace").and_then(Value::as_bool).unwrap_or(false);
        let shared = || self.inherited()?.get("dependencies")?.get(key);
        match from_workspace.then(shared).flatten() {
            Some(shared) => asked(key, shared, &self.root()),
            None => asked(key, value, &self.folder()),
        }
    }

    /// What the manifest asks for under a name, either the one in the manifest or the package's own.
    pub(super) fn asks_for(&self, package: &str) -> Option<Asked> {
        let all = self.dependencies();
        let by_key = all.iter().find(|asked| name::same(&asked.key, package));
        by_key.or_else(|| all.iter().find(|asked| name::same(&asked.package, package))).cloned()
    }

    /// The folders of the workspace's members, the package's own first.
    pub(super) fn members(&self) -> Vec<PathBuf> {
        let root = self.root();
        let mut found = vec![self.folder()];
        let patterns = self.inherited().and_then(|it| it.get("members")?.as_array());
        for pattern in patterns.into_iter().flatten().filter_map(Value::as_str) {
            let mut folders = vec![root.clone()];
            for part in pattern.split('/').filter(|part| !part.is_empty() && *part != ".") {
                folders = folders.iter().flat_map(|folder| matching(folder, part)).collect();
                folders.truncate(MEMBERS_MAX);
            }
            found.extend(folders);
        }
        found.push(root);
        found.truncate(MEMBERS_MAX);
        found
    }
}

fn folder_of(file: &Path) -> PathBuf {
    file.parent().map(Path::to_owned).unwrap_or_default()
}

/// The folders inside a folder that fit one part of a pattern, in which `*` stands for anything.
fn matching(folder: &Path, part: &str) -> Vec<PathBuf> {
    let Some((start, end)) = part.split_once('*') else { return vec![folder.join(part)] };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
    });
    let mut found: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    found.sort_unstable();
    found
}

fn asked(key: &str, value: &Value, folder: &Path) -> Asked {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    Asked {
        key: key.to_owned(),
        package: text("package").unwrap_or_else(|| key.to_owned()),
        requirement: value.as_str().map(str::to_owned).or_else(|| text("version")),
        path: text("path").map(|path| folder.join(path)),
        registry: text("registry").or_else(|| text("registry-index")),
        git: value.get("git").is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docent_testkit::folder::Folder;

    #[test]
    fn a_member_has_much_from_its_workspace() {
        let folder = Folder::new();
        folder.write(
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]\n[workspace.package]\nversion = \"1.2.3\"\n\
             [workspace.dependencies]\nkit = { package = \"real-kit\", version = \"2\" }\nother = { path = \"other\" }\n",
        );
        folder.write(
            "crates/a/Cargo.toml",
            "[package]\nname = \"a\"\nversion.workspace = true\n[dependencies]\nkit.workspace = true\n\
             [target.'cfg(unix)'.dependencies]\nplain = { version = \"~1.1\", registry = \"mine\" }\n",
        );
        folder.write("crates/b/Cargo.toml", "[package]\nname = \"b\"\n");
        let limits = Limits::default();
        let inner = folder.path().join("crates/a/src");
        let found = Manifest::find(&inner, &limits, &mut Notes::new()).expect("a manifest");
        assert_eq!((found.name(), found.version()), (Some("a"), Some("1.2.3")));
        let kit = found.asks_for("kit").expect("asked for");
        assert_eq!((kit.package.as_str(), kit.requirement.as_deref()), ("real-kit", Some("2")));
        assert_eq!(found.asks_for("real_kit"), Some(kit));
        let plain = found.asks_for("plain").expect("asked for");
        assert_eq!(plain.registry.as_deref(), Some("mine"));
        let other = found.asks_for("other").expect("asked for");
        assert_eq!(other.path, Some(folder.path().join("other")));
        let members = found.members();
        assert!(members.contains(&folder.path().join("crates/b")), "{members:?}");
    }
}
