//! The Swift ecosystem: names, versions, projects and sources of Swift packages.
//!
//! In the order of a question: `name` takes apart what was asked for; `project` finds the folders
//! around it; `installed` lists the packages there (`state`, `checkout`, `xcode`, `local` each know
//! one place), and `resolved` what is locked; `remote` asks the repository for its tags, `registry`
//! the registry that `registries` names; `version` chooses. Manifests are read by
//! [`crate::extract::swift::manifest`], never run.

mod checkout;
mod installed;
mod local;
mod name;
mod project;
mod registries;
mod registry;
mod remote;
mod resolved;
mod state;
#[cfg(test)]
mod tests;
mod version;
mod xcode;

use std::path::{Path, PathBuf};

use self::installed::Found;
use self::project::Project;
use self::registries::Registries;
use super::python::files::Files;
use super::{Adapter, BoxFuture, Context, Dependency, Name, Release, Releases, Required, Survey};
use crate::extract::swift::manifest::Source;
use crate::{Error, ErrorKind, Limits};

/// The adapter.
pub(crate) struct Swift;

impl Adapter for Swift {
    fn name(&self, written: &str) -> Result<Name, Error> {
        name::parse(written)
    }

    fn survey(&self, name: &Name, context: &Context<'_>) -> Survey {
        let files = Files::new(context.limits);
        let project = Project::find(context.project, &files);
        let wanted = name.package.as_str();
        let found = installed::find(&project, wanted, context.environment, &files);
        // Under the name of a product, the lockfile knows the package by its own.
        let package = found.first().map_or(wanted, |found| found.name.as_str());
        let locked = resolved::all(&project, &files).into_iter();
        let locked = locked.filter(|pin| name::same(&pin.name, package)).collect();
        let requirement = requirement(&project, package);
        let installed = found.into_iter().map(Found::into_installed).collect();
        let problems = files.into_problems();
        Survey { installed, locked, requirement, elsewhere: Vec::new(), problems }
    }

    /// Nothing of one package leads into the folder of another.
    fn reach(&self, _: &Path, _: &Limits) -> Vec<PathBuf> {
        Vec::new()
    }

    fn dependencies(&self, context: &Context<'_>) -> Vec<Dependency> {
        let files = Files::new(context.limits);
        let project = Project::find(context.project, &files);
        let pins = resolved::all(&project, &files);
        let mut all: Vec<Dependency> = Vec::new();
        for (source, _, _) in direct(&project) {
            let name = name::shown(&source);
            let pin = pins.iter().find(|pin| name::same(&pin.name, &name));
            let version = pin.map(|pin| pin.version.clone());
            if !all.iter().any(|known| name::same(&known.name, &name)) {
                all.push(Dependency { name, version, direct: true });
            }
        }
        let mut rest: Vec<Dependency> = Vec::new();
        for pin in pins {
            let known = all.iter().chain(&rest).any(|known| name::same(&known.name, &pin.name));
            if !known {
                rest.push(Dependency { name: pin.name, version: Some(pin.version), direct: false });
            }
        }
        rest.sort_unstable();
        all.append(&mut rest);
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
        requirement: Option<&'a str>,
        context: &'a Context<'a>,
    ) -> BoxFuture<'a, Result<Releases, Error>> {
        Box::pin(async move {
            let source = {
                let files = Files::new(context.limits);
                let project = Project::find(context.project, &files);
                source(&name.package, &project, context, &files)?
            };
            match source {
                Where::Repository(url) => remote::releases(&url, requirement, context).await,
                Where::Registry(registry, id) => {
                    registry::releases(&registry, &id, requirement, context).await
                }
            }
        })
    }

    fn choose<'a>(
        &self,
        requirement: Option<&str>,
        releases: &'a Releases,
    ) -> Result<&'a Release, Error> {
        version::choose(requirement, releases)
    }

    /// Packages are asked for where their own address says, so that no name is given away.
    fn may_ask(&self, _: &str, _: &Name, _: &Context<'_>) -> bool {
        true
    }
}

/// Where to ask for a package.
enum Where {
    Repository(String),
    Registry(Box<registries::Registry>, name::Id),
}

/// Where a package is to be had: at its address, or at the one that the project gives for its name.
fn source(
    wanted: &str,
    project: &Project,
    context: &Context<'_>,
    files: &Files<'_>,
) -> Result<Where, Error> {
    let at_registry = |written: &str| {
        let id = name::Id::parse(written)?;
        let registries = Registries::read(project, context.environment, files);
        registries.of(&id).map(|registry| Where::Registry(Box::new(registry), id))
    };
    if name::is_address(wanted) {
        return Ok(Where::Repository(wanted.to_owned()));
    }
    if let Some(found) = at_registry(wanted) {
        return Ok(found);
    }
    let declared = direct(project).into_iter().map(|(source, _, _)| name::shown(&source));
    let pinned = resolved::all(project, files).into_iter().map(|pin| pin.name);
    let mut known = declared.chain(pinned).filter(|known| name::same(known, wanted));
    let known = known.find_map(|known| match name::is_address(&known) {
        true => Some(Where::Repository(known)),
        false => at_registry(&known),
    });
    known.ok_or_else(|| {
        let message = format!("{wanted} is neither in the project nor in a configured registry");
        Error::new(ErrorKind::PackageNotFound, message)
            .hint("give the address of its repository: `https://host/owner/name`")
            .hint("or, for a product of a dependency, resolve the project's packages first")
    })
}

/// What the manifests of the project ask for, with the file that does.
fn direct(project: &Project) -> Vec<(Source, Option<String>, PathBuf)> {
    let of_manifests = project.packages.iter().flat_map(|package| {
        let file = package.root.join("Package.swift");
        package.manifest.dependencies.iter().map(move |dependency| {
            (dependency.source.clone(), dependency.requirement.clone(), file.clone())
        })
    });
    let of_xcode = project.xcode.iter().flat_map(|one| one.references.iter().cloned());
    of_manifests.chain(of_xcode).filter(|row| !matches!(row.0, Source::Path(_))).collect()
}

fn requirement(project: &Project, package: &str) -> Option<Required> {
    direct(project).into_iter().find_map(|(source, range, file)| {
        let fits = name::same(&name::shown(&source), package);
        range.filter(|_| fits).map(|range| Required { range, file })
    })
}
