//! A folder of its own for one test, gone when the test is over.
//!
//! Tests write a small project into it and point the code at it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A temporary folder that is removed when it is dropped.
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
    #[expect(clippy::new_without_default, reason = "it makes a folder, which no default should")]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("docent-test-{}-{number}", std::process::id());
        let base = std::env::temp_dir();
        // The real path, so that a test can compare it with what code under test has resolved.
        let path = base.canonicalize().unwrap_or(base).join(name);
        // A process with the same number may have been killed before it could clean up.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self { path }
    }

    /// Writes a file, with the folders it is in, and returns its path.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.path.join(path);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent).expect("the folder of a test file");
        }
        std::fs::write(&file, text).expect("a test file");
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
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
