//! Files that are read as a whole: ordinary ones, and not more of them than anybody writes.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::limits::CONFIG_BYTES_MAX;

/// The text of a file. A device, a pipe or a folder is none: reading one may never end.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file"));
    }
    let mut text = String::new();
    let read = File::open(path)?.take(CONFIG_BYTES_MAX + 1).read_to_string(&mut text)?;
    match u64::try_from(read).is_ok_and(|read| read <= CONFIG_BYTES_MAX) {
        true => Ok(text),
        false => {
            let message = format!("it is longer than {} MiB", CONFIG_BYTES_MAX >> 20);
            Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ordinary_files_of_reasonable_length_are_read() {
        let folder = docent_testkit::folder::Folder::new();
        let path = folder.path().join("x.json");
        std::fs::write(&path, "{}").unwrap();
        assert_eq!(read_text(&path).unwrap(), "{}");
        // A file with nothing in it takes no room on the disk, however long it is.
        File::create(&path).unwrap().set_len(CONFIG_BYTES_MAX).unwrap();
        assert_eq!(read_text(&path).unwrap().len() as u64, CONFIG_BYTES_MAX);
        File::create(&path).unwrap().set_len(CONFIG_BYTES_MAX + 1).unwrap();
        assert_eq!(read_text(&path).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_text(folder.path()).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        let missing = read_text(&folder.path().join("none")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
