//! What the cache holds, whether it is whole, and how it is emptied: for people who ask.
//!
//! Nothing here is needed to answer questions. All of it touches only folders that this crate names,
//! so that a wrong folder given as the cache loses nothing.

use std::path::Path;
use std::time::SystemTime;

use super::write::clear;
use super::{Cache, artifact, entry, evict};
use crate::Error;

/// One kind of entries in one version of its format.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct Stage {
    /// The name of its folder, such as `artifacts-v1`.
    pub name: String,
    /// How many entries it has.
    pub entries: u64,
    /// The bytes of all of them.
    pub bytes: u64,
}

/// What a look at every entry found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Verified {
    /// Entries that are as they were written.
    pub whole: u64,
    /// Entries that were not, and have been removed.
    pub damaged: u64,
    /// Entries of formats that this version does not read.
    pub foreign: u64,
    /// Entries that cannot be read now.
    pub unreadable: u64,
}

impl Cache {
    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it holds, by kind.
    #[must_use]
    pub fn stages(&self) -> Vec<Stage> {
        let mut stages: Vec<Stage> = self
            .stage_folders()
            .iter()
            .map(|folder| {
                let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let files = evict::files(folder).filter(|(_, found)| found.is_file());
                let start = Stage { name, entries: 0, bytes: 0 };
                files.fold(start, |stage, (_, found)| Stage {
                    entries: stage.entries + 1,
                    bytes: stage.bytes.saturating_add(found.len()),
                    ..stage
                })
            })
            .collect();
        stages.sort();
        stages
    }

    /// Reads every entry; what is damaged is removed. `seen` is told of each file.
    pub fn verify(&self, mut seen: impl FnMut(&Path)) -> Verified {
        let mut verified = Verified::default();
        let current = super::Bucket::ALL.map(super::Bucket::folder);
        for folder in self.stage_folders() {
            let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let artifacts = name == artifact::FOLDER;
            let known = artifacts || current.contains(&name);
            for (path, _) in evict::files(&folder) {
                seen(&path);
                let count = match () {
                    () if !known => &mut verified.foreign,
                    () => match look(&path, artifacts) {
                        Look::Whole => &mut verified.whole,
                        Look::Unreadable => &mut verified.unreadable,
                        Look::Damaged => {
                            clear(self.disk.as_ref(), &path);
                            &mut verified.damaged
                        }
                    },
                };
                *count += 1;
            }
        }
        verified
    }

    /// Removes every entry, those of other versions of Docent included, and nothing else; other
    /// processes that use it go on. Gives how many entries went, and their bytes.
    ///
    /// # Errors
    /// If something cannot be removed; the rest is.
    pub fn clear(&self) -> Result<(u64, u64), Error> {
        let (mut entries, mut bytes) = (0u64, 0u64);
        let mut failed = None;
        // What somebody is writing right now is not an entry yet.
        self.clear_abandoned(SystemTime::now());
        for folder in self.stage_folders() {
            for (path, found) in evict::files(&folder) {
                match remove(&path, found.is_dir()) {
                    Ok(()) => {
                        entries += 1;
                        bytes = bytes.saturating_add(found.len());
                    }
                    // Somebody else was faster.
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => failed = failed.or(Some((path, error))),
                }
            }
            // Only if it is empty: somebody may have written meanwhile.
            let _ = std::fs::remove_dir(&folder);
        }
        match failed {
            None => Ok((entries, bytes)),
            Some((path, error)) => {
                Err(Error::io(format!("`{}` cannot be removed", path.display()), &error))
            }
        }
    }
}

enum Look {
    Whole,
    Damaged,
    Unreadable,
}

fn look(path: &Path, is_artifact: bool) -> Look {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if is_artifact {
        return match artifact::digest_of(path) {
            Some(digest) if digest == name => Look::Whole,
            Some(_) => Look::Damaged,
            None => Look::Unreadable,
        };
    }
    let Some(name) = entry::unhex(name) else { return Look::Damaged };
    match entry::read(path, &name) {
        entry::Read::Whole(..) => Look::Whole,
        entry::Read::Damaged => Look::Damaged,
        entry::Read::Absent => Look::Unreadable,
    }
}

fn remove(path: &Path, is_folder: bool) -> std::io::Result<()> {
    if is_folder { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;
    use crate::cache::Bucket;

    #[test]
    fn what_is_damaged_is_found_and_what_is_foreign_stays() {
        let folder = Folder::new();
        let cache = Cache::open(folder.path(), &Limits::default()).expect("a cache");
        cache.write(Bucket::Tools, "a", b"one").expect("an entry");
        cache.write(Bucket::Tools, "b", b"two").expect("an entry");
        let artifact = cache.write_artifact(b"bytes").expect("an artifact");
        let old = folder.write("metadata-v0/x", "another format");
        let own = folder.write("notes/mine.txt", "not Docent's");
        assert_eq!(cache.stages().iter().map(|stage| stage.entries).sum::<u64>(), 4);

        let damaged = cache.locate(Bucket::Tools, "a").1;
        std::fs::write(damaged, "something else").expect("a file");
        folder.write(&format!("artifacts-v1/{artifact}"), "other bytes");
        let mut seen = 0;
        let verified = cache.verify(|_| seen += 1);
        let expected = Verified { whole: 1, damaged: 2, foreign: 1, unreadable: 0 };
        assert_eq!((verified, seen), (expected, 4));
        assert_eq!(cache.read(Bucket::Tools, "b").as_deref(), Some(&b"two"[..]));

        assert_eq!(cache.clear().expect("cleared").0, 2);
        assert!(!old.exists() && own.exists());
        assert_eq!(cache.read(Bucket::Tools, "b"), None);
        cache.write(Bucket::Tools, "b", b"again").expect("an entry");
    }
}
