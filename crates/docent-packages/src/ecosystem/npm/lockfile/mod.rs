//! Lockfiles: the versions that a project's package manager has settled on.
//!
//! Fed by [`super::project`], which knows the folders; each format has a file of its own that turns
//! text into a list of [`Package`]. Feeds what is locked and what a project depends on.

mod bun;
mod package_lock;
mod pnpm;
mod yarn;
mod yarn_berry;
mod yarn_classic;

use std::path::{Path, PathBuf};

use super::project::Project;
use super::read::{self, Notes};
use crate::Limits;

/// One package in a lockfile.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Package {
    /// The name it is imported by, which differs from its own when there is an alias.
    import: String,
    name: String,
    version: String,
    /// How far it is from what the project itself would import; zero is exactly that.
    distance: usize,
}

/// Further from the project than anything it could import.
const ELSEWHERE: usize = 1000;

/// What a lockfile is read for: the project's part in a workspace that shares it.
#[derive(Debug, Default)]
struct Importer {
    /// The only name that matters, if there is one.
    wanted: Option<String>,
    /// Its folder, relative to that of the lockfile; empty if it is the same.
    folder: String,
    name: Option<String>,
    /// What its manifest asks for.
    ranges: Vec<(String, String)>,
}

type Parse = fn(&str, &Importer, &Limits) -> Result<Vec<Package>, String>;

/// The files, with the package manager that writes them and the function that reads them.
const FORMATS: &[(&str, &str, Parse)] = &[
    ("npm-shrinkwrap.json", "npm", package_lock::parse),
    ("package-lock.json", "npm", package_lock::parse),
    ("pnpm-lock.yaml", "pnpm", pnpm::parse),
    ("yarn.lock", "yarn", yarn::parse),
    ("bun.lock", "bun", bun::parse),
];

/// A file of Bun's that is not text.
const BUN_BINARY: &str = "bun.lockb";

/// One lockfile as it was read.
#[derive(Debug)]
pub(super) struct Lockfile {
    pub(super) file: PathBuf,
    packages: Vec<Package>,
}

impl Lockfile {
    /// The name and version of what an import of `name` gives, without repetition: nearest first, and
    /// the newest of those that are equally far.
    pub(super) fn versions(&self, name: &str) -> Vec<(&str, &str)> {
        let mut found: Vec<&Package> = self
            .packages
            .iter()
            .filter(|package| package.import == name || package.name == name)
            .collect();
        found.sort_by(|left, right| {
            let key = |package: &Package| (package.import != name, package.distance);
            let newest_first = || super::version::order(&right.version, &left.version);
            key(left).cmp(&key(right)).then_with(newest_first)
        });
        let mut versions: Vec<(&str, &str)> = Vec::new();
        for package in found {
            let version = (package.name.as_str(), package.version.as_str());
            if !versions.contains(&version) {
                versions.push(version);
            }
        }
        versions
    }

    /// The names and versions of all packages.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.packages.iter().map(|package| (package.name.as_str(), package.version.as_str()))
    }
}

/// The lockfiles of the nearest folder that has any; of those that mention `name`, if one is given.
pub(super) fn find(
    project: &Project,
    name: Option<&str>,
    limits: &Limits,
    notes: &mut Notes,
) -> Vec<Lockfile> {
    let mut searched = project.folders.iter();
    let found = searched.find_map(|folder| {
        let lockfiles = in_folder(folder, project, name, limits, notes);
        (!lockfiles.is_empty()).then_some(lockfiles)
    });
    found.unwrap_or_default()
}

fn in_folder(
    folder: &Path,
    project: &Project,
    name: Option<&str>,
    limits: &Limits,
    notes: &mut Notes,
) -> Vec<Lockfile> {
    let manager = [project.manifest.as_ref(), project.root_manifest.as_ref()];
    let manager = manager.into_iter().flatten().find_map(|manifest| manifest.manager());
    let mut formats: Vec<_> = FORMATS.iter().collect();
    formats.sort_by_key(|(_, writer, _)| manager != Some(writer));
    let mut importer = None;
    let mut lockfiles = Vec::new();
    for (file_name, _, parse) in formats {
        let file = folder.join(file_name);
        let Some(text) = read::text(&file, limits, notes) else { continue };
        // Reading all of a large file is slow, and in vain if the name is nowhere in it.
        if name.is_some_and(|name| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_none())
        {
            continue;
        }
        let importer = importer.get_or_insert_with(|| importer_of(project, folder, name));
        match parse(&text, importer, limits) {
            Ok(packages) => lockfiles.push(Lockfile { file, packages }),
            Err(why) => notes.push(format!("{} {why}", file.display())),
        }
    }
    let binary = folder.join(BUN_BINARY);
    if lockfiles.is_empty() && binary.is_file() && !folder.join("bun.lock").is_file() {
        notes.push(format!(
            "{} is in Bun's binary format, which is not read; `bun install --save-text-lockfile` \
             writes it as text",
            binary.display()
        ));
    }
    lockfiles
}

fn importer_of(project: &Project, folder: &Path, wanted: Option<&str>) -> Importer {
    let manifest = project.manifest.as_ref();
    let ranges = manifest.map(|manifest| manifest.dependencies()).unwrap_or_default();
    let owned = |(name, range): (&str, &str)| (name.to_owned(), range.to_owned());
    Importer {
        wanted: wanted.map(str::to_owned),
        folder: project.importer(folder),
        name: manifest.and_then(|manifest| manifest.name()).map(str::to_owned),
        ranges: ranges.into_iter().map(owned).collect(),
    }
}

/// A text with only those lines that are to be kept. The others become empty, so that a message can
/// still give the line of the file. Parsing YAML is slow, and most of a large lockfile is of no use.
fn only_lines<'a>(text: &'a str, mut keep: impl FnMut(&'a str) -> bool) -> String {
    let mut kept = String::with_capacity(text.len() / 4);
    for line in text.lines() {
        if keep(line) {
            kept.push_str(line);
        }
        kept.push('\n');
    }
    kept
}

/// How far a line is indented.
fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// `name@rest` at the `@` that ends the name, which may itself start with one.
fn split_at_version(text: &str) -> Option<(&str, &str)> {
    let skipped = usize::from(text.starts_with('@'));
    let at = text.get(skipped..)?.find('@')? + skipped;
    Some((&text[..at], &text[at + 1..]))
}

/// Whether a text starts like a version rather than an address or a path.
fn is_version(text: &str) -> bool {
    super::version::parse(text).is_some()
}

#[cfg(test)]
mod tests;
