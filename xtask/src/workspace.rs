//! What cargo knows about the workspace: its packages and their targets.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::process;

/// The workspace, as `cargo metadata` describes it.
#[derive(Default)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Where cargo builds; also holds the installed interop peers.
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
}

/// One member of the workspace.
#[derive(Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Relative to the root, with `/`.
    pub(crate) folder: String,
    pub(crate) examples: Vec<String>,
    pub(crate) binaries: Vec<String>,
}

impl Workspace {
    pub(crate) fn load() -> Result<Workspace, String> {
        let text = process::output(process::cargo().args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ]))?;
        let metadata: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let root = PathBuf::from(string(&metadata["workspace_root"]));
        let packages = list(&metadata["packages"]).map(|package| Package::read(package, &root));
        Ok(Workspace {
            target: PathBuf::from(string(&metadata["target_directory"])),
            packages: packages.collect(),
            root,
        })
    }

    pub(crate) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// The packages that only measure: they pull in other SDKs, so ordinary runs leave them out.
    pub(crate) fn benches(&self) -> impl Iterator<Item = &str> {
        let packages = self.packages.iter();
        packages
            .filter(|package| package.folder.split('/').next() == Some("bench"))
            .map(|package| package.name.as_str())
    }
}

impl Package {
    fn read(package: &Value, root: &Path) -> Package {
        let manifest = PathBuf::from(string(&package["manifest_path"]));
        let folder = manifest.parent().and_then(|folder| folder.strip_prefix(root).ok());
        let targets = |kind: &str| {
            list(&package["targets"])
                .filter(|target| list(&target["kind"]).any(|found| string(found) == kind))
                .map(|target| string(&target["name"]).to_owned())
                .collect()
        };
        Package {
            name: string(&package["name"]).to_owned(),
            folder: folder.unwrap_or(&manifest).to_string_lossy().replace('\\', "/"),
            examples: targets("example"),
            binaries: targets("bin"),
        }
    }
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
