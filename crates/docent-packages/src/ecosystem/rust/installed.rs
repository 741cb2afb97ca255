//! Where cargo keeps the files of packages: its own folders, vendored sources, the project itself.
//!
//! `registry/src/INDEX/NAME-VERSION` is an unpacked archive and `registry/cache/INDEX/NAME-VERSION.crate`
//! the archive; `git/checkouts/REPOSITORY-HASH/COMMIT` a repository. Nothing is unpacked or fetched.

use std::path::{Path, PathBuf};

use ring::digest::{SHA256, digest};

use super::config::{self, Config, Source};
use super::lockfile::Locked;
use super::manifest::Manifest;
use super::read::{self, Notes};
use super::{name, version};
use crate::ecosystem::{Context, Installed};
use crate::tree::{ArchiveFormat, Place};

/// Folders that are looked through for one package of a repository.
const FOLDERS_MAX: usize = 2_000;

/// The places that are looked at, for one question.
pub(super) struct Shelves<'a> {
    context: &'a Context<'a>,
    /// Cargo's own folder.
    home: Option<PathBuf>,
    config: &'a Config,
}

impl<'a> Shelves<'a> {
    pub(super) fn new(context: &'a Context<'a>, config: &'a Config) -> Self {
        Self { context, home: config::home(context.environment), config }
    }

    /// The files of a locked package, if they are on this machine.
    pub(super) fn locked(
        &self,
        locked: &Locked,
        manifest: Option<&Manifest>,
        notes: &mut Notes,
    ) -> Option<Installed> {
        let Some(source) = &locked.source else {
            return manifest.and_then(|manifest| self.member(&locked.name, manifest, notes));
        };
        if let Some(repository) = source.strip_prefix("git+") {
            return self.checkout(repository, locked, notes);
        }
        if let Ok(Source::Folder(folder)) = self.config.source(Some(source)) {
            return self.vendored(&folder, locked, notes);
        }
        if let Ok(Source::LocalRegistry(folder)) = self.config.source(Some(source)) {
            let file = folder.join(format!("{}-{}.crate", locked.name, locked.version));
            return self.archive(&file, locked, notes);
        }
        let hosts = self.hosts(source);
        let fits = |index: &Path| {
            let index = index.file_name().unwrap_or_default().to_string_lossy().into_owned();
            hosts.iter().any(|host| index.rsplit_once('-').is_some_and(|(own, _)| own == host))
        };
        let stem = format!("{}-{}", locked.name, locked.version);
        for index in self.indexes("src").into_iter().filter(|index| fits(index)) {
            if let Some(found) = unpacked(&index.join(&stem), &locked.name, &locked.version) {
                return Some(found);
            }
        }
        let archives = self.indexes("cache").into_iter().filter(|index| fits(index));
        let mut archives = archives.map(|index| index.join(format!("{stem}.crate")));
        archives.find_map(|file| self.archive(&file, locked, notes))
    }

    /// The hosts that cargo names its folders for a registry after.
    fn hosts(&self, source: &str) -> Vec<String> {
        let address = source.strip_prefix("registry+").unwrap_or(source);
        let mut addresses = vec![address.to_owned()];
        if config::is_default(source) {
            addresses.push(tame_index::CRATES_IO_HTTP_INDEX.to_owned());
            addresses.push(tame_index::CRATES_IO_INDEX.to_owned());
        }
        if let Ok(Source::Sparse { index, .. }) = self.config.source(Some(source)) {
            addresses.push(index.to_string());
        }
        let hosts = addresses.iter().filter_map(|address| {
            let address = address.strip_prefix("sparse+").unwrap_or(address);
            Some(url::Url::parse(address).ok()?.host_str()?.to_owned())
        });
        hosts.collect()
    }

    /// The folders of registries: of their sources, or of their archives.
    fn indexes(&self, kind: &str) -> Vec<PathBuf> {
        let Some(home) = &self.home else { return Vec::new() };
        folders(&home.join("registry").join(kind))
    }

    /// An archive, if it is the one that was locked.
    fn archive(&self, file: &Path, locked: &Locked, notes: &mut Notes) -> Option<Installed> {
        let bytes = read::bytes(file, self.context.limits.download_bytes_max, notes)?;
        if let Some(checksum) = &locked.checksum {
            let found = crate::fetch::hex(digest(&SHA256, &bytes).as_ref());
            if !found.eq_ignore_ascii_case(checksum) {
                notes.push(format!("{} is not the archive that was locked", file.display()));
                return None;
            }
        }
        let place =
            Place::Archive { file: file.to_owned(), format: ArchiveFormat::TarGz, prefix: None };
        Some(Installed {
            name: locked.name.clone(),
            version: locked.version.clone(),
            place,
            shown: file.to_owned(),
            bundled: false,
        })
    }

    /// A package among vendored sources: in a folder of its name, with or without its version.
    fn vendored(&self, folder: &Path, locked: &Locked, notes: &mut Notes) -> Option<Installed> {
        let versioned = folder.join(format!("{}-{}", locked.name, locked.version));
        [versioned, folder.join(&locked.name)].into_iter().find_map(|folder| {
            let manifest = Manifest::read(&folder, self.context.limits, notes)?;
            let fits = manifest.version() == Some(&locked.version);
            fits.then(|| unpacked(&folder, &locked.name, &locked.version)).flatten()
        })
    }

