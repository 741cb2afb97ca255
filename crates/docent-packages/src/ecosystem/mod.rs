//! What differs from one ecosystem to the next, behind one trait.
//!
//! Each ecosystem knows its names and version syntax, finds what a project has installed and locked,
//! reads the user's configuration of registries, and asks them. Everything else is shared. To add
//! one: a module here that implements [`Adapter`], one in [`crate::extract`], and a row in each `of`.

pub(crate) mod go;
pub(crate) mod npm;
pub(crate) mod python;
pub(crate) mod rust;
pub(crate) mod swift;

use std::collections::BTreeSet;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use crate::fetch::{Artifact, Fetcher};
use crate::tool::Tools;
use crate::tree::Place;
use crate::{Ecosystem, Environment, Error, Limits, PackageRef};

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The adapter of an ecosystem.
pub(crate) fn of(ecosystem: Ecosystem) -> &'static dyn Adapter {
    match ecosystem {
        Ecosystem::Npm => &npm::Npm,
        Ecosystem::Python => &python::Python,
        Ecosystem::Rust => &rust::Rust,
        Ecosystem::Go => &go::Go,
        Ecosystem::Swift => &swift::Swift,
    }
}

/// The files that say which packages a project has, and in which versions.
const DECIDING: &[(Ecosystem, &[&str])] = &[
    (
        Ecosystem::Npm,
        &[
            "package.json",
            "package-lock.json",
            ".package-lock.json",
            "npm-shrinkwrap.json",
            "pnpm-lock.yaml",
            "yarn.lock",
            "bun.lock",
            ".pnp.cjs",
        ],
    ),
    (
        Ecosystem::Python,
        &[
            "pyproject.toml",
            "requirements.txt",
            "uv.lock",
            "poetry.lock",
            "pdm.lock",
            "Pipfile.lock",
            "pylock.toml",
            "conda-lock.yml",
            "conda-lock.yaml",
            "pixi.lock",
            "environment.yml",
            "environment.yaml",
        ],
    ),
    (Ecosystem::Rust, &["Cargo.toml", "Cargo.lock"]),
    (Ecosystem::Go, &["go.mod", "go.sum", "go.work"]),
    (Ecosystem::Swift, &["Package.swift", "Package.resolved"]),
];

/// The ecosystem whose versions a file of this name decides: a manifest or a lockfile.
#[must_use]
pub fn decides_versions(file_name: &str) -> Option<Ecosystem> {
    let row = DECIDING.iter().find(|(_, names)| names.contains(&file_name));
    let listed = row.map(|(ecosystem, _)| *ecosystem);
    // Python's tools let people choose the middle of some names.
    listed.or_else(|| python::lockfile::is_variant(file_name).then_some(Ecosystem::Python))
}

/// A name that its ecosystem allows, in its normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Name {
    /// The package: `@scope/name`, `python-dateutil`.
    pub(crate) package: String,
    /// The module inside the package that was asked for, if one was: `zod/v4`, `os.path`.
    pub(crate) module: Option<String>,
}

/// What an adapter may use.
pub(crate) struct Context<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) limits: &'a Limits,
    pub(crate) fetcher: &'a Fetcher,
    pub(crate) tools: &'a Tools,
    /// The folder the question is about.
    pub(crate) project: &'a Path,
}

/// What a project has of one package.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Installed copies, the one that an import would find first.
    pub(crate) installed: Vec<Installed>,
    /// Locked versions, nearest lockfile first.
    pub(crate) locked: Vec<Locked>,
    /// The range that the nearest manifest asks for.
    pub(crate) requirement: Option<Required>,
    /// Copies on this machine that the project does not lead to, for whoever asks for their version.
    pub(crate) elsewhere: Vec<Installed>,
    /// Files that could not be read, for people.
    pub(crate) problems: Vec<String>,
}

/// One installed copy of a package.
#[derive(Clone, Debug)]
pub(crate) struct Installed {
    /// The package's own name, when it differs from the name asked for (an npm alias, say).
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) place: Place,
    /// What an import would have to be installed in: the folder to show.
    pub(crate) shown: PathBuf,
    /// Whether it comes with the language itself rather than from a registry.
    pub(crate) bundled: bool,
}

/// One version in a lockfile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locked {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) file: PathBuf,
    /// Whether it is a package of conda, which is only taken for the one of the same name.
    pub(crate) by_conda: bool,
}

/// One range in a manifest.
#[derive(Clone, Debug)]
pub(crate) struct Required {
    pub(crate) range: String,
    pub(crate) file: PathBuf,
}

/// A direct or indirect dependency of a project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// As locked, if it is.
    pub(crate) version: Option<String>,
    /// Whether the project's own manifest names it.
    pub(crate) direct: bool,
}

