//! Replaces a file in one step: readers see the old text or the new one, never a part.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The text of a file; `None` if it is not there.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(Failure::new(format!("`{}` is not text in UTF-8", path.display()))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::file("read", path, &error)),
    }
}

/// Writes a file through another one beside it. A link is followed, and the permissions stay.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_like(path, text, path)
}

/// As [`write()`], with the permissions of another file.
pub(crate) fn write_like(path: &Path, text: &str, like: &Path) -> Result<(), Failure> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let failed = |error: io::Error| Failure::file("written", path, &error);
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let passing = passing(&target);
    let written = fill(&passing, like, text).and_then(|()| fs::rename(&passing, &target));
    if written.is_err() {
        let _ = fs::remove_file(&passing);
    }
    written.map_err(failed)
}

fn fill(passing: &Path, like: &Path, text: &str) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    let mut file = options.open(passing)?;
    // Before the text: what only the user may read is never open to others.
    if let Ok(found) = fs::metadata(like) {
        file.set_permissions(found.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn passing(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}.docent", std::process::id()))
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;

    #[test]
    #[cfg(unix)]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = Folder::new();
        let real = folder.write("dotfiles/settings.json", "{}");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("a mode");
        let link = folder.path().join("settings.json");
        std::os::unix::fs::symlink(&real, &link).expect("a link");
        write(&link, "{ }").expect("written");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(read(&real).expect("read").as_deref(), Some("{ }"));
        assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path().join("dotfiles")).expect("a folder").count(), 1);
    }

    #[test]
    fn a_file_where_a_folder_should_be_is_explained() {
        let folder = Folder::new();
        folder.write("file", "x");
        let failure = write(&folder.path().join("file/inside.json"), "{}").expect_err("no folder");
        assert!(failure.to_string().contains("cannot be written"), "{failure}");
    }
}
