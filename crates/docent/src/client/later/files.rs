//! What is known of a call that waits for an answer: files of one name in a folder that only its
//! owner can look into.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::runtime;
use crate::failure::Failure;

/// How long the result of a call is kept for whoever asked for it.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// What names are made of: nothing that looks like something else.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
const LETTERS_COUNT: usize = 8;

/// The files of one call.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    token: String,
}

/// How it stands with a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Now {
    /// The server works on it.
    Running,
    /// The server asks something.
    Asks(Question),
    /// It is over, with this exit code.
    Done(u8),
}

/// What a server asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Question {
    pub(crate) server: String,
    pub(crate) message: String,
    /// The schema of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) form: Option<Value>,
    /// The page to visit instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
}

impl Files {
    /// Those of a new call.
    pub(super) fn new() -> Result<Self, Failure> {
        let folder = folder()?;
        runtime::make_private(&folder)?;
        forget_old(&folder);
        loop {
            let files = Files { folder: folder.clone(), token: new_token() };
            // Whoever creates it owns the name.
            match files.create("now") {
                Ok(_) => return files.set(&Now::Running).map(|()| files),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot(&folder, &error)),
            }
        }
    }

    /// Those of a call that is there already.
    pub(crate) fn of(token: &str) -> Result<Self, Failure> {
        let is_one = token.len() == LETTERS_COUNT && token.bytes().all(|c| LETTERS.contains(&c));
        let files = Files { folder: folder()?, token: token.to_owned() };
        match is_one && files.path("now").exists() {
            true => Ok(files),
            false => Err(Failure::absent(format!("no call waits as `{}`", token.escape_debug()))
                .hint("`docent answer` lists those that wait; they wait for a while only")),
        }
    }

    /// All that are there, by name.
    pub(crate) fn all() -> Vec<Self> {
        let Ok(folder) = folder() else { return Vec::new() };
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let tokens = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_suffix(".now")?.to_owned())
        });
        let mut tokens: Vec<String> = tokens.collect();
        tokens.sort();
        tokens.into_iter().map(|token| Files { folder: folder.clone(), token }).collect()
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.token))
    }

    /// A new file that only its owner can read.
    pub(super) fn create(&self, ending: &str) -> std::io::Result<std::fs::File> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600).open(self.path(ending))
    }

    /// How it stands.
    pub(crate) fn now(&self) -> Option<Now> {
        serde_json::from_slice(&std::fs::read(self.path("now")).ok()?).ok()
    }

    /// Says how it stands, all at once.
    pub(super) fn set(&self, now: &Now) -> Result<(), Failure> {
        let text = serde_json::to_vec(now).expect("plain data is representable");
        let (next, path) = (self.path("next"), self.path("now"));
        let _ = std::fs::remove_file(&next);
        let written = self.create("next").and_then(|mut file| {
            file.write_all(&text)?;
            std::fs::rename(&next, &path)
        });
        written.map_err(|error| cannot(&path, &error))
    }

    /// What the process that stayed has printed.
    pub(super) fn printed(&self, ending: &str) -> Vec<u8> {
        std::fs::read(self.path(ending)).unwrap_or_default()
    }

    pub(crate) fn remove(&self) {
        for ending in ["now", "next", "out", "err", "socket"] {
            let _ = std::fs::remove_file(self.path(ending));
        }
    }
}

/// Where such calls are.
fn folder() -> Result<PathBuf, Failure> {
    Ok(runtime::folder()?.join("calls"))
}

fn cannot(path: &Path, error: &std::io::Error) -> Failure {
    Failure::file("written", path, error)
}

/// A name that is not in use. It is no secret: the folder is nobody else's.
fn new_token() -> String {
    use std::hash::{BuildHasher as _, Hasher as _, RandomState};
    let number = RandomState::new().build_hasher().finish();
    (0..LETTERS_COUNT).map(|n| char::from(LETTERS[(number >> (5 * n)) as usize % 32])).collect()
}

/// Removes what nobody came for.
fn forget_old(folder: &Path) {
    let now = SystemTime::now();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        let age = changed.ok().and_then(|changed| now.duration_since(changed).ok());
        if age.is_some_and(|age| age > KEPT) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        let token = new_token();
        assert_eq!(token.len(), LETTERS_COUNT);
        assert!(token.bytes().all(|c| LETTERS.contains(&c)), "{token}");
        for wrong in ["", "../../x", "abcdefg", "ABCDEFGH", "abcdefgh1"] {
            assert!(Files::of(wrong).is_err(), "{wrong}");
        }
    }
}