impl Dependency {
    /// What the manifest names, then each other version in the lockfiles.
    fn merged<'a>(
        mut direct: Vec<Self>,
        locked: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Vec<Self> {
        let is_direct = |name: &str, version: &str| {
            direct.iter().any(|own| own.name == name && own.version.as_deref() == Some(version))
        };
        let rest: BTreeSet<_> =
            locked.filter(|(name, version)| !is_direct(name, version)).collect();
        direct.extend(rest.into_iter().map(|(name, version)| Dependency {
            name: name.to_owned(),
            version: Some(version.to_owned()),
            direct: false,
        }));
        direct
    }
}

/// What a registry knows of one package.
#[derive(Clone, Debug, Default)]
pub(crate) struct Releases {
    /// All releases, oldest first in the ecosystem's order of versions.
    pub(crate) all: Vec<Release>,
    /// Names for versions, such as npm's `latest`.
    pub(crate) tags: Vec<(String, String)>,
    /// The name it was found under, when that is not [`Name::package`].
    pub(crate) name: Option<String>,
}

/// One published version.
#[derive(Clone, Debug)]
pub(crate) struct Release {
    pub(crate) version: String,
    /// What to download to read it; `None` if there is nothing that can be read.
    pub(crate) artifact: Option<Artifact>,
    /// Whether a range may choose it: neither yanked nor a prerelease.
    pub(crate) stable: bool,
}

/// One ecosystem.
pub(crate) trait Adapter: Send + Sync {
    /// Checks a name as a user or a model wrote it, and takes it apart.
    fn name(&self, written: &str) -> Result<Name, Error>;

    /// The same for a name that may come with a version, which can tell what is meant by it.
    fn asked(&self, package: &PackageRef) -> Result<Name, Error> {
        self.name(&package.name)
    }

    /// The module that an answer about a whole package is about, once its name is known.
    fn module(&self, name: &Name) -> Option<String> {
        name.module.clone()
    }

    /// What the project has of a package: reads files only, asks nobody.
    fn survey(&self, name: &Name, context: &Context<'_>) -> Survey;

    /// The folders that installed packages may be in that the one in `folder` may lead to, beyond
    /// that folder itself.
    fn reach(&self, folder: &Path, limits: &Limits) -> Vec<PathBuf>;

    /// All that the project depends on, direct dependencies first.
    fn dependencies(&self, context: &Context<'_>) -> Vec<Dependency>;

    /// Whether `requirement` pins one version, so that nothing needs to be asked: its normal form.
    fn exact(&self, requirement: &str) -> Option<String>;

    /// Whether a version satisfies a requirement; an error if the requirement has no meaning.
    fn satisfies(&self, requirement: &str, version: &str) -> Result<bool, Error>;

    /// What the user's registries know of a package. Who wants what a requirement means says so: a
    /// registry that lists no commits and branches may know them all the same.
    fn releases<'a>(
        &'a self,
        name: &'a Name,
        requirement: Option<&'a str>,
        context: &'a Context<'a>,
    ) -> BoxFuture<'a, Result<Releases, Error>>;

    /// The release that a requirement means (`None`: the newest a user would get), best first.
    fn choose<'a>(
        &self,
        requirement: Option<&str>,
        releases: &'a Releases,
    ) -> Result<&'a Release, Error>;

    /// Whether the registries may be asked for `wanted`, whose name may give away that of `package`:
    /// only if they are those that `package` itself is asked of.
    fn may_ask(&self, package: &str, wanted: &Name, context: &Context<'_>) -> bool;

    /// Whether the project alone decides which versions its dependencies use of each other, and files
    /// of several versions stand side by side: then what a package depends on is looked for from
    /// the project and has to fit, rather than from the package's own folder.
    fn is_chosen_by_project(&self) -> bool {
        false
    }

    /// The addresses that packages come from where nothing more specific is configured, without
    /// credentials, in the order in which they are asked.
    fn registries<'a>(
        &'a self,
        _context: &'a Context<'a>,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_read_for_versions_decides_them() {
        let check = |names: &[&str], expected| {
            for name in names {
                assert_eq!(decides_versions(name), expected, "{name}");
            }
        };
        check(&["package.json", "bun.lock", ".pnp.cjs"], Some(Ecosystem::Npm));
        check(&["uv.lock", "poetry.lock", "Pipfile.lock"], Some(Ecosystem::Python));
        check(&["conda-lock.yml", "conda-lock.yaml", "pixi.lock"], Some(Ecosystem::Python));
        check(&["environment.yml", "environment.yaml"], Some(Ecosystem::Python));
        let chosen = ["requirements-dev.txt", "dev-requirements.in", "constraints.txt"];
        check(&chosen, Some(Ecosystem::Python));
        check(&["pylock.toml", "pylock.dev.toml"], Some(Ecosystem::Python));
        check(&["Cargo.lock"], Some(Ecosystem::Rust));
        check(&["go.work"], Some(Ecosystem::Go));
        check(&["Package.resolved"], Some(Ecosystem::Swift));
        check(&["environment.txt", "conda.yml", "requirements.md", "pylock.lock", ""], None);
    }
}
