//! `package.json`: what a package is called and what it asks for.
//!
//! Read leniently, since all kinds of tools write it: a field of the wrong type counts as missing.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::read::{self, Notes};
use crate::Limits;

const FILE: &str = "package.json";

/// The fields that name dependencies, those that are surely installed first.
const DEPENDENCIES: &[&str] =
    &["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// Those of them that matter to who uses the package.
const REQUIREMENTS: &[&str] = &["dependencies", "optionalDependencies", "peerDependencies"];

/// One manifest.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    /// The folder it is in.
    pub(super) folder: PathBuf,
    fields: Value,
}

impl Manifest {
    /// The manifest of a folder, if it has one.
    pub(super) fn read(folder: &Path, limits: &Limits, notes: &mut Notes) -> Option<Self> {
        let file = folder.join(FILE);
        let text = read::text(&file, limits, notes)?;
        match read::json::<Value>(&text, limits) {
            Ok(fields) => Some(Self { folder: folder.to_owned(), fields }),
            Err(why) => {
                notes.push(format!("{} {why}", file.display()));
                None
            }
        }
    }

    /// The file itself.
    pub(super) fn file(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// The package's name.
    pub(super) fn name(&self) -> Option<&str> {
        self.text("name")
    }

    /// The package's version; private packages often have none.
    pub(super) fn version(&self) -> Option<&str> {
        self.text("version")
    }

    /// The package manager that the project says it uses: `pnpm` of `pnpm@10.2.0`.
    pub(super) fn manager(&self) -> Option<&str> {
        self.text("packageManager")?.split('@').next()
    }

    /// Whether packages in folders below belong to it.
    pub(super) fn has_workspaces(&self) -> bool {
        self.field("workspaces").is_some_and(|value| value.is_array() || value.is_object())
    }

    /// The ranges as written under each dependency's name, each name once.
    pub(super) fn dependencies(&self) -> Vec<(&str, &str)> {
        self.ranges(DEPENDENCIES)
    }

    /// The same, without what only its own development needs.
    pub(super) fn requirements(&self) -> Vec<(&str, &str)> {
        self.ranges(REQUIREMENTS)
    }

    fn ranges(&self, fields: &[&str]) -> Vec<(&str, &str)> {
        let mut found: Vec<(&str, &str)> = Vec::new();
        for field in fields {
            let entries = self.fields.get(field).and_then(Value::as_object).into_iter().flatten();
            for (name, range) in entries {
                let Some(range) = range.as_str() else { continue };
                if !found.iter().any(|(earlier, _)| earlier == name) {
                    found.push((name, range));
                }
            }
        }
        found
    }

    /// The range that a named catalog has for a package, where catalogs are in the manifest.
    pub(super) fn catalog(&self, catalog: Option<&str>, package: &str) -> Option<&str> {
        let places = [self.fields.get("workspaces"), Some(&self.fields)];
        places.into_iter().flatten().find_map(|place| {
            let ranges = match catalog {
                None => place.get("catalog")?,
                Some(name) => place.get("catalogs")?.get(name)?,
            };
            ranges.get(package)?.as_str()
        })
    }

    /// A field as it is.
    pub(super) fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str).filter(|text| !text.is_empty())
    }
}