    /// A package of a repository at a commit.
    fn checkout(&self, source: &str, locked: &Locked, notes: &mut Notes) -> Option<Installed> {
        let (repository, commit) = source.split_once('#')?;
        let repository = repository.split('?').next()?.trim_end_matches('/');
        let last = repository.rsplit('/').next()?.trim_end_matches(".git");
        let checkouts = folders(&self.home.as_ref()?.join("git/checkouts"));
        let of_repository = checkouts.into_iter().filter(|folder| {
            let own = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            own.rsplit_once('-').is_some_and(|(own, _)| own == last)
        });
        let commits = of_repository.flat_map(|folder| folders(&folder)).filter(|folder| {
            let short = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            short.len() >= 7 && commit.starts_with(&short)
        });
        commits
            .into_iter()
            .find_map(|root| self.inside(&root, &locked.name, &locked.version, notes))
    }

    /// The package of a name inside a repository.
    fn inside(
        &self,
        root: &Path,
        package: &str,
        version: &str,
        notes: &mut Notes,
    ) -> Option<Installed> {
        const DEPTH_MAX: usize = 4;
        let mut open = vec![(root.to_owned(), 0)];
        let mut seen = 0;
        while let Some((folder, depth)) = open.pop() {
            seen += 1;
            if seen > FOLDERS_MAX {
                break;
            }
            let manifest = Manifest::read(&folder, self.context.limits, notes);
            if manifest.is_some_and(|manifest| manifest.name() == Some(package)) {
                return unpacked(&folder, package, version);
            }
            if depth < DEPTH_MAX {
                let inner = folders(&folder).into_iter().filter(|inner| {
                    let name = inner.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    !name.starts_with('.') && !matches!(name.as_str(), "target" | "src" | "tests")
                });
                open.extend(inner.map(|inner| (inner, depth + 1)));
            }
        }
        None
    }

    /// A package of the project itself: a member of its workspace, or one that is named by its path.
    pub(super) fn member(
        &self,
        package: &str,
        manifest: &Manifest,
        notes: &mut Notes,
    ) -> Option<Installed> {
        let named = manifest.dependencies().into_iter().filter_map(|asked| asked.path);
        let mut folders = manifest.members();
        folders.extend(named);
        folders.into_iter().find_map(|folder| {
            let limits = self.context.limits;
            let own = Manifest::find(&folder, limits, notes)?;
            let is_here = own.file.parent() == Some(folder.as_path());
            let found = own.name().filter(|own| is_here && name::same(own, package))?;
            unpacked(&folder, found, own.version().unwrap_or("0.0.0"))
        })
    }

    /// Every version of a package that cargo has unpacked or keeps as an archive, newest first.
    pub(super) fn all(&self, package: &str) -> Vec<Installed> {
        let mut found: Vec<Installed> = Vec::new();
        for index in self.indexes("src") {
            for folder in folders(&index) {
                let Some((own, number)) = split(&folder, "") else { continue };
                if name::same(&own, package) {
                    found.extend(unpacked(&folder, &own, &number));
                }
            }
        }
        for index in self.indexes("cache") {
            for entry in std::fs::read_dir(&index).into_iter().flatten().flatten() {
                let Some((own, number)) = split(&entry.path(), ".crate") else { continue };
                let is_new = !found.iter().any(|known| known.version == number);
                if name::same(&own, package) && is_new {
                    let locked = Locked {
                        name: own,
                        version: number,
                        source: None,
                        checksum: None,
                        dependencies: Vec::new(),
                    };
                    found.extend(self.archive(&entry.path(), &locked, &mut Notes::new()));
                }
            }
        }
        found.sort_by(|a, b| version::order(&b.version, &a.version));
        found
    }
}

/// A folder with a package, if there is one.
fn unpacked(folder: &Path, name: &str, version: &str) -> Option<Installed> {
    let is_there = folder.join("Cargo.toml").is_file();
    let root = is_there.then(|| folder.canonicalize().ok()).flatten()?;
    Some(Installed {
        name: name.to_owned(),
        version: version.to_owned(),
        place: Place::Folder { root, files: None },
        shown: folder.to_owned(),
        bundled: false,
    })
}

/// The name and the version in `name-version`; a version begins with a digit.
fn split(path: &Path, ending: &str) -> Option<(String, String)> {
    let stem = path.file_name()?.to_str()?.strip_suffix(ending)?;
    let at = stem
        .match_indices('-')
        .map(|(at, _)| at)
        .find(|&at| version::parse(&stem[at + 1..]).is_some())?;
    Some((stem[..at].to_owned(), stem[at + 1..].to_owned()))
}

/// The folders inside a folder, sorted.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut found: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    found.sort_unstable();
    found
}

/// The folders of what a package in cargo's own folder depends on, beside it.
pub(super) fn reach(folder: &Path, limits: &crate::Limits) -> Vec<PathBuf> {
    const REACH_MAX: usize = 128;
    let Some(shelf) = folder.parent() else { return Vec::new() };
    // Only in cargo's folder does what stands beside a package belong to it.
    let is_shelf = shelf.parent().is_some_and(|it| it.ends_with("registry/src"));
    if !is_shelf {
        return Vec::new();
    }
    let beside: Vec<(String, String, PathBuf)> = folders(shelf)
        .into_iter()
        .filter_map(|folder| split(&folder, "").map(|(name, version)| (name, version, folder)))
        .collect();
    let mut found = vec![folder.to_owned()];
    let mut at = 0;
    while let Some(folder) = found.get(at).cloned() {
        at += 1;
        let Some(manifest) = Manifest::read(&folder, limits, &mut Notes::new()) else { continue };
        for asked in manifest.dependencies() {
            let fits = |number: &str| match &asked.requirement {
                Some(range) => version::satisfies(range, number).unwrap_or(false),
                None => true,
            };
            let fitting =
                beside.iter().filter(|(name, number, _)| *name == asked.package && fits(number));
            for (_, _, folder) in fitting {
                if found.len() > REACH_MAX {
                    break;
                }
                if !found.contains(folder) {
                    found.push(folder.clone());
                }
            }
        }
    }
    found.remove(0);
    found
}
