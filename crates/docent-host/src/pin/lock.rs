//! The lock file: read, kept, written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::hash::{Pin, name};
use crate::config::{Machine, write_whole};

/// Pinned tools by server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    pub(super) servers: BTreeMap<String, BTreeMap<String, Pin>>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    servers: BTreeMap<String, BTreeMap<String, Pin>>,
}

const VERSION: u32 = 1;

/// Why a lock file cannot be used. Nothing counts as approved then.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockError {
    /// It cannot be read or written.
    Io(io::Error),
    /// It is no lock file.
    Malformed(String),
    /// A newer program wrote it.
    Version(u32),
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockError::Io(error) => write!(f, "the lock file cannot be read or written: {error}"),
            LockError::Malformed(why) => write!(f, "the lock file is damaged: {why}"),
            LockError::Version(version) => write!(
                f,
                "the lock file is of version {version}, and this program knows {VERSION}; update it"
            ),
        }
    }
}

impl std::error::Error for LockError {}

impl Lock {
    /// The name of the file.
    pub const FILE: &str = "mcp.lock";

    /// The lock file that counts here: the nearest, from the working folder up to the root of the
    /// repository.
    #[must_use]
    pub fn find(machine: &Machine) -> Option<PathBuf> {
        let files = machine.project_folders().into_iter().map(|folder| folder.join(Self::FILE));
        files.into_iter().find(|file| file.is_file())
    }

    /// Where one is written if there is none: where all of the project finds it.
    #[must_use]
    pub fn new_file(machine: &Machine) -> PathBuf {
        machine.project_root().join(Self::FILE)
    }

    /// Reads a lock file; none is an empty one.
    ///
    /// # Errors
    /// If it is there and cannot be understood.
    pub fn load(path: &Path) -> Result<Self, LockError> {
        match crate::config::read_text(path) {
            Ok(text) => Lock::parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Lock::default()),
            Err(error) => Err(LockError::Io(error)),
        }
    }

    /// Reads the text of a lock file.
    ///
    /// # Errors
    /// If it cannot be understood.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let malformed = |error: serde_json::Error| LockError::Malformed(error.to_string());
        let value: Value = serde_json::from_str(text).map_err(malformed)?;
        // The version first: the rest may have any form in another one.
        match value.get("version").and_then(Value::as_u64) {
            Some(version) if version == u64::from(VERSION) => {}
            Some(version) => {
                return Err(LockError::Version(u32::try_from(version).unwrap_or(u32::MAX)));
            }
            None => return Err(LockError::Malformed("it has no version".to_owned())),
        }
        let stored: Stored = serde_json::from_value(value).map_err(malformed)?;
        Ok(Lock { servers: stored.servers })
    }

    /// Writes the lock file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), LockError> {
        write_whole(path, &self.to_text()).map_err(LockError::Io)
    }

    /// The text of the file: sorted, so that two runs write the same, and a line for each part, so
    /// that a version control system shows what changed.
    #[must_use]
    pub fn to_text(&self) -> String {
        let stored = Stored { version: VERSION, servers: self.servers.clone() };
        // Maps with text keys always have a form in JSON.
        serde_json::to_string_pretty(&stored).unwrap_or_default() + "\n"
    }

    /// Pins exactly these tools of a server, and forgets others that it had.
    pub fn approve<'a>(&mut self, server: &str, tools: impl IntoIterator<Item = &'a Value>) {
        let tools = tools.into_iter().map(|tool| (name(tool).to_owned(), Pin::of(tool)));
        self.servers.insert(server.to_owned(), tools.collect());
    }

    /// Pins one tool of a server and leaves the others as they are.
    pub fn approve_tool(&mut self, server: &str, tool: &Value) {
        let tools = self.servers.entry(server.to_owned()).or_default();
        tools.insert(name(tool).to_owned(), Pin::of(tool));
    }

    /// Forgets a server; whether it was there.
    pub fn forget(&mut self, server: &str) -> bool {
        self.servers.remove(server).is_some()
    }

    /// Whether a tool is exactly what was approved.
    #[must_use]
    pub fn is_pinned(&self, server: &str, tool: &Value) -> bool {
        let pinned = self.servers.get(server).and_then(|tools| tools.get(name(tool)));
        pinned.is_some_and(|pinned| pinned.hash == Pin::of(tool).hash)
    }

    /// The pinned tools of a server.
    pub fn tools(&self, server: &str) -> impl Iterator<Item = &str> {
        self.servers.get(server).into_iter().flat_map(|tools| tools.keys().map(String::as_str))
    }

    /// The servers that have pinned tools.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }
}
