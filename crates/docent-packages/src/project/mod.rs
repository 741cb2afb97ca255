//! All packages of a project as one: which they are, and a question to all of them.
//!
//! Fed by lockfiles and by what the cache has of their packages; `names` is what is kept in memory of
//! each, `find` looks through it. Only what is shown is read from the extractions, and only those
//! parts. Nothing is fetched: packages that have not been read are counted.

mod find;
mod names;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::cache::{Bucket, Cache};
use crate::ecosystem::{self, decides_versions};
use crate::engine::{Engine, blocking};
use crate::hashing::HashMap;
use crate::index::Found;
use crate::kept;
use crate::render::{self, Answer, Passage, Receipt};
use crate::{Ecosystem, Error, Extraction, PackageRef, Reason, Style};
use find::Shelf;
use names::Names;

/// How many of a project's packages a question can reach.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Coverage {
    /// Package versions that have been read.
    pub ready: usize,
    /// Package versions that have not, or are no longer in the cache.
    pub unread: Vec<PackageRef>,
}

/// The projects that were asked about last.
#[derive(Default)]
pub(crate) struct Projects {
    known: Mutex<Vec<Arc<Project>>>,
}

/// Projects that are kept in memory.
const PROJECTS_MAX: usize = 2;

/// The packages of some folders, as long as nothing has changed there.
struct Project {
    folders: Vec<PathBuf>,
    seen: Seen,
    packages: Vec<Package>,
    shelves: Vec<Shelf>,
    unread: Vec<PackageRef>,
}

/// What says whether everything is as it was.
#[derive(Clone, PartialEq, Debug)]
struct Seen {
    /// The files that decide versions, with their sizes and times.
    files: Vec<(PathBuf, Ecosystem, u64, Option<SystemTime>)>,
    /// When a package was last read.
    read: Option<SystemTime>,
}

/// A package version of the project.
struct Package {
    reference: PackageRef,
    kept: kept::Version,
    names: Arc<Names>,
}

impl Engine {
    /// Searches all packages that the projects in some folders depend on; in the working folder, if
    /// none is given. Only packages that have been read before are looked through: see
    /// [`Engine::ready_project`].
    ///
    /// # Errors
    /// If a folder is not there.
    pub async fn search_project(
        &self,
        folders: &[PathBuf],
        question: &str,
        style: &Style,
    ) -> Result<Answer, Error> {
        let (engine, folders) = (self.clone(), self.folders(folders)?);
        let (question, style) = (question.to_owned(), style.clone());
        self.settle().await;
        Ok(blocking(move || {
            let project = engine.look(&folders);
            let hits = find::find(&project.shelves, &question, style.fuzzy);
            let (passages, receipts) = engine.passages(&project, &hits);
            let coverage = (project.packages.len(), project.unread.len());
            render::passages(&passages, receipts, coverage, &question, &style)
        })
        .await)
    }

    /// Makes what has been read of the projects' packages ready to be searched together, which the
    /// first search does otherwise, and says how many there are.
    ///
    /// # Errors
    /// If a folder is not there.
    pub async fn ready_project(&self, folders: &[PathBuf]) -> Result<Coverage, Error> {
        let (engine, folders) = (self.clone(), self.folders(folders)?);
        self.settle().await;
        Ok(blocking(move || {
            let project = engine.look(&folders);
            Coverage { ready: project.packages.len(), unread: project.unread.clone() }
        })
        .await)
    }

    fn folders(&self, folders: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
        if folders.is_empty() {
            return Ok(vec![self.folder(None)?]);
        }
        folders.iter().map(|folder| self.folder(Some(folder))).collect()
    }

