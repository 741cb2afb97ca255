//! A folder for one test, gone at its end.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("docent-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder for the test");
        Self(folder.canonicalize().expect("the folder just made"))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, and the folders on the way to it.
    pub(crate) fn write(&self, path: &str, bytes: &[u8]) -> PathBuf {
        let file = self.0.join(path);
        std::fs::create_dir_all(file.parent().expect("a file in the folder")).expect("folders");
        std::fs::write(&file, bytes).expect("a file for the test");
        file
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
