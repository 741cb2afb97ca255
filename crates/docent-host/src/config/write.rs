//! Writing a file so that it is there as a whole, or as it was before.

use std::io::{self, Write as _};
use std::path::Path;

/// Replaces a file, or makes it with its folders. Others may read neither half nor secrets: the
/// text goes into a new file that only the user can read, which then takes the place of the old.
pub(crate) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder)?;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let written = fill(&new, text).and_then(|()| {
        // What someone else may read stays so.
        if let Ok(old) = std::fs::metadata(path) {
            std::fs::set_permissions(&new, old.permissions())?;
        }
        std::fs::rename(&new, path)
    });
    if written.is_err() {
        // The first error is the one to tell.
        let _ = std::fs::remove_file(&new);
    }
    written
}

fn fill(path: &Path, text: &str) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
