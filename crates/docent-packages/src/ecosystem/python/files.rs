//! Reads the files of a project and an environment: within limits, and with a note on what is wrong.
//!
//! Everything that this ecosystem takes from disk passes through here. A file that is not there is
//! no problem; one that is too large, or not what its name says, is noted and treated as not there.

use std::cell::RefCell;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::Limits;

/// Entries of one folder that are looked at.
const FOLDER_ENTRIES_MAX: usize = 50_000;

/// Reads files and collects problems.
pub(crate) struct Files<'a> {
    pub(crate) limits: &'a Limits,
    problems: RefCell<Vec<String>>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self { limits, problems: RefCell::default() }
    }

    /// Notes what is wrong with a file.
    pub(crate) fn problem(&self, file: &Path, what: impl std::fmt::Display) {
        let note = format!("{}: {what}", file.display());
        let mut problems = self.problems.borrow_mut();
        if !problems.contains(&note) {
            problems.push(note);
        }
    }

    /// The problems met so far.
    pub(crate) fn into_problems(self) -> Vec<String> {
        self.problems.into_inner()
    }

    /// The text of a file, without a byte order mark and with what is not UTF-8 replaced.
    pub(crate) fn text(&self, file: &Path) -> Option<String> {
        let limit = self.limits.config_bytes_max;
        // A pipe or a device would never end.
        if !fs::metadata(file).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        let read = fs::File::open(file)
            .and_then(|opened| opened.take(limit.saturating_add(1)).read_to_end(&mut bytes));
        if let Err(error) = read {
            self.problem(file, format_args!("cannot be read: {error}"));
            return None;
        }
        if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
            self.problem(file, format_args!("larger than {limit} bytes"));
            return None;
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// A file of TOML.
    pub(crate) fn toml(&self, file: &Path) -> Option<toml::Table> {
        let text = self.text(file)?;
        // The message shows the line that is wrong, which may hold a password.
        let parsed = text.parse::<toml::Table>();
        parsed.map_err(|error| self.problem(file, not_valid("TOML", error.message()))).ok()
    }

    /// A file of JSON.
    pub(crate) fn json(&self, file: &Path) -> Option<serde_json::Value> {
        let text = self.text(file)?;
        let parsed = serde_json::from_str(&text);
        parsed
            .map_err(|error| {
                let at = format!("line {}, column {}", error.line(), error.column());
                self.problem(file, not_valid("JSON", &at));
            })
            .ok()
    }

    /// A file of YAML; the first document counts.
    pub(crate) fn yaml<T: serde::de::DeserializeOwned>(&self, file: &Path) -> Option<T> {
        let parsed = crate::yaml::documents(&self.text(file)?, self.limits);
        parsed.map_err(|why| self.problem(file, why)).ok()?.into_iter().next()
    }

    /// What a folder holds, sorted; nothing if it is not there.
    pub(crate) fn entries(&self, folder: &Path) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut all: Vec<PathBuf> =
            entries.take(FOLDER_ENTRIES_MAX).filter_map(|entry| Some(entry.ok()?.path())).collect();
        all.sort();
        all
    }
}

fn not_valid(format: &str, why: &str) -> String {
    format!("not valid {format}: {why}")
}

/// The last part of a path as text; empty if it is none.
pub(crate) fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;

    #[test]
    fn what_is_wrong_is_noted_and_what_is_missing_is_not() {
        let folder = Folder::new();
        let limits = Limits { config_bytes_max: 10, ..Limits::default() };
        let files = Files::new(&limits);
        assert_eq!(files.text(&folder.write("fits", "0123456789")).unwrap(), "0123456789");
        assert_eq!(files.text(&folder.write("large", "0123456789a")), None);
        assert_eq!(files.text(&folder.path().join("missing")), None);
        assert_eq!(files.text(folder.path()), None);
        assert_eq!(files.text(&folder.write("bytes", b"\xEF\xBB\xBFa\xFF")).unwrap(), "a\u{FFFD}");
        assert_eq!(files.toml(&folder.write("a.toml", "pass = x")), None);
        assert_eq!(files.json(&folder.write("a.json", "{\"a\"")), None);
        let problems = files.into_problems();
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(problems[0].ends_with("large: larger than 10 bytes"), "{problems:?}");
        assert!(problems[1].contains("a.toml: not valid TOML"), "{problems:?}");
        assert!(problems[2].contains("a.json: not valid JSON: line 1"), "{problems:?}");
    }
}
