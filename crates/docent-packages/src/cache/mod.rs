//! What has been fetched and read before, on disk, shared by all processes of a user.
//!
//! Fed by `fetch` and the engine, which ask it before they do work again. Every byte is checked on
//! the way out: what is damaged is removed and counts as absent, so that a crash, a full disk or a
//! stray program costs a little work and never a wrong answer.
//!
//! ```
//! use docent_packages::Limits;
//! use docent_packages::cache::{Bucket, Cache};
//!
//! # let folder = std::env::temp_dir().join(format!("docent-doc-{}", std::process::id()));
//! let cache = Cache::open(&folder, &Limits::default())?;
//! cache.write(Bucket::Extractions, "npm:left@1.0.0", b"what was found")?;
//! assert_eq!(cache.read(Bucket::Extractions, "npm:left@1.0.0").as_deref(), Some(&b"what was found"[..]));
//! # std::fs::remove_dir_all(&folder).ok();
//! # Ok::<(), docent_packages::Error>(())
//! ```

mod artifact;
mod disk;
pub(crate) mod entry;
mod evict;
mod inventory;
mod place;
#[cfg(test)]
mod tests;
mod write;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub use disk::{Disk, LocalDisk};
pub use inventory::{Stage, Verified};
pub(crate) use write::Temporary;

use crate::{Error, ErrorKind, Limits};

/// An entry's time of use is noted at most this often.
const TOUCH_AFTER: Duration = Duration::from_secs(60 * 60);

/// Tells backup programs that what is here can be made again.
const TAG: &str = "CACHEDIR.TAG";
const TAG_TEXT: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # This folder is a cache of Docent. It can be removed at any time.\n";

/// The kinds of entries; each has a folder of its own, whose name carries the version of its format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Bucket {
    /// Answers of registries, with what is needed to ask again.
    Metadata,
    /// Which artifact has a digest that is not a SHA-256, or came from an address.
    Digests,
    /// Extractions, by the digest of what was read.
    Extractions,
    /// What completed a package, by the digest of what was read without it.
    Companions,
    /// The names in an extraction, for who looks through many of them at once.
    Names,
    /// Which versions of a package have been extracted, and under which key.
    Versions,
    /// What the ecosystems' own tools have said.
    Tools,
}

impl Bucket {
    const ALL: [Self; 7] = [
        Self::Metadata,
        Self::Digests,
        Self::Extractions,
        Self::Companions,
        Self::Names,
        Self::Versions,
        Self::Tools,
    ];

    fn folder(self) -> &'static str {
        match self {
            Self::Metadata => "metadata-v1",
            Self::Digests => "digests-v1",
            Self::Extractions => "extractions-v2",
            Self::Companions => "companions-v1",
            Self::Names => "names-v2",
            Self::Versions => "versions-v3",
            Self::Tools => "tools-v1",
        }
    }
}

/// The cache folder.
pub struct Cache {
    folder: PathBuf,
    bytes_max: u64,
    artifact_bytes_max: u64,
    disk: Arc<dyn Disk>,
    growth: evict::Growth,
    checked: artifact::Checked,
}

impl Cache {
    /// Opens the folder, and makes it if it is not there.
    ///
    /// # Errors
    /// If there is no such folder and it cannot be made. One that cannot be written is opened, for
    /// what is in it.
    pub fn open(folder: &Path, limits: &Limits) -> Result<Self, Error> {
        Self::open_on(Arc::new(LocalDisk), folder, limits)
    }

