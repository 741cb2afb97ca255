//! The texts that the checks read: every file git tracks or would track, by path.

use std::collections::BTreeMap;
use std::path::Path;

use crate::process;

/// Path (relative to the root, with `/`) to text. A file that is not UTF-8 has an empty text.
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Files that are not committed yet count too, so that tidy can be run before a commit.
    pub(crate) fn load(root: &Path) -> Result<Tree, String> {
        let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let list = process::output(process::program("git").args(list))?;
        let files = list.split('\0').filter(|path| root.join(path).is_file());
        let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
        Ok(Tree { files: files.map(|path| (path.to_owned(), read(path))).collect() })
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Tree {
        let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        Tree { files: files.iter().map(own).collect() }
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    pub(crate) fn ending(&self, suffix: &str) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(move |(path, _)| path.ends_with(suffix))
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Whether the path is a file, or a folder with a file in it.
    pub(crate) fn exists(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.files.contains_key(path) || self.files.keys().any(|file| file.starts_with(&folder))
    }
}
