//! A folder that exists as long as a test needs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// An empty folder of its own among the machine's temporary ones, removed on drop.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A new, empty folder.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it makes something on disk")]
    pub fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("docent-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // One that a process of the same number left behind.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a temporary folder");
        // Without links on the way, so that paths can be compared with resolved ones.
        Self { path: path.canonicalize().expect("a temporary folder") }
    }

    /// Writes a file and the folders it is in.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.path.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&self.path)).expect("a folder for a file");
        fs::write(&file, text).expect("a file that can be written");
        file
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}
