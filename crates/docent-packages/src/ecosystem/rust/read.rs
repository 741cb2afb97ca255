//! Reads the files of a project within limits.
//!
//! Everything in this ecosystem that opens a file does it here. What cannot be read becomes a note for
//! people, which never quotes the file, since it may hold credentials.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use toml::Table;

use crate::Limits;

/// What is wrong with files, for people.
pub(super) type Notes = Vec<String>;

/// The bytes of a file; `None` if it is not there, or cannot be read.
pub(super) fn bytes(file: &Path, most: u64, notes: &mut Notes) -> Option<Vec<u8>> {
    match bounded(file, most) {
        Ok(bytes) => bytes,
        Err(why) => {
            notes.push(format!("{} {why}", file.display()));
            None
        }
    }
}

fn bounded(file: &Path, most: u64) -> Result<Option<Vec<u8>>, String> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
        _ => Err(format!("cannot be read: {error}")),
    };
    match std::fs::metadata(file) {
        // Opening a pipe would wait for whoever writes to it.
        Ok(metadata) if !metadata.is_file() => return Ok(None),
        Ok(_) => {}
        Err(error) => return failed(error),
    }
    let opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) => return failed(error),
    };
    let mut bytes = Vec::new();
    let read = opened.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > most {
        return Err(format!("is larger than {most} bytes"));
    }
    Ok(Some(bytes))
}

/// A TOML file. The parser has a limit on nesting of its own.
pub(super) fn toml(file: &Path, limits: &Limits, notes: &mut Notes) -> Option<Table> {
    let bytes = bytes(file, limits.config_bytes_max, notes)?;
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes));
    match toml::from_str(&text) {
        Ok(table) => Some(table),
        Err(_) => {
            notes.push(format!("{} is not TOML", file.display()));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docent_testkit::folder::Folder;

    #[test]
    fn hostile_files_become_notes_that_quote_nothing() {
        let folder = Folder::new();
        let limits = Limits { config_bytes_max: 100, ..Limits::default() };
        let mut notes = Notes::new();
        assert_eq!(toml(&folder.path().join("none"), &limits, &mut notes), None);
        assert_eq!(toml(folder.path(), &limits, &mut notes), None);
        assert_eq!(notes, Notes::new());
        for text in ["token = \"s3cret", &"a = [".repeat(19), &"x".repeat(101)] {
            let file = folder.write("file", text);
            assert_eq!(toml(&file, &limits, &mut notes), None, "{text}");
        }
        assert_eq!(notes.len(), 3);
        assert!(notes.iter().all(|note| !note.contains("s3cret")), "{notes:?}");
    }
}
