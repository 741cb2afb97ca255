//! The Rust ecosystem: names, versions, projects and registries of crates.
//!
//! In the order of a question: `name` takes apart what was asked for; `manifest` and `lockfile` say
//! what the project chose; `installed` finds its files where cargo keeps them (`toolchain` those of
//! the standard library); `config` says which registry to ask, `registry` asks it, and `version`
//! chooses among what it knows. Files are only ever opened in `read`.

mod config;
mod installed;
mod lockfile;
mod manifest;
mod name;
mod read;
mod registry;
mod toolchain;
mod version;

use std::path::{Path, PathBuf};

use self::config::{Config, Source};
use self::installed::Shelves;
use self::lockfile::Lockfile;
use self::manifest::{Asked, Manifest};
use super::{
    Adapter, BoxFuture, Context, Dependency, Installed, Locked, Name, Release, Releases, Required,
    Survey,
};
use crate::{Error, ErrorKind, Limits};

/// The adapter.
pub(crate) struct Rust;

/// What a project says of its packages.
struct Project {
    manifest: Option<Manifest>,
    lockfile: Option<Lockfile>,
}

impl Project {
    fn find(context: &Context<'_>, notes: &mut read::Notes) -> Self {
        Self {
            manifest: Manifest::find(context.project, context.limits, notes),
            lockfile: Lockfile::find(context.project, context.limits, notes),
        }
    }

    fn asks_for(&self, package: &str) -> Option<Asked> {
        self.manifest.as_ref()?.asks_for(package)
    }

    /// The locked versions of a package, the one that the project itself uses first.
    fn locked(&self, package: &str, asked: Option<&Asked>) -> Vec<&lockfile::Locked> {
        let Some(lockfile) = &self.lockfile else { return Vec::new() };
        let mut found: Vec<&lockfile::Locked> = lockfile.named(package).collect();
        found.sort_by(|a, b| version::order(&b.version, &a.version));
        let own = self.manifest.as_ref().and_then(Manifest::name);
        let own = own.and_then(|own| lockfile.packages.iter().find(|it| it.name == own));
        found.sort_by_key(|locked| {
            let used = own.is_some_and(|own| {
                own.dependencies.iter().any(|(name, version)| {
                    *name == locked.name && version.as_ref().is_none_or(|it| *it == locked.version)
                })
            });
            let range = asked.and_then(|asked| asked.requirement.as_deref());
            let fits = range
                .is_some_and(|range| version::satisfies(range, &locked.version).unwrap_or(false));
            (!fits, !used)
        });
        found
    }

    /// The registry of a package, if it is not the default one.
    fn registry(&self, package: &str) -> Option<String> {
        let asked = self.asks_for(package);
        let real = asked.as_ref().map_or(package, |asked| asked.package.as_str());
        let locked = self.locked(real, asked.as_ref()).into_iter().find_map(|it| it.source.clone());
        let named = asked.as_ref().and_then(|asked| asked.registry.clone());
        named.or(locked.filter(|source| !source.starts_with("git+")))
    }
}

impl Adapter for Rust {
    fn name(&self, written: &str) -> Result<Name, Error> {
        name::parse(written)
    }

    fn survey(&self, name: &Name, context: &Context<'_>) -> Survey {
        let package = name.package.as_str();
        let mut problems = read::Notes::new();
        let project = Project::find(context, &mut problems);
        let asked = project.asks_for(package);
        let real = asked.as_ref().map_or(package, |asked| asked.package.as_str());
        let config = Config::read(context);
        problems.extend(config.notes.iter().cloned());
        let shelves = Shelves::new(context, &config);
        let mut survey = Survey::default();
        if name::is_bundled(package) && asked.is_none() {
            survey.installed.extend(toolchain::find(package, context, &mut problems));
        }
        for locked in project.locked(real, asked.as_ref()) {
            let found = shelves.locked(locked, project.manifest.as_ref(), &mut problems);
            survey.installed.extend(found);
            if let Some(file) = project.lockfile.as_ref().map(|lockfile| &lockfile.file) {
                let (name, version) = (locked.name.clone(), locked.version.clone());
                survey.locked.push(Locked { name, version, file: file.clone(), by_conda: false });
            }
        }
        let known = |survey: &Survey, copy: &Installed| {
            survey.installed.iter().any(|it| it.version == copy.version)
        };
        if let Some(manifest) = &project.manifest
            && let Some(copy) = shelves.member(real, manifest, &mut problems)
            && !known(&survey, &copy)
        {
            survey.installed.push(copy);
        }
        survey.elsewhere = shelves.all(real);
        survey
            .elsewhere
            .retain(|copy| !survey.installed.iter().any(|it| it.version == copy.version));
        let file = project.manifest.as_ref().map(|manifest| manifest.file.clone());
        survey.requirement = asked
            .and_then(|asked| asked.requirement.filter(|_| !asked.git))
            .zip(file)
            .map(|(range, file)| Required { range, file });
        survey.problems = problems;
        survey
    }

