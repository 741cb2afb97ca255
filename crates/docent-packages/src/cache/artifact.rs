//! Artifacts: whole files under the SHA-256 of their bytes, for others to open by path.
//!
//! They carry no frame, since archives are read where they lie. Instead the digest is checked when
//! a process first uses one, and again whenever the file does not look as it did then.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use ring::digest::{Context, SHA256};

use super::entry::hex;
use super::write::{Temporary, Working, clear};
use super::{Cache, touch};
use crate::Error;

pub(super) const FOLDER: &str = "artifacts-v1";
/// A path that was just handed out must count as young, or eviction could take it.
const TOUCH_AFTER: Duration = Duration::from_secs(30);
/// A file may change twice within one tick of its file system's clock; one that changed this
/// recently is checked again.
const TICK: Duration = Duration::from_secs(2);

/// The artifacts whose digests this process has checked, and how they looked then.
#[derive(Default)]
pub(super) struct Checked(Mutex<HashMap<String, Look>>);

#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    bytes: u64,
    modified: SystemTime,
}

impl Cache {
    /// The artifact with this SHA-256, in hexadecimal; a damaged one is removed and not there.
    #[must_use]
    pub fn artifact(&self, sha256: &str) -> Option<PathBuf> {
        let path = self.artifact_path(sha256)?;
        let found = std::fs::symlink_metadata(&path).ok()?;
        // One that could not have been downloaded is damaged, and may be too long to look through.
        if !found.is_file() || found.len() > self.artifact_bytes_max {
            clear(self.disk.as_ref(), &path);
            return None;
        }
        let look = Look { bytes: found.len(), modified: found.modified().ok()? };
        let mut checked = self.checked.0.lock().unwrap_or_else(PoisonError::into_inner);
        if checked.get(sha256) != Some(&look) {
            checked.remove(sha256);
            drop(checked);
            match digest_of(&path) {
                Some(digest) if digest == sha256 => {}
                Some(_) => {
                    clear(self.disk.as_ref(), &path);
                    return None;
                }
                None => return None,
            }
            checked = self.checked.0.lock().unwrap_or_else(PoisonError::into_inner);
            if look.modified.elapsed().is_ok_and(|age| age >= TICK) {
                checked.insert(sha256.to_owned(), look);
            }
        }
        drop(checked);
        File::open(&path).map(|file| touch(&file, look.modified, TOUCH_AFTER)).ok()?;
        Some(path)
    }

    /// A file to download into, for [`Cache::keep_artifact`].
    pub(crate) fn temporary(&self) -> Result<Temporary, Error> {
        Temporary::new(std::sync::Arc::clone(&self.disk), &self.folder)
    }

    /// A folder for a program to work in.
    pub(crate) fn working_folder(&self) -> Result<Working, Error> {
        Working::new(&self.folder)
    }

    /// Puts a downloaded file into the cache, under the SHA-256 that its writer computed.
    pub(crate) fn keep_artifact(
        &self,
        file: Temporary,
        sha256: &str,
        bytes: u64,
    ) -> Result<PathBuf, Error> {
        let invalid =
            || Error::io("an artifact has no digest", &std::io::ErrorKind::InvalidInput.into());
        let path = self.artifact_path(sha256).ok_or_else(invalid)?;
        file.keep(&path)?;
        self.grown(bytes);
        Ok(path)
    }

    /// Writes an artifact from memory, and gives its SHA-256 in hexadecimal.
    ///
    /// # Errors
    /// If the disk is full or the folder cannot be written; nothing is there then.
    pub fn write_artifact(&self, bytes: &[u8]) -> Result<String, Error> {
        let sha256 = hex(&super::entry::sha256(&[bytes]));
        let mut file = self.temporary()?;
        file.write(bytes)?;
        self.keep_artifact(file, &sha256, bytes.len() as u64)?;
        Ok(sha256)
    }

    fn artifact_path(&self, sha256: &str) -> Option<PathBuf> {
        let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let digest = sha256.len() == 64 && sha256.bytes().all(digit);
        digest.then(|| self.folder.join(FOLDER).join(sha256))
    }
}

pub(super) fn digest_of(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let mut context = Context::new(&SHA256);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some(hex(context.finish().as_ref())),
            read => context.update(&buffer[..read]),
        }
    }
}
