//! Go's settings: variables of the environment, over those that `go env -w` wrote to a file.
//!
//! Settings of a project do not exist, so that no project can send a credential anywhere.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::Environment;
use crate::ecosystem::python::files::Files;

/// The settings that hold.
pub(super) struct Settings<'a> {
    environment: &'a Environment,
    written: BTreeMap<String, String>,
}

impl<'a> Settings<'a> {
    pub(super) fn read(environment: &'a Environment, files: &Files<'_>) -> Self {
        let text = file(environment).and_then(|file| files.text(&file)).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.trim().split_once('='));
        let written = lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { environment, written }
    }

    /// A setting; an empty one counts as unset.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let written = || self.written.get(name).map(String::as_str);
        self.environment.variable(name).or_else(written).filter(|value| !value.is_empty())
    }

    /// The folders of `GOPATH`, of which the first holds the module cache.
    fn go_path(&self) -> Option<PathBuf> {
        let set = self.get("GOPATH").and_then(|paths| std::env::split_paths(paths).next());
        set.or_else(|| self.environment.home().map(|home| home.join("go")))
    }

    /// The folder that downloaded modules are in.
    pub(super) fn module_cache(&self) -> Option<PathBuf> {
        let set = self.get("GOMODCACHE").map(PathBuf::from);
        let cache = set.or_else(|| self.go_path().map(|path| path.join("pkg/mod")));
        cache.filter(|cache| cache.is_absolute())
    }

    /// Whether a module is private: one that no proxy may hear of.
    pub(super) fn is_private(&self, module: &str) -> bool {
        let patterns = self.get("GONOPROXY").or_else(|| self.get("GOPRIVATE")).unwrap_or_default();
        is_listed(patterns, module)
    }
}

/// The file that `go env -w` writes to.
fn file(environment: &Environment) -> Option<PathBuf> {
    match environment.variable("GOENV") {
        Some("off") => None,
        Some(file) => Some(PathBuf::from(file)),
        None => environment.config_folder().map(|folder| folder.join("go/env")),
    }
}

/// Whether one of some patterns, parted by commas, fits the beginning of a path.
fn is_listed(patterns: &str, path: &str) -> bool {
    if patterns == "none" {
        return false;
    }
    patterns.split(',').map(|pattern| pattern.trim().trim_end_matches('/')).any(|pattern| {
        let depth = pattern.matches('/').count();
        let mut slashes = path.match_indices('/');
        let begin = slashes.nth(depth).map_or(path, |(at, _)| &path[..at]);
        !pattern.is_empty()
            && begin.matches('/').count() == depth
            && pattern.split('/').zip(begin.split('/')).all(|(glob, part)| fits(glob, part))
    })
}

/// Whether a part of a path fits a pattern with `*` and `?`.
fn fits(glob: &str, part: &str) -> bool {
    let (glob, part) = (glob.as_bytes(), part.as_bytes());
    let (mut at, mut seen) = (0, 0);
    // Where the last `*` was, and how much of the text it has taken.
    let mut star: Option<(usize, usize)> = None;
    while seen < part.len() {
        match glob.get(at) {
            Some(b'*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == part[seen] => {
                at += 1;
                seen += 1;
            }
            _ => match star {
                Some((from, taken)) => {
                    star = Some((from, taken + 1));
                    at = from + 1;
                    seen = taken + 1;
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    #[test]
    fn patterns_fit_the_beginning_of_a_path() {
        for (patterns, path, expected) in [
            ("corp.example", "corp.example/a/b", true),
            ("corp.example", "corp.example", true),
            ("corp.example", "corp.examples/a", false),
            ("*.corp.example", "git.corp.example/a", true),
            ("*.corp.example", "corp.example/a", false),
            ("a.example/team-?", "a.example/team-1/x", true),
            ("a.example/team-?", "a.example/team-12/x", false),
            ("a.example/*/x", "a.example/b/x/y", true),
            ("x.example, corp.example/", "corp.example/a", true),
            ("corp.example/a/b", "corp.example/a", false),
            ("", "corp.example", false),
            ("none", "none", false),
            ("*a*b*", "xaxxbx/c", true),
        ] {
            assert_eq!(is_listed(patterns, path), expected, "{patterns} {path}");
        }
    }

    #[test]
    fn variables_win_over_what_was_written() {
        let folder = Folder::new();
        folder.write(".config/go/env", "GOPROXY=https://written.example\nGOPRIVATE=corp.example\n");
        let environment = Environment::isolated(folder.path());
        let limits = Limits::default();
        let files = Files::new(&limits);
        let settings = Settings::read(&environment, &files);
        assert_eq!(settings.get("GOPROXY"), Some("https://written.example"));
        assert_eq!(settings.module_cache(), Some(folder.path().join("go/pkg/mod")));
        assert!(settings.is_private("corp.example/a"));
        let other = environment
            .clone()
            .with("GOPROXY", "off")
            .with("GOPATH", "/p:/q")
            .with("GONOPROXY", "none");
        let settings = Settings::read(&other, &files);
        assert_eq!(settings.get("GOPROXY"), Some("off"));
        assert_eq!(settings.module_cache(), Some(PathBuf::from("/p/pkg/mod")));
        assert!(!settings.is_private("corp.example/a"));
        let off = environment.with("GOENV", "off");
        assert_eq!(Settings::read(&off, &files).get("GOPROXY"), None);
    }
}
