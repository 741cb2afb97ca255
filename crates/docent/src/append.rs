//! Files that grow, line by line, with what passed between clients and servers.

use std::fs::{File, OpenOptions};
use std::path::Path;

use crate::failure::Failure;

/// Opens a file to add to it; makes it if it is not there.
pub(crate) fn open(path: &Path) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    // It tells who did what, and may hold anything, so nobody else reads it.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| Failure::file("written", path, &error))
}
