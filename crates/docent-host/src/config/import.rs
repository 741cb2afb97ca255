//! Putting a converted entry into a client's file.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::convert::Conversion;
use super::dialect::Dialect;
use super::entry::{Client, Scope};
use super::find::place_for;
use super::machine::Machine;
use super::read::{Format, Leniency, read};
use super::write::write_whole;

/// Why an entry could not be put into a file. The file is as it was.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImportError {
    /// The file has a server of that name already.
    Exists,
    /// The file cannot be read, so that nothing should be written into it.
    Unreadable(String),
    /// The file has comments or is in a format that cannot be written without losing what the user
    /// put there. The text to paste is [`Conversion::to_file`].
    ByHand,
    /// It could not be written.
    Io(std::io::Error),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Exists => f.write_str("the file has a server of that name already"),
            ImportError::Unreadable(why) => write!(f, "the file cannot be read: {why}"),
            ImportError::ByHand => {
                f.write_str("the file cannot be changed without losing its comments; edit it")
            }
            ImportError::Io(error) => write!(f, "the file cannot be written: {error}"),
        }
    }
}

impl std::error::Error for ImportError {}

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
        let dialect = Dialect::of(self.client);
        let root = read(&text, dialect.format).map_err(|fault| {
            ImportError::Unreadable(format!("line {}: {}", fault.line, fault.message))
        })?;
        let servers = dialect.roots.iter().find_map(|path| root.at(path));
        if servers.is_some_and(|servers| servers.get(&self.server).is_some()) {
            return Err(ImportError::Exists);
        }
        let changed = match dialect.format {
            Format::Toml => format!("{}\n\n{}", text.trim_end(), self.to_toml()),
            Format::Json(_) => self.merged(&text)?,
            Format::Yaml => return Err(ImportError::ByHand),
        };
        // What cannot be read back must not take the place of what could.
        read(&changed, dialect.format).map_err(|_| ImportError::ByHand)?;
        write_whole(path, &changed).map_err(ImportError::Io)
    }

    /// A file of plain JSON with the entry in it. Order and numbers stay, comments would not.
    fn merged(&self, text: &str) -> Result<String, ImportError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        read(text, Format::Json(Leniency::STRICT)).map_err(|_| ImportError::ByHand)?;
        let mut root: Value = serde_json::from_str(text)
            .map_err(|error| ImportError::Unreadable(error.to_string()))?;
        merge(&mut root, self.tree())?;
        Ok(format!("{root:#}\n"))
    }
}

/// Puts what is new beside what is there.
fn merge(old: &mut Value, new: Value) -> Result<(), ImportError> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in new {
                match old.get_mut(&key) {
                    Some(inner) => merge(inner, value)?,
                    None => {
                        old.insert(key, value);
                    }
                }
            }
            Ok(())
        }
        (Value::Array(old), Value::Array(new)) => {
            // Questions with the same id are the same question.
            let known = |item: &Value| old.iter().any(|other| other.get("id") == item.get("id"));
            let new: Vec<Value> = new.into_iter().filter(|item| !known(item)).collect();
            old.extend(new);
            Ok(())
        }
        (old, new) if *old == new => Ok(()),
        _ => Err(ImportError::ByHand),
    }
}
