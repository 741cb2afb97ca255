//! How a file gets into the cache: written under a passing name, synced, then renamed.
//!
//! A reader therefore sees all of a file or nothing of it, whichever moment a process is killed at
//! and whichever step fails. What a dead process leaves under a passing name, [`super::evict`] clears.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::disk::Disk;
use crate::Error;

/// The folder of files that are still being written.
pub(super) const TEMPORARY: &str = "temporary";

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A file that is being written; dropped before it was kept, it is removed.
pub(crate) struct Temporary {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: File,
    kept: bool,
}

impl Temporary {
    pub(super) fn new(disk: Arc<dyn Disk>, cache: &Path) -> Result<Self, Error> {
        let folder = cache.join(TEMPORARY);
        let path = folder.join(passing_name());
        let opened = create(&path).or_else(|error| {
            // Somebody may have cleared the whole cache while this process was running.
            if error.kind() != io::ErrorKind::NotFound {
                return Err(error);
            }
            make_folder(&folder)?;
            create(&path)
        });
        let file = opened.map_err(|error| failed("a file in the cache cannot be made", &error))?;
        Ok(Self { disk, path, file, kept: false })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = self.disk.write(&mut self.file, bytes);
        written.map_err(|error| failed("writing to the cache failed", &error))
    }

    /// Puts the file where readers look, once all of it is on the disk.
    pub(super) fn keep(mut self, to: &Path) -> Result<(), Error> {
        let folder = to.parent().unwrap_or(to);
        let kept = self.disk.sync(&self.file).and_then(|()| {
            self.disk.rename(&self.path, to).or_else(|error| {
                if error.kind() == io::ErrorKind::NotFound {
                    make_folder(folder)?;
                } else if std::fs::symlink_metadata(to).is_ok_and(|there| there.is_dir()) {
                    clear(self.disk.as_ref(), to);
                } else {
                    return Err(error);
                }
                self.disk.rename(&self.path, to)
            })
        });
        kept.map_err(|error| failed("an entry of the cache cannot be put in place", &error))?;
        self.kept = true;
        // The bytes are on the disk. If the new name is lost in a crash, so is only this entry.
        let _ = self.disk.sync_folder(folder);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.kept {
            let _ = self.disk.remove(&self.path);
        }
    }
}

/// Removes whatever is at a place where only a file should be; never follows a link.
pub(super) fn clear(disk: &dyn Disk, path: &Path) {
    let folder = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    if !folder {
        let _ = disk.remove(path);
        return;
    }
    // Out of the way first, since a folder cannot be removed in one step.
    let cache = path.parent().and_then(Path::parent).unwrap_or(path);
    let aside = cache.join(TEMPORARY).join(passing_name());
    if disk.rename(path, &aside).is_ok() {
        let _ = std::fs::remove_dir_all(&aside);
    }
}

/// A folder to work in; it goes when this is dropped.
pub(crate) struct Working(PathBuf);

impl Working {
    pub(super) fn new(cache: &Path) -> Result<Self, Error> {
        let path = cache.join(TEMPORARY).join(passing_name());
        let made = make_folder(&path);
        made.map_err(|error| failed("a folder in the cache cannot be made", &error))?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        // What is left is cleared by whoever looks through the cache next.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A name that no other process and no other thread uses.
fn passing_name() -> String {
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{count}-{}", std::process::id(), now.as_nanos())
}

/// Makes a folder that only its user can look into.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes a file that only its user can read.
fn create(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().write(true).create_new(true)).open(path)
}

pub(super) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

fn failed(what: &str, error: &io::Error) -> Error {
    let failed = Error::io(what, error);
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            failed.hint("free some space, or put the cache into another folder")
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            failed.hint("make the cache folder writable, or put the cache into another one")
        }
        _ => failed,
    }
}
