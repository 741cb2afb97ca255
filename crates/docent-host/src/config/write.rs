//! Writing a file so that it is there as a whole, or as it was before.

use std::io::{self, Write as _};
use std::path::Path;

/// Replaces a file, or makes it with its folders. Readers see the old text or the new one, never a
/// part. A link is followed; permissions stay, and a new file is for the user alone.
///
/// # Errors
/// If it cannot be written; it is as it was then.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    write_whole_like(path, text, path)
}

/// As [`write_whole`], with the permissions of another file.
///
/// # Errors
/// If it cannot be written; it is as it was then.
pub fn write_whole_like(path: &Path, text: &str, like: &Path) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder)?;
    }
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let new = target.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let written = fill(&new, text, like).and_then(|()| std::fs::rename(&new, &target));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = std::fs::remove_file(&new);
    }
    written
}

fn fill(path: &Path, text: &str, like: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    // Before the text: what only the user may read is never open to others.
    if let Ok(found) = std::fs::metadata(like) {
        file.set_permissions(found.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;

    #[test]
    #[cfg(unix)]
    fn links_and_permissions_stay() {
        use std::fs::{self, Permissions};
        use std::os::unix::fs::PermissionsExt as _;
        let folder = Folder::new();
        let real = folder.write("dotfiles/settings.json", "{}");
        fs::set_permissions(&real, Permissions::from_mode(0o640)).expect("a mode");
        let link = folder.path().join("settings.json");
        std::os::unix::fs::symlink(&real, &link).expect("a link");
        write_whole(&link, "{ }").expect("written");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&real).expect("read"), "{ }");
        assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path().join("dotfiles")).expect("a folder").count(), 1);
    }
}
