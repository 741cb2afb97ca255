//! `Package.resolved`, in all three versions of its format, wherever it is kept.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::name;
use super::project::Project;
use crate::ecosystem::Locked;
use crate::ecosystem::python::files::Files;

#[derive(Deserialize)]
struct Resolved {
    /// Since version 2.
    #[serde(default)]
    pins: Vec<Pin>,
    /// In version 1.
    #[serde(default)]
    object: Option<Object>,
}

#[derive(Deserialize)]
struct Object {
    #[serde(default)]
    pins: Vec<Pin>,
}

#[derive(Deserialize)]
struct Pin {
    #[serde(default)]
    identity: Option<String>,
    #[serde(default, alias = "repositoryURL")]
    location: Option<String>,
    #[serde(default)]
    package: Option<String>,
    #[serde(default)]
    kind: Option<String>,
    state: State,
}

/// What is checked out.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct State {
    #[serde(default)]
    pub(super) version: Option<String>,
    #[serde(default)]
    pub(super) revision: Option<String>,
}

impl State {
    /// The version; of a branch, the revision.
    pub(super) fn shown(&self) -> Option<String> {
        let revision = self.revision.as_ref().map(|revision| format!("revision:{revision}"));
        self.version.clone().or(revision)
    }
}

/// All that is locked, nearest file first.
pub(super) fn all(project: &Project, files: &Files<'_>) -> Vec<Locked> {
    places(project).iter().flat_map(|file| read(file, files)).collect()
}

fn places(project: &Project) -> Vec<PathBuf> {
    const IN_WORKSPACE: &str = "xcshareddata/swiftpm/Package.resolved";
    let mut places = Vec::new();
    for folder in &project.folders {
        places.push(folder.join("Package.resolved"));
        places.push(folder.join(".swiftpm/xcode/package.xcworkspace").join(IN_WORKSPACE));
        let here = project.xcode.iter().map(|one| &one.container);
        for container in here.filter(|container| container.parent() == Some(folder)) {
            places.push(container.join("project.xcworkspace").join(IN_WORKSPACE));
            places.push(container.join(IN_WORKSPACE));
        }
    }
    places
}

fn read(file: &Path, files: &Files<'_>) -> Vec<Locked> {
    let Some(text) = files.text(file) else { return Vec::new() };
    let Ok(resolved) = serde_json::from_str::<Resolved>(&text) else {
        files.problem(file, "is not what `swift package resolve` writes");
        return Vec::new();
    };
    let old = resolved.object.map(|object| object.pins).unwrap_or_default();
    let pins = resolved.pins.into_iter().chain(old);
    let locked = pins.filter_map(|pin| {
        let is_registry = pin.kind.as_deref() == Some("registry");
        let location = pin.location.as_deref().filter(|_| !is_registry);
        let name = location.and_then(name::address).or(pin.identity).or(pin.package)?;
        Some(Locked { name, version: pin.state.shown()?, file: file.to_owned(), by_conda: false })
    });
    locked.collect()
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;
    use crate::Limits;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let folder = Folder::new();
        let file = folder.write("Package.resolved", text);
        let limits = Limits::default();
        let found = read(&file, &Files::new(&limits));
        let found: Vec<(&str, &str)> =
            found.iter().map(|one| (one.name.as_str(), one.version.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_version_of_the_format_is_read() {
        check(
            r#"{"object":{"pins":[{"package":"B","repositoryURL":"https://host.example/a/b.git",
               "state":{"branch":null,"revision":"abc","version":"1.2.3"}}]},"version":1}"#,
            &[("https://host.example/a/b", "1.2.3")],
        );
        for version in ["2", "3"] {
            let text = r#"{"originHash":"x","pins":[
                {"identity":"b","kind":"remoteSourceControl","location":"https://host.example/a/b",
                 "state":{"revision":"abc","version":"1.2.3"}},
                {"identity":"c","kind":"remoteSourceControl","location":"git@host.example:a/c.git",
                 "state":{"branch":"main","revision":"def"}},
                {"identity":"mona.list","kind":"registry","location":"","state":{"version":"2.0.0"}}
                ],"version":N}"#;
            check(
                &text.replace('N', version),
                &[
                    ("https://host.example/a/b", "1.2.3"),
                    ("ssh://git@host.example/a/c", "revision:def"),
                    ("mona.list", "2.0.0"),
                ],
            );
        }
        check("[]", &[]);
        check("{", &[]);
    }
}
