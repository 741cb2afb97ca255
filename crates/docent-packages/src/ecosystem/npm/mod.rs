//! The npm ecosystem: names, versions, projects and registries of JavaScript packages.
//!
//! In the order of a question: `name` (with `builtins`) takes apart what was asked for; `project`
//! (with `manifest`) finds the project around it; `installed` (with `pnp` and `workspace`) and `lockfile` find what
//! the project has, and `reach` what a package leads to; `config` says which registry to ask, `registry` asks it, and `version` chooses
//! among what it knows. Files are only ever opened in `read`.

mod builtins;
mod config;
mod default_registry;
mod installed;
mod lockfile;
mod manifest;
mod name;
mod pnp;
mod project;
mod reach;
mod read;
mod registry;
mod version;
mod workspace;

use std::path::{Path, PathBuf};

use self::config::{Config, Registry};
use self::project::Project;
use super::{Adapter, BoxFuture, Context, Dependency, Locked, Name, Release, Releases, Survey};
use crate::fetch::Request;
use crate::{Error, ErrorKind, Limits, PackageRef};

/// The adapter.
pub(crate) struct Npm;

impl Adapter for Npm {
    fn name(&self, written: &str) -> Result<Name, Error> {
        name::parse(written)
    }

    /// Node's modules have no versions of their own, while packages of the same names do.
    fn asked(&self, package: &PackageRef) -> Result<Name, Error> {
        match package.version.is_some() && name::is_package(&package.name) {
            true => Ok(Name { package: package.name.clone(), module: None }),
            false => name::parse(&package.name),
        }
    }

    fn survey(&self, name: &Name, context: &Context<'_>) -> Survey {
        let (package, limits) = (name.package.as_str(), context.limits);
        let mut problems = read::Notes::new();
        let project = Project::find(context, &mut problems);
        let installed = installed::find(&project, package, limits, &mut problems);
        let lockfiles = lockfile::find(&project, Some(package), limits, &mut problems);
        let locked = lockfiles.iter().flat_map(|lockfile| {
            lockfile.versions(package).into_iter().map(|(name, version)| Locked {
                name: name.to_owned(),
                version: version.to_owned(),
                file: lockfile.file.clone(),
                by_conda: false,
            })
        });
        let locked = locked.collect();
        let requirement = project.requirement(package, limits, &mut problems);
        Survey { installed, locked, requirement, problems, ..Survey::default() }
    }

    fn reach(&self, folder: &Path, limits: &Limits) -> Vec<PathBuf> {
        reach::find(folder, limits)
    }

    fn dependencies(&self, context: &Context<'_>) -> Vec<Dependency> {
        let mut notes = read::Notes::new();
        let project = Project::find(context, &mut notes);
        let lockfiles = lockfile::find(&project, None, context.limits, &mut notes);
        let manifest = project.manifest.as_ref();
        let direct = manifest.map(|manifest| manifest.dependencies()).unwrap_or_default();
        let direct =
            direct.into_iter().filter(|(name, _)| name::is_package(name)).map(|(name, _)| {
                let locked = lockfiles.iter().flat_map(|lockfile| lockfile.versions(name)).next();
                let version = locked.map(|(_, version)| version.to_owned());
                Dependency { name: name.to_owned(), version, direct: true }
            });
        let locked = lockfiles.iter().flat_map(lockfile::Lockfile::all);
        let locked = locked.filter(|(name, _)| name::is_package(name));
        Dependency::merged(direct.collect(), locked)
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
        Box::pin(async move {
            let package = name.package.as_str();
            let mut notes = read::Notes::new();
            let project = Project::find(context, &mut notes);
            let mut config = Config::read(&project, context);
            let registry = registry_of(package, &mut config, context).await?;
            let url = registry::packument_url(&registry.url, package)?;
            let request = Request { url, accept: registry::ACCEPT, access: &registry.access };
            let document = context.fetcher.document(&request).await;
            let document = document.map_err(|error| explain(error, &config))?;
            registry::releases(&document, package, &registry)
        })
    }

    fn choose<'a>(
        &self,
        requirement: Option<&str>,
        releases: &'a Releases,
    ) -> Result<&'a Release, Error> {
        version::choose(requirement, releases)
    }

    fn may_ask(&self, package: &str, wanted: &Name, context: &Context<'_>) -> bool {
        let project = Project::find(context, &mut read::Notes::new());
        let config = Config::read(&project, context);
        let same_scope = name::scope(package) == name::scope(&wanted.package);
        same_scope || !config.has_own_registry(package)
    }

    fn registries<'a>(
        &'a self,
        context: &'a Context<'a>,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(async move {
            let project = Project::find(context, &mut read::Notes::new());
            let mut config = Config::read(&project, context);
            let registry = registry_of("any package", &mut config, context).await?;
            Ok(vec![crate::fetch::shown(&registry.url)])
        })
    }
}

async fn registry_of(
    package: &str,
    config: &mut Config,
    context: &Context<'_>,
) -> Result<Registry, Error> {
    if let Some(registry) = config.registry(package, None)? {
        return Ok(registry);
    }
    let default = default_registry::ask(context).await;
    config.registry(package, default.as_ref())?.ok_or_else(|| {
        let message = format!("no registry is configured that could know {package}");
        Error::new(ErrorKind::NoRegistry, message)
            .hint("set `registry=` in `.npmrc`")
            .hint("or `[registries] npm = \"https://…\"` in `docent.toml`")
    })
}

/// A registry that does not know who asks often says that there is no such package.
fn explain(error: Error, config: &Config) -> Error {
    if !matches!(error.kind(), ErrorKind::Unauthorized | ErrorKind::PackageNotFound) {
        return error;
    }
    config.notes.iter().fold(error, |error, note| error.hint(note.clone()))
}

#[cfg(test)]
mod tests;
