//! Go: modules, the packages inside them, and those that come with Go.
//!
//! In reading order: `name` and `version` (what is asked for), `settings` and `project` with
//! `module_file` (where to look), `installed` and `standard` (what is there), `sums` (what it should
//! be), `proxies` and `registry` (where to get it).

mod installed;
mod module_file;
mod name;
mod project;
mod proxies;
mod registry;
mod settings;
mod standard;
mod sums;
mod version;

use std::path::{Path, PathBuf};

use self::project::Project;
use self::settings::Settings;
use super::python::files::Files;
use super::{Adapter, BoxFuture, Context, Dependency, Locked, Name, Release, Releases, Survey};
use crate::{Error, Limits};

/// The adapter.
pub(crate) struct Go;

impl Adapter for Go {
    fn name(&self, written: &str) -> Result<Name, Error> {
        name::parse(written)
    }

    fn module(&self, name: &Name) -> Option<String> {
        // The module as a whole, unless one of its packages was asked for.
        let module = name.module.as_ref().filter(|module| **module != name.package)?;
        let is_inside = name::is_within(module, &name.package) || name::is_standard(module);
        is_inside.then(|| module.clone())
    }

    fn survey(&self, name: &Name, context: &Context<'_>) -> Survey {
        let files = Files::new(context.limits);
        let settings = Settings::read(context.environment, &files);
        let project = Project::find(context.project, &settings, &files);
        let path = name.package.as_str();
        let cache = settings.module_cache();
        let required = installed::required(&project, path);
        let mut survey = Survey::default();
        survey.installed.extend(installed::own(&project, path));
        survey.installed.extend(installed::vendored(&project, path, &files));
        if let Some(required) = &required {
            survey.installed.extend(installed::of_required(&project, required, cache.as_deref()));
            survey.locked.push(Locked {
                name: required.module.clone(),
                version: required.version.clone(),
                file: required.file.clone(),
                by_conda: false,
            });
        } else {
            survey.installed.extend(installed::of_replaced(&project, path));
            survey.locked.extend(summed(&project, path, &files));
            if let Some(locked) = survey.locked.first() {
                let copy = cache
                    .as_ref()
                    .and_then(|cache| installed::cached(cache, &locked.name, &locked.version));
                survey.installed.extend(copy);
            }
        }
        if survey.installed.is_empty() && name::is_standard(path) {
            let found = standard::find(path, &project, &settings, context.environment, &files);
            survey.installed.extend(found);
        }
        if let Some(cache) = &cache {
            survey.elsewhere = installed::all_cached(cache, path, &files);
        }
        Survey { problems: files.into_problems(), ..survey }
    }

    /// Packages of other modules are not read with a module.
    fn reach(&self, _: &Path, _: &Limits) -> Vec<PathBuf> {
        Vec::new()
    }

    fn dependencies(&self, context: &Context<'_>) -> Vec<Dependency> {
        let files = Files::new(context.limits);
        let settings = Settings::read(context.environment, &files);
        let project = Project::find(context.project, &settings, &files);
        let selected = project.selected().into_iter();
        let mut all: Vec<Dependency> = selected
            .map(|one| Dependency {
                name: one.module,
                version: Some(one.version),
                direct: one.direct,
            })
            .collect();
        all.sort_by_key(|one| !one.direct);
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
        Box::pin(registry::releases(name, requirement, context))
    }

    fn choose<'a>(
        &self,
        requirement: Option<&str>,
        releases: &'a Releases,
    ) -> Result<&'a Release, Error> {
        version::choose(requirement, releases)
    }

    fn may_ask(&self, _: &str, wanted: &Name, context: &Context<'_>) -> bool {
        let files = Files::new(context.limits);
        !Settings::read(context.environment, &files).is_private(&wanted.package)
    }

    fn registries<'a>(
        &'a self,
        context: &'a Context<'a>,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(async move {
            let files = Files::new(context.limits);
            let settings = Settings::read(context.environment, &files);
            let list = proxies::list(&settings, context).await?;
            let shown = |element: proxies::Element| match element.place {
                proxies::Place::Proxy(proxy) => crate::fetch::shown(&proxy.url),
                proxies::Place::Direct => "direct".to_owned(),
                proxies::Place::Off => "off".to_owned(),
            };
            Ok(list.into_iter().map(shown).collect())
        })
    }
}

/// The module that a `go.sum` of the project knows, though no `go.mod` names it.
fn summed(project: &Project, path: &str, files: &Files<'_>) -> Option<Locked> {
    project.roots().into_iter().find_map(|root| {
        let file = root.join("go.sum");
        let text = files.text(&file)?;
        name::candidates(path).into_iter().find_map(|module| {
            let version = sums::highest(&text, module)?;
            Some(Locked { name: module.to_owned(), version, file: file.clone(), by_conda: false })
        })
    })
}

#[cfg(test)]
mod tests;
