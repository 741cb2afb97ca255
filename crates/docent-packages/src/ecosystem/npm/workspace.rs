//! The packages of a workspace, found by the patterns of its root: `packages/*`, `apps/**`.
//!
//! They count as installed even before the package manager has linked them, so that the names of
//! somebody's own packages are not asked of a registry. Feeds [`super::installed`].

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::manifest::Manifest;
use super::project::{PNPM_WORKSPACE, Project};
use super::read::{self, Notes};
use crate::Limits;

const LERNA: &str = "lerna.json";
/// Folders that are looked into before the search is given up.
const FOLDERS_MAX: usize = 5000;
/// How many folders `**` can stand for.
const DEPTH_MAX: usize = 5;

#[derive(Default, Deserialize)]
struct Packages {
    #[serde(default)]
    packages: Vec<String>,
}

/// The manifest of the package of that name, if the workspace has one.
pub(super) fn find(
    project: &Project,
    package: &str,
    limits: &Limits,
    notes: &mut Notes,
) -> Option<Manifest> {
    let mut budget = FOLDERS_MAX;
    for pattern in patterns(project, limits, notes) {
        // What a pattern leaves out is of no interest either way.
        if pattern.starts_with(['!', '/']) || pattern.split('/').any(|part| part == "..") {
            continue;
        }
        let parts = pattern.split('/').filter(|part| !matches!(*part, "" | "."));
        for folder in expand(&project.root, &parts.collect::<Vec<_>>(), &mut budget) {
            // A manifest that cannot be read is noted where its own package is asked for.
            let manifest = Manifest::read(&folder, limits, &mut Notes::new());
            if let Some(manifest) = manifest.filter(|it| it.name() == Some(package)) {
                return Some(manifest);
            }
        }
    }
    None
}

/// Whether npm takes the nearest package for one of the workspace above it.
pub(super) fn has_member(project: &Project) -> bool {
    let Some(root) = &project.root_manifest else { return false };
    let mut budget = FOLDERS_MAX;
    root.workspaces().iter().any(|pattern| {
        let parts = pattern.split('/').filter(|part| !matches!(*part, "" | "."));
        let parts: Vec<&str> = parts.collect();
        let folders = expand(&project.root, &parts, &mut budget);
        folders.iter().any(|folder| folder == project.package())
    })
}

fn patterns(project: &Project, limits: &Limits, notes: &mut Notes) -> Vec<String> {
    let root = project.root_manifest.as_ref().or(project.manifest.as_ref());
    let mut patterns = root.map(Manifest::workspaces).unwrap_or_default();
    let mut read = |name: &str, parse: fn(&str, &Limits) -> Result<Packages, String>| {
        let file = project.root.join(name);
        let Some(text) = read::text(&file, limits, notes) else { return };
        match parse(&text, limits) {
            Ok(found) => patterns.extend(found.packages),
            Err(why) => notes.push(format!("{} {why}", file.display())),
        }
    };
    read(PNPM_WORKSPACE, |text, limits| {
        Ok(read::yaml(text, limits)?.into_iter().next().unwrap_or_default())
    });
    read(LERNA, read::json);
    patterns
}

/// The folders that a pattern means. Links are not followed, so there are no cycles.
fn expand(root: &Path, pattern: &[&str], budget: &mut usize) -> Vec<PathBuf> {
    let mut level = vec![root.to_owned()];
    for part in pattern {
        let mut next = Vec::new();
        for folder in level {
            match *part {
                "**" => next.extend(below(folder, budget)),
                part if part.contains('*') => {
                    let named = folders(&folder, budget).into_iter();
                    next.extend(named.filter(|(name, _)| fits(name, part)).map(|(_, path)| path));
                }
                part => next.push(folder.join(part)),
            }
        }
        level = next;
    }
    level
}

/// A folder and those below it.
fn below(folder: PathBuf, budget: &mut usize) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut level = vec![folder];
    for _ in 0..DEPTH_MAX {
        let deeper = level.iter().flat_map(|folder| folders(folder, budget));
        let deeper = deeper.map(|(_, path)| path).collect();
        all.append(&mut level);
        level = deeper;
    }
    all.append(&mut level);
    all
}

/// The folders in a folder, except hidden ones and those of installed packages.
fn folders(folder: &Path, budget: &mut usize) -> Vec<(String, PathBuf)> {
    let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let real = listed.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let named =
        real.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    let own = named.filter(|(name, _)| !name.starts_with('.') && name != "node_modules");
    let mut own: Vec<_> = own.take(*budget).collect();
    *budget = budget.saturating_sub(own.len());
    own.sort_unstable();
    own
}

/// Whether a name fits a part of a pattern in which `*` stands for any characters.
fn fits(name: &str, pattern: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some((_, after)) = rest.split_once(piece) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

impl Manifest {
    /// The patterns of the workspace's packages.
    fn workspaces(&self) -> Vec<String> {
        let field = self.field("workspaces");
        let list = field.and_then(|value| value.get("packages")).or(field);
        let texts = list.and_then(Value::as_array).into_iter().flatten();
        texts.filter_map(|text| text.as_str().map(str::to_owned)).collect()
    }
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Environment;
    use crate::ecosystem::npm::tests::with_context;

    #[test]
    fn patterns_of_every_tool() {
        let check = |root: &str, file: (&str, &str), expected: bool| {
            let folder = Folder::new();
            folder.write("package.json", root);
            folder.write(file.0, file.1);
            folder.write("app/package.json", "{}");
            folder.write("packages/deep/lib-one/package.json", r#"{"name": "lib"}"#);
            folder.write("packages/node_modules/lib/package.json", r#"{"name": "lib"}"#);
            let environment = Environment::isolated(folder.path());
            with_context(&environment, &folder.path().join("app"), |context| {
                let mut notes = Notes::new();
                let project = Project::find(context, &mut notes);
                let found = find(&project, "lib", context.limits, &mut notes);
                let found = found.map(|it| it.folder);
                let lib = folder.path().join("packages/deep/lib-one");
                assert_eq!(found, expected.then_some(lib), "{root} {file:?}");
            });
        };
        let none = ("x", "");
        check(r#"{"workspaces": ["packages/deep/lib-one"]}"#, none, true);
        check(r#"{"workspaces": ["./packages/*/lib-*/"]}"#, none, true);
        check(r#"{"workspaces": {"packages": ["packages/**"]}}"#, none, true);
        check(r#"{"workspaces": ["packages/*"]}"#, none, false);
        check(
            r#"{"workspaces": ["!packages/**", "../*", "/", "packages/deep/other-*"]}"#,
            none,
            false,
        );
        check("{}", (PNPM_WORKSPACE, "packages:\n  - 'packages/*/*'\n"), true);
        check("{}", (LERNA, r#"{"packages": ["packages/deep/*"]}"#), true);
        check("{}", (LERNA, "{}"), false);
    }

    #[test]
    fn wildcards() {
        let check = |name: &str, pattern: &str, expected: bool| {
            assert_eq!(fits(name, pattern), expected, "{name} {pattern}");
        };
        check("abc", "*", true);
        check("abc", "a*", true);
        check("abc", "*c", true);
        check("abc", "a*c", true);
        check("abc", "a*b*c", true);
        check("abc", "*x*", false);
        check("ab", "ab*b", false);
    }
}
