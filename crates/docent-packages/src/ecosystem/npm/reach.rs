//! The installed packages that a package may lead to: what its manifest names, and what theirs name.
//!
//! Looks where Node would look, without asking what is there. Types that the community wrote are in
//! no manifest but the project's, so they are tried for each name.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::name;
use super::read::Notes;
use crate::Limits;

/// Folders that are worth having: more than one package may have of companions, since not all of
/// them are needed.
const FOLDERS_MAX: usize = 128;

/// The real folders of installed packages, nearest first.
pub(super) fn find(root: &Path, limits: &Limits) -> Vec<PathBuf> {
    let mut seen = HashSet::from([root.to_owned()]);
    let mut found = vec![root.to_owned()];
    let mut at = 0;
    while let Some(folder) = found.get(at).cloned() {
        at += 1;
        let Some(manifest) = Manifest::read(&folder, limits, &mut Notes::new()) else { continue };
        let mut names = vec!["@types/node".to_owned()];
        names.extend(manifest.name().and_then(types_of));
        for (dependency, _) in manifest.requirements() {
            if name::is_package(dependency) {
                names.push(dependency.to_owned());
                names.extend(types_of(dependency));
            }
        }
        for name in names {
            if found.len() > FOLDERS_MAX {
                break;
            }
            found.extend(nearest(&folder, &name).filter(|folder| seen.insert(folder.clone())));
        }
    }
    found.remove(0);
    found
}

/// The package with the community's types for a package that is not one itself.
fn types_of(name: &str) -> Option<String> {
    let plain = name.trim_start_matches('@').replace('/', "__");
    (!name.starts_with("@types/")).then(|| format!("@types/{plain}"))
}

/// What an import from a folder finds.
fn nearest(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut folders = folder.ancestors();
    folders.find_map(|folder| folder.join("node_modules").join(name).canonicalize().ok())
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;

    #[test]
    fn what_manifests_lead_to_is_found_where_node_finds_it() {
        let folder = Folder::new();
        let write = |path: &str, manifest: &str| {
            folder.write(&format!("node_modules/{path}/package.json"), manifest);
        };
        write(
            "a",
            r#"{"name": "a", "dependencies": {"b": "1", "@s/c": "1", "../x": "1"}, "devDependencies": {"d": "1"}}"#,
        );
        write("b", r#"{"name": "b", "peerDependencies": {"e": "1"}}"#);
        write("a/node_modules/@s/c", r#"{"name": "@s/c", "dependencies": {"a": "1"}}"#);
        for name in ["@s/c", "d", "e", "@types/a", "@types/s__c", "@types/node", "f"] {
            write(name, "{}");
        }
        let root = folder.path().canonicalize().unwrap().join("node_modules");
        let found = find(&root.join("a"), &Limits::default());
        let expected = ["@types/node", "@types/a", "b", "a/node_modules/@s/c", "@types/s__c", "e"];
        assert_eq!(found, expected.map(|path| root.join(path)));
    }
}
