//! Replaces a file in one step, and says what went wrong as a command does.

use std::io;
use std::path::Path;

use docent_host::config::{write_whole, write_whole_like};

use crate::failure::Failure;

/// The text of a file; `None` if it is not there.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read(path) {
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
    write_whole(path, text).map_err(|error| Failure::file("written", path, &error))
}

/// As [`write()`], with the permissions of another file.
pub(crate) fn write_like(path: &Path, text: &str, like: &Path) -> Result<(), Failure> {
    write_whole_like(path, text, like).map_err(|error| Failure::file("written", path, &error))
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;

    #[test]
    fn a_file_where_a_folder_should_be_is_explained() {
        let folder = Folder::new();
        folder.write("file", "x");
        let failure = write(&folder.path().join("file/inside.json"), "{}").expect_err("no folder");
        assert!(failure.to_string().contains("cannot be written"), "{failure}");
    }
}
