//! `Cargo.lock`, in all of its versions: what was chosen, and where each package is from.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::name;
use super::read::{self, Notes};
use crate::Limits;

/// One lockfile.
#[derive(Debug)]
pub(super) struct Lockfile {
    pub(super) file: PathBuf,
    pub(super) packages: Vec<Locked>,
}

/// One package of a lockfile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Locked {
    pub(super) name: String,
    pub(super) version: String,
    /// `registry+https://…`, `sparse+https://…`, `git+https://…#commit`; none for what is in the
    /// project itself.
    pub(super) source: Option<String>,
    /// The SHA-256 of the archive, in hexadecimal.
    pub(super) checksum: Option<String>,
    /// What it depends on: a name, with a version where several are locked.
    pub(super) dependencies: Vec<(String, Option<String>)>,
}

impl Lockfile {
    /// The nearest lockfile, upward from a folder.
    pub(super) fn find(from: &Path, limits: &Limits, notes: &mut Notes) -> Option<Self> {
        from.ancestors().find_map(|folder| {
            let file = folder.join("Cargo.lock");
            let table = read::toml(&file, limits, notes)?;
            Some(Self { packages: packages(&table), file })
        })
    }

    /// The packages of a name.
    pub(super) fn named<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Locked> + use<'a> {
        let name = name.to_owned();
        self.packages.iter().filter(move |locked| name::same(&locked.name, &name))
    }
}

fn packages(table: &Table) -> Vec<Locked> {
    let list = table.get("package").and_then(Value::as_array).into_iter().flatten();
    // Before version 2 checksums were kept apart.
    let metadata = table.get("metadata").and_then(Value::as_table);
    let mut found: Vec<Locked> = list.filter_map(package).collect();
    for locked in found.iter_mut().filter(|locked| locked.checksum.is_none()) {
        let source = locked.source.as_deref().unwrap_or_default();
        let key = format!("checksum {} {} ({source})", locked.name, locked.version);
        let known = metadata.and_then(|metadata| metadata.get(&key)?.as_str());
        locked.checksum = known.filter(|known| *known != "<none>").map(str::to_owned);
    }
    found
}

fn package(value: &Value) -> Option<Locked> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let dependencies = value.get("dependencies").and_then(Value::as_array).into_iter().flatten();
    let dependencies = dependencies.filter_map(Value::as_str).filter_map(|written| {
        let mut words = written.split(' ');
        Some((words.next()?.to_owned(), words.next().map(str::to_owned)))
    });
    Some(Locked {
        name: text("name")?,
        version: text("version")?,
        source: text("source"),
        checksum: text("checksum"),
        dependencies: dependencies.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use docent_testkit::folder::Folder;

    #[test]
    fn lockfiles_of_all_versions() {
        let registry = "registry+https://registry.example/index";
        for text in [
            format!(
                "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\ndependencies = [\"b 2.0.0 ({registry})\"]\n\
                 [[package]]\nname = \"b\"\nversion = \"2.0.0\"\nsource = \"{registry}\"\n\
                 [metadata]\n\"checksum b 2.0.0 ({registry})\" = \"00ff\"\n"
            ),
            format!(
                "version = 4\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\ndependencies = [\"b 2.0.0\"]\n\
                 [[package]]\nname = \"b\"\nversion = \"2.0.0\"\nsource = \"{registry}\"\nchecksum = \"00ff\"\n"
            ),
        ] {
            let folder = Folder::new();
            folder.write("Cargo.lock", text);
            let inner = folder.path().join("x/y");
            let limits = Limits::default();
            let found = Lockfile::find(&inner, &limits, &mut Notes::new()).expect("a lockfile");
            assert_eq!(found.packages.len(), 2);
            assert_eq!(
                found.packages[0].dependencies,
                [("b".to_owned(), Some("2.0.0".to_owned()))]
            );
            let b = found.named("b").next().expect("locked");
            assert_eq!(
                (b.checksum.as_deref(), b.source.as_deref()),
                (Some("00ff"), Some(registry))
            );
        }
    }
}
