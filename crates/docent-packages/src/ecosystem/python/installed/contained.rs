//! Which files of a folder are read: those that are there, and whose real place is inside it.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::ecosystem::python::files::{Files, file_name};

/// Endings of files that can hold an API or its documentation.
const USEFUL: &[&str] =
    &["py", "pyi", "md", "mdx", "rst", "txt", "toml", "cfg", "typed", "so", "pyd"];
/// Beginnings of the names of files that do, whatever their ending.
const PROSE: &[&str] = &["readme", "change", "history", "news", "metadata", "pkg-info"];
/// Folders that are made from others, or belong to others.
const MADE: &[&str] =
    &["__pycache__", "__pypackages__", "node_modules", "site-packages", "build", "dist"];

/// The listed files that exist inside `root`, sorted.
pub(crate) fn existing(root: &Path, listed: Vec<String>, files: &Files<'_>) -> Vec<String> {
    let Ok(real_root) = root.canonicalize() else { return Vec::new() };
    let limit = usize::try_from(files.limits.entries_max).unwrap_or(usize::MAX);
    let mut inside: HashMap<PathBuf, bool> = HashMap::new();
    let mut found = BTreeSet::new();
    let mut outside = 0usize;
    for path in listed {
        let path = path.replace('\\', "/");
        let plain = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        let absolute = path.starts_with('/') || path.contains(':') || path.contains('\0');
        // Scripts and data files lie outside by design, and compiled files tell nothing.
        if !plain || absolute || path.len() > files.limits.path_bytes_max || path.ends_with(".pyc")
        {
            continue;
        }
        let file = root.join(&path);
        let Ok(metadata) = file.symlink_metadata() else { continue };
        let parent = file.parent().unwrap_or(root);
        let known = inside.get(parent).copied();
        let parent_inside = known.unwrap_or_else(|| is_inside(parent, &real_root));
        inside.insert(parent.to_owned(), parent_inside);
        let linked = metadata.is_symlink();
        if !parent_inside || (linked && !is_inside(&file, &real_root)) {
            outside += 1;
        } else if metadata.is_file() || linked && file.is_file() {
            found.insert(path);
        }
        if found.len() >= limit {
            files.problem(root, format_args!("more than {limit} files; the rest is not read"));
            break;
        }
    }
    if outside > 0 {
        files.problem(root, format_args!("{outside} files are links to outside and are not read"));
    }
    found.into_iter().collect()
}

fn is_inside(path: &Path, real_root: &Path) -> bool {
    path.canonicalize().is_ok_and(|real| real.starts_with(real_root))
}

/// The useful files below a folder of source, without links, environments and other projects.
pub(crate) fn source_files(root: &Path, files: &Files<'_>) -> Vec<String> {
    let limit = usize::try_from(files.limits.entries_max).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    let mut folders = vec![(root.to_owned(), String::new())];
    let mut seen = 0usize;
    while let Some((folder, prefix)) = folders.pop() {
        for entry in files.entries(&folder) {
            seen += 1;
            if seen > limit {
                files.problem(root, format_args!("more than {limit} files; the rest is not read"));
                found.sort();
                return found;
            }
            let name = file_name(&entry);
            let path = format!("{prefix}{name}");
            let Ok(metadata) = entry.symlink_metadata() else { continue };
            if name.is_empty() || name.starts_with('.') || path.len() > files.limits.path_bytes_max
            {
                continue;
            }
            if metadata.is_dir() && !is_foreign(&entry, name) {
                folders.push((entry.clone(), format!("{path}/")));
            } else if metadata.is_file() && is_useful(name) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn is_foreign(folder: &Path, name: &str) -> bool {
    MADE.contains(&name)
        || name.ends_with(".egg-info")
        || ["pyvenv.cfg", "pyproject.toml", "setup.py"]
            .iter()
            .any(|file| folder.join(file).is_file())
}

fn is_useful(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let ending = lower.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| USEFUL.contains(&ending))
        || PROSE.iter().any(|start| lower.starts_with(start))
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    #[test]
    fn only_what_exists_and_stays_inside() {
        let folder = Folder::new();
        folder.write("site/a/__init__.py", "");
        folder.write("site/a/b.pyc", "");
        folder.write("secret/key.py", "");
        let link = std::os::unix::fs::symlink::<PathBuf, PathBuf>;
        let at = |path: &str| folder.path().join(path);
        link(at("secret"), at("site/linked")).unwrap();
        link(at("secret/key.py"), at("site/a/key.py")).unwrap();
        link("__init__.py".into(), at("site/a/same.py")).unwrap();
        let listed = [
            "a/__init__.py",
            "a/b.pyc",
            "a/missing.py",
            "../secret/key.py",
            "/etc/passwd",
            "a/../a/__init__.py",
            "linked/key.py",
            "a/key.py",
            "a/same.py",
            "a",
            "a//x",
            "C:/x",
            "a\0b",
            "a\\__init__.py",
            "",
        ];
        let limits = Limits::default();
        let files = Files::new(&limits);
        let found = existing(&at("site"), listed.map(str::to_owned).to_vec(), &files);
        assert_eq!(found, ["a/__init__.py", "a/same.py"]);
        let problems = files.into_problems();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].contains("2 files are links to outside"), "{problems:?}");
    }

    #[test]
    fn source_without_what_is_made_or_foreign() {
        let folder = Folder::new();
        for path in [
            "pyproject.toml",
            "README",
            "src/a/__init__.py",
            "src/a/data.bin",
            "src/a/py.typed",
            ".venv/lib/x.py",
            "env/pyvenv.cfg",
            "env/lib/x.py",
            "build/a.py",
            "other/pyproject.toml",
            "other/x.py",
            ".git/x.py",
            "node_modules/x/y.md",
            "src/a.egg-info/x.txt",
            "docs/index.rst",
        ] {
            folder.write(path, "");
        }
        std::os::unix::fs::symlink("/", folder.path().join("src/a/root")).unwrap();
        let limits = Limits::default();
        let found = source_files(folder.path(), &Files::new(&limits));
        let expected =
            ["README", "docs/index.rst", "pyproject.toml", "src/a/__init__.py", "src/a/py.typed"];
        assert_eq!(found, expected);
    }

    #[test]
    fn at_the_limit_and_one_past_it() {
        let folder = Folder::new();
        for number in 0..4 {
            folder.write(&format!("{number}.py"), "");
        }
        let mut limits = Limits::default();
        for (limit, count, problems) in [(4, 4, 0), (3, 3, 1)] {
            limits.entries_max = limit;
            let files = Files::new(&limits);
            assert_eq!(source_files(folder.path(), &files).len(), count);
            assert_eq!(files.into_problems().len(), problems);
        }
    }
}
