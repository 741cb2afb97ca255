//! Reads the files of a project within limits: text, JSON, YAML.
//!
//! Everything in this ecosystem that opens a file does it here. A file that is not there is nothing
//! special; one that cannot be read becomes a note for people, which never quotes the file, since it
//! may hold credentials.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Limits;
pub(super) use crate::yaml::documents as yaml;

/// What is wrong with files, for people.
pub(super) type Notes = Vec<String>;

/// The text of a file without a byte order mark; `None` if it is not there, or cannot be read.
pub(super) fn text(file: &Path, limits: &Limits, notes: &mut Notes) -> Option<String> {
    match bounded(file, limits.config_bytes_max) {
        Ok(text) => text,
        Err(why) => {
            notes.push(format!("{} {why}", file.display()));
            None
        }
    }
}

fn bounded(file: &Path, bytes_max: u64) -> Result<Option<String>, String> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
        _ => Err(format!("cannot be read: {error}")),
    };
    match std::fs::metadata(file) {
        // Opening a pipe would wait for whoever writes to it.
        Ok(metadata) if !metadata.is_file() => return Ok(None),
        Ok(metadata) if metadata.len() > bytes_max => return Err(too_large(bytes_max)),
        Ok(_) => {}
        Err(error) => return failed(error),
    }
    let opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) => return failed(error),
    };
    let mut bytes = Vec::new();
    let read = opened.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot be read: {error}"))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > bytes_max) {
        return Err(too_large(bytes_max));
    }
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).map(Some).map_err(|_| "is not UTF-8".to_owned())
}

fn too_large(bytes_max: u64) -> String {
    format!("is larger than {bytes_max} bytes")
}

/// What a JSON text that is an object holds. The parser has a limit on nesting of its own.
pub(super) fn json<T: DeserializeOwned>(text: &str, _: &Limits) -> Result<T, String> {
    // An array would pass for an object without any field.
    if !text.trim_start().starts_with('{') {
        return Err("is not a JSON object".to_owned());
    }
    serde_json::from_str(text)
        .map_err(|error| format!("is not as expected at line {}", error.line().max(1)))
}

/// A string, or nothing where the file has something else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) Option<String>);

impl Text {
    pub(super) fn as_deref(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(Self(match value {
            Value::String(text) => Some(text),
            _ => None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use docent_testkit::folder::Folder;

    use super::*;

    fn read(bytes: &[u8]) -> (Option<String>, Notes) {
        let folder = Folder::new();
        let file = folder.write("file", bytes);
        let limits = Limits { config_bytes_max: 10, ..Limits::default() };
        let mut notes = Notes::new();
        (text(&file, &limits, &mut notes), notes)
    }

    #[test]
    fn hostile_files_become_notes() {
        assert_eq!(read(b"text"), (Some("text".to_owned()), Vec::new()));
        assert_eq!(read(b"\xEF\xBB\xBFtext").0.as_deref(), Some("text"));
        assert!(read(b"12345678901").1[0].ends_with("is larger than 10 bytes"));
        assert!(read(b"\xFF\xFE").1[0].ends_with("is not UTF-8"));
        let folder = Folder::new();
        let mut notes = Notes::new();
        let limits = Limits::default();
        assert_eq!(text(&folder.path().join("none"), &limits, &mut notes), None);
        assert_eq!(text(folder.path(), &limits, &mut notes), None);
        assert_eq!(notes, Notes::new());
        #[cfg(unix)]
        {
            let looping = folder.path().join("loop");
            std::os::unix::fs::symlink(&looping, &looping).expect("a link to itself");
            assert_eq!(text(&looping, &limits, &mut notes), None);
            assert_eq!(notes.len(), 1);
        }
    }

    #[test]
    fn json_and_yaml_are_bounded() {
        let limits = Limits::default();
        let deep = "[".repeat(100_000);
        assert!(json::<Value>(&deep, &limits).is_err());
        assert!(yaml::<Value>(&deep, &limits).is_err());
        let deep = "- ".repeat(100_000);
        assert!(yaml::<Value>(&deep, &limits).is_err());
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let alias = format!("*a{}, ", level - 1).repeat(9);
            bomb.push_str(&format!("a{level}: &a{level} [{alias}]\n"));
        }
        assert!(yaml::<Value>(&bomb, &limits).is_err());
        let secret = yaml::<BTreeMap<String, String>>("a: [s3cret", &limits).expect_err("open");
        assert!(!secret.contains("s3cret"), "{secret}");
    }

    #[test]
    fn a_large_lockfile_passes() {
        let entry = |number: usize| {
            format!(
                "  package-{number}@1.{number}.0(peer@1.0.0):\n    resolution: {{integrity: x}}\n"
            )
        };
        let text = format!("packages:\n{}", (0..20_000).map(entry).collect::<String>());
        let parsed = yaml::<Value>(&text, &Limits::default()).expect("a lockfile");
        assert_eq!(parsed[0]["packages"].as_object().map(serde_json::Map::len), Some(20_000));
    }
}
