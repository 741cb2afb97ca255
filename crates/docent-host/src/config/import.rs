//! Putting a converted entry into a client's file.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::convert::Conversion;
use super::edit::EditError;
use super::entry::{Client, Scope};
use super::find::place_for;
use super::machine::Machine;
use super::write::write_whole;

/// Why an entry could not be put into a file. The file is as it was.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImportError {
    /// The file has a server of that name already.
    Exists,
    /// Its text cannot be changed. The text to paste is [`Conversion::to_file`].
    Text(EditError),
    /// It could not be read or written.
    Io(std::io::Error),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Exists => f.write_str("the file has a server of that name already"),
            ImportError::Text(error) => write!(f, "the file {error}"),
            ImportError::Io(error) => write!(f, "the file cannot be written: {error}"),
        }
    }
}

impl std::error::Error for ImportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ImportError::Exists => None,
            ImportError::Text(error) => Some(error),
            ImportError::Io(error) => Some(error),
        }
    }
}

impl Client {
    /// Where this client's file of the given scope stands, or would stand.
    #[must_use]
    pub fn file(self, machine: &Machine, scope: Scope) -> Option<PathBuf> {
        place_for(machine, self, scope)
    }
}

impl Conversion {
    /// Adds the server to a file of its client, which is made if it is not there.
    ///
    /// # Errors
    /// If the file has such a server, or cannot be changed safely.
    pub fn write_to(&self, path: &Path) -> Result<(), ImportError> {
        let text = match super::file::read_text(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(ImportError::Io(error)),
        };
        if text.trim().is_empty() {
            return write_whole(path, &self.to_file()).map_err(ImportError::Io);
        }
        let there = self.client.entry_in(&text, &self.server).map_err(ImportError::Text)?;
        if there.is_some() {
            return Err(ImportError::Exists);
        }
        let changed = self.put_into(&text).map_err(ImportError::Text)?;
        write_whole(path, &changed).map_err(ImportError::Io)
    }

    /// The text of a file with the entry in it, and with the questions that it refers to. Questions
    /// with the same id are the same question.
    pub(crate) fn put_into(&self, text: &str) -> Result<String, EditError> {
        let text = self.client.with_entry(text, &self.server, &self.entry)?;
        if self.inputs.is_empty() {
            return Ok(text);
        }
        let root = self.client.root_of(&text)?;
        let asked = root.get("inputs").and_then(Value::as_array).cloned().unwrap_or_default();
        let known = |new: &Value| asked.iter().any(|old| old.get("id") == new.get("id"));
        let questions = self.questions();
        let new = questions.as_array().into_iter().flatten().filter(|new| !known(new)).cloned();
        let new: Vec<Value> = new.collect();
        if new.is_empty() {
            return Ok(text);
        }
        self.client.set(&text, &["inputs"], &asked.into_iter().chain(new).collect())
    }
}
