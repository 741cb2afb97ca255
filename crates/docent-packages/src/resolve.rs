//! Which version of a package a question is about, and why.
//!
//! In this order: the version that was asked for; the one installed for the project; the one its
//! lockfile or manifest names; the newest that the registry has. Never a silent substitute.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::ecosystem::{Adapter, Context, Installed, Name, Release, Releases, Survey};
use crate::fetch::Artifact;
use crate::tree::Place;
use crate::{Error, ErrorKind};

/// Why a version was chosen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Reason {
    /// It was asked for.
    Explicit {
        /// What was asked for.
        requirement: String,
    },
    /// It is what the project would import.
    Installed,
    /// It comes with the language that the project uses.
    Bundled,
    /// A lockfile names it.
    Locked {
        /// The lockfile.
        #[serde(with = "crate::paths")]
        file: PathBuf,
    },
    /// A file of conda names a package of that name and version, which is taken for this one: the
    /// names of conda's packages are its own, and most of them are the same.
    LockedByConda {
        /// The file.
        #[serde(with = "crate::paths")]
        file: PathBuf,
    },
    /// It is the newest that a manifest allows.
    Declared {
        /// The manifest.
        #[serde(with = "crate::paths")]
        file: PathBuf,
        /// What the manifest asks for.
        requirement: String,
    },
    /// It is among the packages of the project, which were looked through together.
    Project,
    /// The project does not have it: the newest that the registry has.
    Newest,
    /// No registry could be asked: the newest that is on this machine.
    OnDisk,
}

/// A package at one exact version, and where its files are to be had.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) name: Name,
    pub(crate) version: String,
    pub(crate) reason: Reason,
    pub(crate) from: From,
    /// Other versions of it in the project.
    pub(crate) others: Vec<(String, PathBuf)>,
    /// The newest release, if the registry was asked.
    pub(crate) newest: Option<String>,
    /// What could not be read on the way.
    pub(crate) problems: Vec<String>,
}

/// Where the files of a resolved package are to be had.
#[derive(Debug)]
pub(crate) enum From {
    Installed { place: Place, shown: PathBuf },
    Registry(Box<Artifact>),
}

/// Decides on a version.
pub(crate) async fn resolve(
    adapter: &dyn Adapter,
    name: Name,
    requirement: Option<&str>,
    context: &Context<'_>,
) -> Result<Resolved, Error> {
    let survey = adapter.survey(&name, context);
    if let Some(requirement) = requirement {
        return explicit(adapter, name, requirement, survey, context).await;
    }
    if let Some(nearest) = survey.installed.first().cloned() {
        let reason = if nearest.bundled { Reason::Bundled } else { Reason::Installed };
        return Ok(installed(name, nearest, reason, survey));
    }
    let (requirement, reason) = match (survey.locked.first(), &survey.requirement) {
        (Some(locked), _) => {
            let file = locked.file.clone();
            let reason = match locked.by_conda {
                true => Reason::LockedByConda { file },
                false => Reason::Locked { file },
            };
            (Some(locked.version.clone()), reason)
        }
        (None, Some(required)) => {
            let (file, requirement) = (required.file.clone(), required.range.clone());
            (Some(requirement.clone()), Reason::Declared { file, requirement })
        }
        (None, None) => (None, Reason::Newest),
    };
    registry(adapter, name, requirement.as_deref(), reason, survey, context).await
}

async fn explicit(
    adapter: &dyn Adapter,
    name: Name,
    requirement: &str,
    survey: Survey,
    context: &Context<'_>,
) -> Result<Resolved, Error> {
    let reason = Reason::Explicit { requirement: requirement.to_owned() };
    let exact = adapter.exact(requirement);
    let mut fitting = None;
    for copy in &survey.installed {
        let fits = match &exact {
            Some(exact) => *exact == copy.version,
            // A tag such as `next` means what the registry says, so no installed copy can be it.
            None => adapter.satisfies(requirement, &copy.version).unwrap_or(false),
        };
        if fits {
            fitting = Some(copy.clone());
            break;
        }
    }
    // Another project's copy is as good as a download, if it is the very version.
    let elsewhere = || survey.elsewhere.iter().find(|copy| exact.as_ref() == Some(&copy.version));
    match fitting.or_else(|| elsewhere().cloned()) {
        Some(copy) => Ok(installed(name, copy, reason, survey)),
        None => registry(adapter, name, Some(requirement), reason, survey, context).await,
    }
}

fn installed(name: Name, copy: Installed, reason: Reason, survey: Survey) -> Resolved {
    let others = survey.installed.into_iter().filter(|other| other.version != copy.version);
    let others = others.map(|other| (other.version, other.shown)).collect();
    Resolved {
        name: Name { package: copy.name, module: name.module },
        version: copy.version,
        reason,
        from: From::Installed { place: copy.place, shown: copy.shown },
        others,
        newest: None,
        problems: survey.problems,
    }
}

async fn registry(
    adapter: &dyn Adapter,
    name: Name,
    requirement: Option<&str>,
    reason: Reason,
    survey: Survey,
    context: &Context<'_>,
) -> Result<Resolved, Error> {
    let releases = match adapter.releases(&name, requirement, context).await {
        Ok(releases) => releases,
        Err(error) => return on_disk(adapter, name, requirement, reason, survey, error),
    };
    let release = adapter.choose(requirement, &releases)?;
    let newest = newest(adapter, &releases);
    let Release { version, artifact, .. } = release.clone();
    let Some(artifact) = artifact else {
        let message = format!("{} {version} has no files that can be read", name.package);
        return Err(Error::new(ErrorKind::VersionNotFound, message));
    };
    let package = releases.name.clone().unwrap_or(name.package);
    Ok(Resolved {
        name: Name { package, module: name.module },
        version,
        reason,
        from: From::Registry(Box::new(artifact)),
        others: survey.installed.into_iter().map(|copy| (copy.version, copy.shown)).collect(),
        newest,
        problems: survey.problems,
    })
}

/// What was fetched for another project, when no registry can be asked.
fn on_disk(
    adapter: &dyn Adapter,
    name: Name,
    requirement: Option<&str>,
    reason: Reason,
    mut survey: Survey,
    error: Error,
) -> Result<Resolved, Error> {
    let cannot_ask =
        matches!(error.kind(), ErrorKind::Offline | ErrorKind::NoRegistry | ErrorKind::Network);
    let exact = requirement.and_then(|requirement| adapter.exact(requirement));
    let fits = |version: &str| match (&exact, requirement) {
        (Some(exact), _) => exact == version,
        (None, Some(range)) => adapter.satisfies(range, version).unwrap_or(false),
        (None, None) => true,
    };
    let copy = survey.elsewhere.iter().find(|copy| cannot_ask && fits(&copy.version)).cloned();
    let Some(copy) = copy else { return Err(error) };
    survey.problems.push(error.to_string());
    let reason = if reason == Reason::Newest { Reason::OnDisk } else { reason };
    Ok(installed(name, copy, reason, survey))
}

fn newest(adapter: &dyn Adapter, releases: &Releases) -> Option<String> {
    adapter.choose(None, releases).ok().map(|release| release.version.clone())
}
