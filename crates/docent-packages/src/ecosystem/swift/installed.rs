//! The packages that a project has on disk, and which of them a name means.

use std::path::PathBuf;

use super::project::{Package, Project, read};
use super::{checkout, name, resolved, state, xcode};
use crate::Environment;
use crate::ecosystem::Installed;
use crate::ecosystem::python::files::Files;
use crate::extract::swift::manifest::Manifest;
use crate::tree::Place;

/// A package on disk that a name means.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) name: String,
    version: String,
    root: PathBuf,
}

impl Found {
    pub(super) fn into_installed(self) -> Installed {
        Installed {
            name: self.name,
            version: self.version,
            place: Place::Folder { root: self.root.clone(), files: None },
            shown: self.root,
            bundled: false,
        }
    }
}

/// A package on disk.
struct Candidate {
    /// Its address, if it has one that is known.
    address: Option<String>,
    identity: String,
    version: Option<String>,
    root: PathBuf,
    manifest: Option<Manifest>,
}

/// What a working copy without a version is called.
const WORKING_COPY: &str = "local";

/// The copies that a name means: of the package itself, else of the one that has it as a product or
/// a module.
pub(super) fn find(
    project: &Project,
    wanted: &str,
    environment: &Environment,
    files: &Files<'_>,
) -> Vec<Found> {
    let mut all = candidates(project, environment, files);
    let identity = name::identity(wanted);
    let is_it = |one: &&mut Candidate| {
        let titled = one.manifest.as_ref().and_then(|manifest| manifest.name.as_deref());
        // The title is free text; only a package without an address is known by it.
        let by_title =
            one.address.is_none() && titled.is_some_and(|title| title.to_lowercase() == identity);
        one.identity == identity || by_title
    };
    let mut found: Vec<Found> =
        all.iter_mut().filter(is_it).map(|one| one.found(wanted, project, files)).collect();
    if found.is_empty() && !name::is_address(wanted) {
        let has = |one: &mut Candidate| {
            let root = one.root.clone();
            let manifest = one.manifest.get_or_insert_with(|| {
                read(&root, files).map(|package| package.manifest).unwrap_or_default()
            });
            let products = manifest.products.iter().map(|product| &product.name);
            let mut names = products.chain(manifest.targets.iter().map(|target| &target.name));
            names.any(|name| name == wanted || name.replace('-', "_") == wanted)
        };
        let having =
            all.iter_mut().filter_map(|one| has(one).then(|| one.found(wanted, project, files)));
        found = having.collect();
    }
    found
}

impl Candidate {
    fn found(&self, wanted: &str, project: &Project, files: &Files<'_>) -> Found {
        let asked = name::is_address(wanted).then(|| wanted.to_owned());
        let name = self.address.clone().or(asked).unwrap_or_else(|| self.identity.clone());
        let pinned = || {
            let pins = resolved::all(project, files);
            // The project's own lockfile says nothing of the project.
            let is_own = project.packages.iter().any(|own| own.root == self.root);
            let mut pins = pins.into_iter().filter(|_| !is_own);
            pins.find(|pin| name::same(&pin.name, &name)).map(|pin| pin.version)
        };
        let version = self.version.clone().or_else(|| checkout::version(&self.root, files));
        let version = version.or_else(pinned).unwrap_or_else(|| WORKING_COPY.to_owned());
        Found { name, version, root: self.root.clone() }
    }
}

/// All packages of the project: its own, then what the package manager and Xcode have fetched.
fn candidates(project: &Project, environment: &Environment, files: &Files<'_>) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = project.packages.iter().map(own).collect();
    let builds = project.folders.iter().map(|folder| folder.join(".build"));
    let containers = builds.chain(xcode::containers(project, environment, files));
    for placed in containers.flat_map(|container| state::read(&container, files)) {
        let address = name::is_address(&placed.name).then(|| placed.name.clone());
        let identity = name::identity(&placed.name);
        if !all.iter().any(|known| known.root == placed.root) {
            let state::Placed { version, root, .. } = placed;
            all.push(Candidate { address, identity, version, root, manifest: None });
        }
    }
    all
}

/// A package of the project's own, known by its folder.
fn own(package: &Package) -> Candidate {
    let folder = package.root.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Candidate {
        address: None,
        identity: name::identity(checkout::bare_name(folder)),
        version: None,
        root: package.root.clone(),
        manifest: Some(package.manifest.clone()),
    }
}