    fn reach(&self, folder: &Path, limits: &Limits) -> Vec<PathBuf> {
        installed::reach(folder, limits)
    }

    fn dependencies(&self, context: &Context<'_>) -> Vec<Dependency> {
        let mut notes = read::Notes::new();
        let project = Project::find(context, &mut notes);
        let asked = project.manifest.as_ref().map(Manifest::dependencies).unwrap_or_default();
        let mut direct: Vec<Dependency> = Vec::new();
        for asked in asked {
            let locked =
                project.locked(&asked.package, Some(&asked)).first().map(|it| it.version.clone());
            let one = Dependency { name: asked.package, version: locked, direct: true };
            if !direct.contains(&one) {
                direct.push(one);
            }
        }
        let locked = project.lockfile.iter().flat_map(|lockfile| &lockfile.packages);
        let locked = locked.filter(|locked| locked.source.is_some());
        Dependency::merged(direct, locked.map(|locked| (&*locked.name, &*locked.version)))
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
            let mut notes = read::Notes::new();
            if name::is_bundled(&name.package) {
                return Err(no_sources(&name.package));
            }
            let project = Project::find(context, &mut notes);
            let config = Config::read(context);
            let asked = project.asks_for(&name.package);
            let real = asked.as_ref().map_or(name.package.clone(), |asked| asked.package.clone());
            let registry = project.registry(&name.package);
            let explained = |error| explain(error, &config);
            match config.source(registry.as_deref()).map_err(explained)? {
                Source::Sparse { index, access } => {
                    registry::releases(&real, &index, &access, context).await.map_err(explained)
                }
                Source::Folder(folder) | Source::LocalRegistry(folder) => {
                    let message = format!(
                        "{real} is not in {}, which stands in for its registry",
                        folder.display()
                    );
                    Err(Error::new(ErrorKind::PackageNotFound, message))
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

    /// Crates of the default registry depend on nothing else; others may on anything, so that only
    /// what the project itself places somewhere is asked for.
    fn may_ask(&self, package: &str, wanted: &Name, context: &Context<'_>) -> bool {
        let project = Project::find(context, &mut read::Notes::new());
        let is_default = |package: &str| {
            project.registry(package).is_none_or(|registry| config::is_default(&registry))
        };
        let is_known = project.lockfile.iter().any(|it| it.named(&wanted.package).next().is_some());
        let is_own = project
            .manifest
            .as_ref()
            .is_some_and(|it| it.name().is_some_and(|own| name::same(own, package)));
        is_known || (is_default(package) && !is_own)
    }

    fn is_chosen_by_project(&self) -> bool {
        true
    }

    fn registries<'a>(
        &'a self,
        context: &'a Context<'a>,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(async move {
            Ok(match Config::read(context).source(None)? {
                Source::Sparse { index, .. } => vec![crate::fetch::shown(&index)],
                Source::Folder(folder) | Source::LocalRegistry(folder) => {
                    vec![folder.display().to_string()]
                }
            })
        })
    }
}

fn no_sources(package: &str) -> Error {
    let message = format!("the sources of `{package}` are not on this machine");
    Error::new(ErrorKind::PackageNotFound, message)
        .hint("install them: `rustup component add rust-src`")
}

/// A registry that does not know who asks often says that there is no such package.
fn explain(error: Error, config: &Config) -> Error {
    if !matches!(error.kind(), ErrorKind::Unauthorized | ErrorKind::PackageNotFound) {
        return error;
    }
    config.hints().into_iter().fold(error, Error::hint)
}

#[cfg(test)]
mod tests;
