//! Which versions of a package there are: in the project, in the cache, in the registries.

use std::path::PathBuf;

use crate::engine::Engine;
use crate::{Error, ErrorKind, Progress, Target, ecosystem};

impl Engine {
    /// The versions of a package, those of the project first, then newest first.
    ///
    /// # Errors
    /// If the name is not one that its ecosystem allows, or neither the project nor a registry
    /// knows the package.
    pub async fn versions(&self, target: &Target) -> Result<Vec<String>, Error> {
        let adapter = ecosystem::of(target.package.ecosystem);
        let project = self.project(target)?;
        let context = self.context(&project);
        let name = adapter.asked(&target.package)?;
        let survey = adapter.survey(&name, &context);
        let installed = survey.installed.into_iter().map(|installed| installed.version);
        let locked = survey.locked.into_iter().map(|locked| locked.version);
        let mut versions: Vec<String> = installed.chain(locked).collect();
        match adapter.releases(&name, None, &context).await {
            Ok(releases) => {
                versions.extend(releases.all.into_iter().rev().map(|release| release.version));
            }
            Err(error) if versions.is_empty() => return Err(error),
            // What the project has is an answer, too.
            Err(_) => {}
        }
        let mut seen = crate::hashing::HashSet::default();
        versions.retain(|version| seen.insert(version.clone()));
        Ok(versions)
    }

    /// Where a package is installed for a project, if it is, in the version asked for.
    #[must_use]
    pub fn installed_at(&self, target: &Target) -> Option<PathBuf> {
        let adapter = ecosystem::of(target.package.ecosystem);
        let project = self.project(target).ok()?;
        let name = adapter.asked(&target.package).ok()?;
        let installed = adapter.survey(&name, &self.context(&project)).installed;
        let wanted = target.package.version.as_ref();
        let fits = installed.into_iter().find(|one| wanted.is_none_or(|v| *v == one.version))?;
        Some(fits.shown)
    }

    /// The newest release that a user would get.
    ///
    /// # Errors
    /// If no registry knows the package, or none may be asked.
    pub async fn newest(&self, target: &Target, progress: &Progress) -> Result<String, Error> {
        let known = self.load(target, progress).await.ok();
        if let Some(newest) = known.and_then(|loaded| loaded.receipt().newest.clone()) {
            return Ok(newest);
        }
        let adapter = ecosystem::of(target.package.ecosystem);
        let project = self.project(target)?;
        let context = self.context(&project);
        let name = adapter.asked(&target.package)?;
        let releases = adapter.releases(&name, None, &context).await.map_err(|error| {
            let message = format!("the newest version of {} is not known: {error}", name.package);
            Error::new(error.kind(), message).hint("name the version")
        })?;
        let newest = adapter.choose(None, &releases).map_err(|_| {
            let message = format!("no release of {} can be chosen", name.package);
            Error::new(ErrorKind::VersionNotFound, message).hint("name the version")
        })?;
        Ok(newest.version.clone())
    }
}
