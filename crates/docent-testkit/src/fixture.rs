//! Several small files in one text, with what is expected of them.
//!
//! ```text
//! What this shows, in a line or two.
//! -- package.json --
//! {"name": "x"}
//! -- index.d.ts --
//! export declare function f(): void;
//! -- expected --
//! function f
//! ```
//!
//! A file starts at a line `-- path --` and ends where the next one starts. The part called
//! `expected` comes last; with `DOCENT_BLESS=1` in the environment, [`Fixture::check`] writes what
//! it was given there instead of comparing, for a person to read in the diff.

use std::path::{Path, PathBuf};

/// One text of several files.
pub struct Fixture {
    path: PathBuf,
    text: String,
    /// The lines before the first file.
    pub about: String,
    /// Path and content of each file, without the expectation.
    pub files: Vec<(String, String)>,
    expected: String,
}

impl Fixture {
    /// All fixtures of a folder, by name.
    ///
    /// # Panics
    /// If the folder cannot be read or holds none.
    #[must_use]
    pub fn all(folder: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(folder).expect("a folder of fixtures");
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
        paths.sort();
        assert!(!paths.is_empty(), "no fixtures in {}", folder.display());
        paths.into_iter().map(Self::read).collect()
    }

    fn read(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).expect("a readable fixture");
        let mut about = String::new();
        let mut files: Vec<(String, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            let marker =
                line.trim_end().strip_prefix("-- ").and_then(|line| line.strip_suffix(" --"));
            match (marker, files.last_mut()) {
                (Some(name), _) => files.push((name.to_owned(), String::new())),
                (None, Some(file)) => file.1.push_str(line),
                (None, None) => about.push_str(line),
            }
        }
        let expected = match files.last() {
            Some((name, _)) if name == "expected" => files.pop().expect("just seen").1,
            _ => String::new(),
        };
        Self { path, text, about, files, expected }
    }

    /// The name of its file, without the extension.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Compares with the expectation, or writes it; the difference, if there is one.
    ///
    /// # Panics
    /// If the expectation cannot be written.
    #[must_use]
    pub fn check(&self, actual: &str) -> Option<String> {
        if actual.trim() == self.expected.trim() {
            return None;
        }
        if std::env::var_os("DOCENT_BLESS").is_some() {
            let input = self.text.split("-- expected --").next().unwrap_or_default();
            let text = format!("{}\n-- expected --\n{}\n", input.trim_end(), actual.trim());
            std::fs::write(&self.path, text).expect("the fixture can be written");
            return None;
        }
        let name = self.path.display();
        Some(format!("{name}\n--- expected\n{}\n--- actual\n{actual}\n", self.expected.trim()))
    }
}

/// Checks each fixture of a folder with a function that gives the actual text.
///
/// # Panics
/// With all differences, if there are any.
pub fn check_all(folder: &Path, actual: impl Fn(&Fixture) -> String) {
    let fixtures = Fixture::all(folder);
    let wrong: Vec<String> =
        fixtures.iter().filter_map(|fixture| fixture.check(&actual(fixture))).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} fixtures differ\n{}",
        wrong.len(),
        fixtures.len(),
        wrong.join("\n")
    );
}
