//! Python: distributions of a package index, and the modules they bring.
//!
//! In reading order: `name` and `version` (what is asked for), `project` and `environment` (where to
//! look), `installed` and `stdlib` (what is there), `lockfile` and `manifest` (what should be there),
//! `config` and `registry` (where to get it). `files` is how all of them read.

pub(crate) mod config;
mod dependency;
mod environment;
pub(crate) mod files;
mod ini;
mod installed;
pub(crate) mod lockfile;
mod manifest;
mod name;
mod project;
mod registry;
mod stdlib;
mod stdlib_names;
mod version;

use std::path::{Path, PathBuf};

use self::files::Files;
use super::{Adapter, BoxFuture, Context, Dependency, Name, Release, Releases, Survey};
use crate::{Error, Limits};

/// The adapter.
pub(crate) struct Python;

impl Adapter for Python {
    fn name(&self, written: &str) -> Result<Name, Error> {
        name::parse(written)
    }

    fn survey(&self, name: &Name, context: &Context<'_>) -> Survey {
        let files = Files::new(context.limits);
        let folders = project::folders(context.project);
        let interpreters = environment::interpreters(&folders, context.environment, &files);

        let mut installed = stdlib::find(name, &interpreters, &files);
        let copies = installed::find(name, &interpreters, &files);
        // An environment that points to the project's source knows its version better.
        let own = installed::of_project(name, &folders, &files);
        let own = own.filter(|own| !copies.iter().any(|copy| copy.place == own.place));
        installed.extend(own);
        installed.extend(copies);

        // What an import is called in a lockfile is known only where it is installed.
        let mut names = name::candidates(name);
        names.extend(installed.iter().filter(|copy| !copy.bundled).map(|copy| copy.name.clone()));
        let mut locked = lockfile::all(&folders, &files);
        locked.retain(|one| names.contains(&one.name));
        let requirement = manifest::requirement(&manifest::all(&folders, &files), &names);
        Survey {
            installed,
            locked,
            requirement,
            problems: files.into_problems(),
            ..Survey::default()
        }
    }

    /// Distributions share the folder that they are installed in.
    fn reach(&self, _: &Path, _: &Limits) -> Vec<PathBuf> {
        Vec::new()
    }

    fn dependencies(&self, context: &Context<'_>) -> Vec<Dependency> {
        let files = Files::new(context.limits);
        let folders = project::folders(context.project);
        let locked = lockfile::all(&folders, &files);
        let mut all: Vec<Dependency> = Vec::new();
        let mut add = |name: &str, direct: bool| {
            if !all.iter().any(|known| known.name == name) {
                let version = locked.iter().find(|one| one.name == name);
                let version = version.map(|one| one.version.clone());
                all.push(Dependency { name: name.to_owned(), version, direct });
            }
        };
        manifest::all(&folders, &files).iter().for_each(|(entry, _)| add(&entry.name, true));
        // Not all that conda has is a Python package.
        let sure = locked.iter().filter(|one| !one.by_conda);
        sure.for_each(|one| add(&one.name, false));
        all
    }

    fn exact(&self, requirement: &str) -> Option<String> {
        version::exact(requirement)
    }

    fn satisfies(&self, requirement: &str, version: &str) -> Result<bool, Error> {
        version::satisfies(requirement, version)
    }

    fn releases<'a>(
        &'a self,
        name: &'a Name,
        _: Option<&'a str>,
        context: &'a Context<'a>,
    ) -> BoxFuture<'a, Result<Releases, Error>> {
        Box::pin(registry::releases(name, context))
    }

    fn registries<'a>(
        &'a self,
        context: &'a Context<'a>,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(registry::addresses(context))
    }

    fn choose<'a>(
        &self,
        requirement: Option<&str>,
        releases: &'a Releases,
    ) -> Result<&'a Release, Error> {
        version::choose(requirement, releases)
    }

    fn may_ask(&self, package: &str, _: &Name, context: &Context<'_>) -> bool {
        let files = Files::new(context.limits);
        let folders = project::folders(context.project);
        let configuration = config::read(&folders, context.environment, &files);
        configuration.is_ok_and(|configuration| configuration.is_open(package))
    }
}

#[cfg(test)]
mod tests;
