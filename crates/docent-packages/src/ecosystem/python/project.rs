//! The folders of a project: from the one that a question is about up to the project's root.

use std::path::{Path, PathBuf};

/// Files that show that a folder is a Python project.
const MARKERS: &[&str] = &[
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "Pipfile",
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "pylock.toml",
    "Pipfile.lock",
    "conda-lock.yml",
    "pixi.toml",
    "pixi.lock",
    "environment.yml",
];
const DEPTH_MAX: usize = 64;

/// The folder itself and those above it, nearest first, up to the repository's root. Without a
/// repository it ends at the nearest folder that is a project: what lies above it, such as a shared
/// temporary folder, may belong to somebody else.
pub(crate) fn folders(project: &Path) -> Vec<PathBuf> {
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let start = if project.is_file() { project.parent().unwrap_or(&project) } else { &project };
    let all: Vec<&Path> = start.ancestors().take(DEPTH_MAX).collect();
    let is_project = |folder: &Path| MARKERS.iter().any(|marker| folder.join(marker).is_file());
    let repository = all.iter().position(|folder| folder.join(".git").exists());
    let root = repository.or_else(|| all.iter().position(|folder| is_project(folder))).unwrap_or(0);
    all.iter().take(root + 1).map(|folder| folder.to_path_buf()).collect()
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;

    #[test]
    fn upward_to_the_repository_or_the_nearest_project() {
        let folder = Folder::new();
        folder.write("pyproject.toml", "");
        folder.write("packages/one/setup.py", "");
        folder.write("packages/one/src/x/a.py", "");
        let from = folder.path().join("packages/one/src/x");
        let names = |from: &Path| -> Vec<String> {
            let all = folders(from);
            let shown = |path: &PathBuf| {
                path.strip_prefix(folder.path()).ok().map(|p| p.display().to_string())
            };
            all.iter().filter_map(shown).collect()
        };
        assert_eq!(names(&from), ["packages/one/src/x", "packages/one/src", "packages/one"]);
        assert_eq!(names(&from.join("a.py")), names(&from));
        folder.write(".git/HEAD", "");
        assert_eq!(
            names(&from),
            ["packages/one/src/x", "packages/one/src", "packages/one", "packages", ""]
        );
    }
}