    /// The project, as it was before if nothing has changed.
    fn look(&self, folders: &[PathBuf]) -> Arc<Project> {
        let seen = Seen { files: deciding(folders), read: self.cache().changed(Bucket::Versions) };
        let known = {
            let known = self.projects().known.lock().unwrap_or_else(PoisonError::into_inner);
            known.iter().find(|project| project.folders == folders).cloned()
        };
        if let Some(known) = known.as_ref().filter(|known| known.seen == seen) {
            return Arc::clone(known);
        }
        let project = Arc::new(self.gather(folders, seen, known.as_deref()));
        let mut known = self.projects().known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|project| project.folders != folders);
        known.truncate(PROJECTS_MAX - 1);
        known.insert(0, Arc::clone(&project));
        project
    }

    fn gather(&self, folders: &[PathBuf], seen: Seen, before: Option<&Project>) -> Project {
        let known = before.into_iter().flat_map(|project| &project.packages);
        let known: HashMap<&str, &Arc<Names>> =
            known.map(|package| (package.kept.key.as_str(), &package.names)).collect();
        let (mut packages, mut unread) = (Vec::new(), Vec::new());
        for reference in self.references(folders, &seen) {
            let kept = version_read(self.cache(), &reference);
            let names = kept.as_ref().and_then(|kept| match known.get(kept.key.as_str()) {
                Some(&names) => Some(Arc::clone(names)),
                None => names_of(self.cache(), &kept.key).map(Arc::new),
            });
            match (kept, names) {
                (Some(kept), Some(names)) => packages.push(Package { reference, kept, names }),
                _ => unread.push(reference),
            }
        }
        let shelf =
            |package: &Package| Shelf::new(&package.reference.name, Arc::clone(&package.names));
        let shelves = packages.iter().map(shelf).collect();
        Project { folders: folders.to_vec(), seen, packages, shelves, unread }
    }

    /// Every package version of the projects, once.
    fn references(&self, folders: &[PathBuf], seen: &Seen) -> Vec<PackageRef> {
        let ecosystems: BTreeSet<Ecosystem> = seen.files.iter().map(|file| file.1).collect();
        let mut all: BTreeSet<(Ecosystem, String, Option<String>)> = BTreeSet::new();
        for folder in folders {
            for &ecosystem in &ecosystems {
                let dependencies = self.dependencies(ecosystem, folder).into_iter();
                all.extend(dependencies.map(|(it, _)| (it.ecosystem, it.name, it.version)));
            }
        }
        let reference = |(ecosystem, name, version)| PackageRef { ecosystem, name, version };
        all.into_iter().map(reference).collect()
    }

    /// What was found, read from where it is stored: no more than its own bytes.
    fn passages(&self, project: &Project, hits: &[find::Hit]) -> (Vec<Passage>, Vec<Receipt>) {
        let (mut passages, mut shown) = (Vec::new(), Vec::new());
        for hit in hits {
            let package = &project.packages[hit.package];
            // What is gone or damaged since is not shown.
            let Some(content) = self.content(package, hit.document) else { continue };
            if !shown.contains(&hit.package) {
                shown.push(hit.package);
            }
            let (ecosystem, of) = (package.reference.ecosystem, package.shown());
            passages.push(Passage { ecosystem, package: of, content, score: hit.score });
        }
        let receipts = shown.into_iter().map(|at| project.packages[at].receipt());
        (passages, receipts.collect())
    }

    fn content(&self, package: &Package, document: usize) -> Option<render::Content> {
        let span = package.names.document(document)?;
        let (start, size) = (u64::from(span.start), span.size as usize);
        let bytes = self.cache().read_part(Bucket::Passages, &package.kept.key, start, size);
        let bytes = bytes.filter(|bytes| span.fits(bytes));
        if bytes.is_none() {
            // They are made again with the names when the project is looked at next.
            self.cache().remove(Bucket::Passages, &package.kept.key);
        }
        match span.found {
            Found::Item(_) => postcard::from_bytes(&bytes?).map(render::Content::Item).ok(),
            Found::Chunk(_) => postcard::from_bytes(&bytes?).map(render::Content::Section).ok(),
        }
    }
}

impl Package {
    fn shown(&self) -> String {
        let PackageRef { ecosystem, name, .. } = &self.reference;
        PackageRef::new(*ecosystem, name, Some(&self.kept.version)).to_string()
    }

    fn receipt(&self) -> Receipt {
        Receipt {
            package: self.shown(),
            version: self.kept.version.clone(),
            reason: Reason::Project,
            origin: self.kept.origin(),
            newest: None,
            others: Vec::new(),
            problems: Vec::new(),
            extent: crate::Extent::default(),
        }
    }
}

/// The files that decide versions, in the folders and above them, up to the repository.
fn deciding(folders: &[PathBuf]) -> Vec<(PathBuf, Ecosystem, u64, Option<SystemTime>)> {
    let mut found = Vec::new();
    for folder in folders.iter().flat_map(|folder| upward(folder)).collect::<BTreeSet<_>>() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(ecosystem) = name.to_str().and_then(decides_versions) else { continue };
            let Ok(metadata) = entry.metadata() else { continue };
            found.push((entry.path(), ecosystem, metadata.len(), metadata.modified().ok()));
        }
    }
    found.sort_unstable();
    found
}

/// A folder and those above it, up to the repository.
fn upward(folder: &Path) -> impl Iterator<Item = &Path> {
    const DEPTH_MAX: usize = 24;
    let mut is_out = false;
    folder.ancestors().take(DEPTH_MAX).take_while(move |folder| {
        let was_out = is_out;
        is_out |= folder.join(".git").exists();
        !was_out
    })
}

/// What was last read of a package in the version that the project has.
fn version_read(cache: &Cache, reference: &PackageRef) -> Option<kept::Version> {
    let of = |name: &str| kept::versions(cache, &format!("{}:{name}", reference.ecosystem));
    let mut versions = of(&reference.name);
    if versions.is_empty() {
        let name = ecosystem::of(reference.ecosystem).asked(reference).ok()?;
        versions = of(&name.package);
    }
    let fits = |known: &kept::Version| {
        reference.version.as_ref().is_none_or(|version| known.version == *version)
    };
    versions.into_iter().rev().find(fits)
}

/// The names in an extraction, which is looked through if nobody has done so before.
fn names_of(cache: &Cache, key: &str) -> Option<Names> {
    let is_whole = cache.bytes(Bucket::Passages, key).is_some();
    let known = cache.read(Bucket::Names, key).filter(|_| is_whole);
    if let Some(names) = known.and_then(|bytes| postcard::from_bytes(&bytes).ok()) {
        return Some(names);
    }
    let bytes = cache.read(Bucket::Extractions, key)?;
    let (names, passages) = Names::of(&postcard::from_bytes::<Extraction>(&bytes).ok()?)?;
    if let Ok(bytes) = postcard::to_stdvec(&names) {
        // Without them the next process does the same again, and nothing is shown.
        let _ = cache.write(Bucket::Passages, key, &passages);
        let _ = cache.write(Bucket::Names, key, &bytes);
    }
    Some(names)
}
