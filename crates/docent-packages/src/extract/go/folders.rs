//! Which folders of a module are packages, and what their import paths are.

use std::collections::BTreeMap;

use crate::tree::{Tree, file_name, folder};

/// The name under which the packages of Go itself are asked for.
pub(crate) const STANDARD_LIBRARY: &str = "std";

/// A folder with sources.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Folder {
    pub(super) sources: Vec<String>,
    pub(super) tests: Vec<String>,
    /// Whether other modules can import it.
    pub(super) is_public: bool,
}

/// The path of a module: as its `go.mod` says, else the name it is known by.
pub(super) fn module_path(name: &str, tree: &Tree) -> String {
    let text = tree.text("go.mod").unwrap_or_default();
    let said = text.lines().find_map(|line| line.trim().strip_prefix("module"));
    let said = said.filter(|said| said.starts_with([' ', '\t', '"']));
    let said = said
        .and_then(|said| said.split("//").next())
        .map(|said| said.trim().trim_matches(['"', '`']));
    let is_path = |path: &&str| !path.is_empty() && !path.contains(char::is_whitespace);
    said.filter(is_path).unwrap_or(name).to_owned()
}

/// All folders with sources, by import path.
pub(super) fn folders(module: &str, tree: &Tree) -> BTreeMap<String, Folder> {
    // A folder with a `go.mod` of its own is another module.
    let nested: Vec<&str> = tree
        .paths()
        .filter(|path| file_name(path) == "go.mod" && *path != "go.mod")
        .map(folder)
        .collect();
    let mut found: BTreeMap<String, Folder> = BTreeMap::new();
    for path in tree.paths().filter(|path| path.ends_with(".go")) {
        let (name, inside) = (file_name(path), folder(path));
        let is_below = |outer: &str| {
            inside.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if name.starts_with(['_', '.']) || nested.iter().any(|outer| is_below(outer)) {
            continue;
        }
        let ignored =
            |part: &str| part == "testdata" || part == "vendor" || part.starts_with(['_', '.']);
        let is_command = module == STANDARD_LIBRARY && inside.split('/').next() == Some("cmd");
        if !inside.is_empty() && inside.split('/').any(ignored) || is_command {
            continue;
        }
        let import = match (module, inside) {
            (STANDARD_LIBRARY, inside) => inside.to_owned(),
            (module, "") => module.to_owned(),
            (module, inside) => format!("{module}/{inside}"),
        };
        let entry = found.entry(import).or_default();
        entry.is_public = !inside.split('/').any(|part| part == "internal");
        if name.ends_with("_test.go") {
            entry.tests.push(path.to_owned());
        } else {
            entry.sources.push(path.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_go_does_not_build_are_left_out() {
        let files = [
            "a.go",
            "a_test.go",
            "_b.go",
            "README.md",
            "sub/c.go",
            "sub/internal/d.go",
            "testdata/e.go",
            "vendor/x.example/f.go",
            "_examples/g.go",
            "other/go.mod",
            "other/deep/h.go",
            "others/i.go",
        ];
        let tree = Tree::in_memory(files.map(|file| (file, "")));
        let found = folders("m.example/kit", &tree);
        let found: Vec<String> = found
            .iter()
            .map(|(import, folder)| {
                format!(
                    "{import} {}+{} {}",
                    folder.sources.len(),
                    folder.tests.len(),
                    folder.is_public
                )
            })
            .collect();
        let expected = [
            "m.example/kit 1+1 true",
            "m.example/kit/others 1+0 true",
            "m.example/kit/sub 1+0 true",
            "m.example/kit/sub/internal 1+0 false",
        ];
        assert_eq!(found, expected);
    }
}