    /// Opens the folder on a disk of one's own making: for tests of what happens when it fails.
    ///
    /// # Errors
    /// As [`Cache::open`].
    pub fn open_on(disk: Arc<dyn Disk>, folder: &Path, limits: &Limits) -> Result<Self, Error> {
        let made = write::make_folder(folder);
        if let Err(error) = made
            && !folder.is_dir()
        {
            let doing = format!("the cache folder `{}` cannot be made", folder.display());
            let hint = "put the cache into another folder, with `--cache` or `DOCENT_CACHE`";
            return Err(Error::io(doing, &error).hint(hint));
        }
        let tag = folder.join(TAG);
        if !tag.exists() {
            // For others, not for us: a cache without its tag works.
            let _ = std::fs::write(tag, TAG_TEXT);
        }
        Ok(Self {
            folder: folder.to_owned(),
            bytes_max: limits.cache_bytes_max,
            artifact_bytes_max: limits.download_bytes_max,
            disk,
            growth: evict::Growth::default(),
            checked: artifact::Checked::default(),
        })
    }

    /// An entry whose bytes are those that were written; a damaged one is removed and not there.
    #[must_use]
    pub fn read(&self, bucket: Bucket, key: &str) -> Option<Vec<u8>> {
        let (name, path) = self.locate(bucket, key);
        match entry::read(&path, &name) {
            entry::Read::Whole(payload, file) => {
                let modified = file.metadata().and_then(|found| found.modified());
                touch(&file, modified.unwrap_or(SystemTime::UNIX_EPOCH), TOUCH_AFTER);
                Some(payload)
            }
            entry::Read::Absent => None,
            entry::Read::Damaged => {
                write::clear(self.disk.as_ref(), &path);
                None
            }
        }
    }

    /// Writes an entry: all of it or nothing, whatever happens meanwhile.
    ///
    /// # Errors
    /// If the disk is full, the folder cannot be written, or the entry is too large. What was there
    /// before is still there then.
    pub fn write(&self, bucket: Bucket, key: &str, bytes: &[u8]) -> Result<(), Error> {
        if bytes.len() as u64 > entry::PAYLOAD_BYTES_MAX {
            let message = format!("{} bytes are too many for one entry of the cache", bytes.len());
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        let (name, path) = self.locate(bucket, key);
        let mut file = self.temporary()?;
        file.write(&entry::header(&name, bytes))?;
        file.write(bytes)?;
        file.keep(&path)?;
        self.grown(bytes.len() as u64);
        Ok(())
    }

    /// Removes an entry, if it is there.
    pub fn remove(&self, bucket: Bucket, key: &str) {
        write::clear(self.disk.as_ref(), &self.locate(bucket, key).1);
    }

    /// The bytes of the file of an entry, if it is there.
    pub(crate) fn bytes(&self, bucket: Bucket, key: &str) -> Option<u64> {
        let found = std::fs::symlink_metadata(self.locate(bucket, key).1).ok()?;
        found.is_file().then_some(found.len())
    }

    /// When an entry of a kind was last put in its place, as far as the system knows.
    pub(crate) fn changed(&self, bucket: Bucket) -> Option<SystemTime> {
        std::fs::metadata(self.folder.join(bucket.folder())).ok()?.modified().ok()
    }

    /// The payloads of all entries of a kind.
    pub(crate) fn read_all(&self, bucket: Bucket) -> Vec<Vec<u8>> {
        let files = evict::files(&self.folder.join(bucket.folder()));
        let names = files.filter_map(|(path, _)| {
            let name = entry::unhex(path.file_name()?.to_str()?)?;
            Some((path, name))
        });
        let payloads = names.filter_map(|(path, name)| match entry::read(&path, &name) {
            entry::Read::Whole(payload, _) => Some(payload),
            entry::Read::Absent | entry::Read::Damaged => None,
        });
        payloads.collect()
    }

    fn locate(&self, bucket: Bucket, key: &str) -> (entry::Name, PathBuf) {
        let name = entry::name(bucket.folder(), key);
        (name, self.folder.join(bucket.folder()).join(entry::hex(&name)))
    }
}

/// Notes that a file was used, if the last note is older than `after`.
fn touch(file: &File, noted: SystemTime, after: Duration) {
    let now = SystemTime::now();
    // A time in the future is wrong, and is set right.
    if now.duration_since(noted).map_or(true, |age| age >= after) {
        let _ = file.set_modified(now);
    }
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cache").field("folder", &self.folder).finish_non_exhaustive()
    }
}
