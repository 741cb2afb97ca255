//! The steps of a write that a disk can fail at, so that a test can make each of them fail.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

/// What the cache asks of a disk when it writes. The methods do what their names say; a test
/// overrides those that should fail.
pub trait Disk: Send + Sync {
    /// Writes all of the bytes.
    ///
    /// # Errors
    /// As the file system says; some of the bytes may be written.
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    /// Waits until the file is on the disk.
    ///
    /// # Errors
    /// As the file system says.
    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    /// Gives a file another name, and takes the place of what had it.
    ///
    /// # Errors
    /// As the file system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    /// Waits until the names in a folder are on the disk.
    ///
    /// # Errors
    /// As the file system says.
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // Only Unix can open a folder like a file.
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }

    /// Removes a file.
    ///
    /// # Errors
    /// As the file system says.
    fn remove(&self, file: &Path) -> io::Result<()> {
        std::fs::remove_file(file)
    }
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalDisk;

impl Disk for LocalDisk {}
