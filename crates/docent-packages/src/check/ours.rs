//! Whether a Rust project has a function of some name: a trait of its own may give it to any type.
//!
//! Asked only when something would otherwise be a finding.

use std::path::{Path, PathBuf};

/// Files that are looked at; a project with more is taken to have every function.
const FILES_MAX: usize = 6_000;
/// Bytes of one file that is looked at.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Folders below one another.
const DEEP_MAX: usize = 24;

/// Whether the code at hand, or a file of its project, declares a function of that name.
pub(super) fn has_function(project: &Path, code: &str, name: &str) -> bool {
    declares(code, name) || in_folder(&root(project), name)
}

/// The folder of the nearest workspace, or of the nearest package.
fn root(project: &Path) -> PathBuf {
    let manifests = project.ancestors().filter(|folder| folder.join("Cargo.toml").is_file());
    let mut nearest = None;
    for folder in manifests {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        nearest.get_or_insert(folder);
        if manifest.contains("[workspace") {
            return folder.to_owned();
        }
    }
    nearest.unwrap_or(project).to_owned()
}

fn in_folder(folder: &Path, name: &str) -> bool {
    let mut left = FILES_MAX;
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, deep)) = open.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        for entry in entries {
            let Ok(kind) = entry.file_type() else { continue };
            let file = entry.file_name();
            let file = file.to_string_lossy();
            if kind.is_dir() {
                let is_skipped =
                    file.starts_with('.') || file == "target" || file == "node_modules";
                if !is_skipped && deep < DEEP_MAX {
                    open.push((entry.path(), deep + 1));
                }
                continue;
            }
            if !kind.is_file() || !file.ends_with(".rs") {
                continue;
            }
            let Some(rest) = left.checked_sub(1) else { return true };
            left = rest;
            if entry.metadata().is_ok_and(|metadata| metadata.len() <= FILE_BYTES_MAX)
                && std::fs::read_to_string(entry.path()).is_ok_and(|text| declares(&text, name))
            {
                return true;
            }
        }
    }
    false
}

/// Whether a text has `fn name`.
fn declares(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end();
        let before = before.strip_suffix("r#").unwrap_or(before);
        let stands_apart = before.len() < at && before.ends_with("fn");
        stands_apart
            && !before[..before.len() - 2].ends_with(is_word)
            && !text[at + name.len()..].starts_with(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_their_names() {
        for (text, expected) in [
            ("fn more(&self);", true),
            ("pub async fn  more<T>()", true),
            ("fn more_of()", false),
            ("fn no_more()", false),
            ("xfn more()", false),
            ("x.more()", false),
        ] {
            assert_eq!(declares(text, "more"), expected, "{text}");
        }
    }
}
