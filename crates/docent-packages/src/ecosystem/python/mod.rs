//! Python: distributions of a package index, and the modules they bring.

mod environment;
mod files;
mod ini;
mod installed;
mod name;
mod project;
mod stdlib_names;
mod version;

use super::{Adapter, BoxFuture, Context, Dependency, Name, Release, Releases, Survey};
use crate::{Error, Wanted};

/// The adapter.
pub(crate) struct Python;

impl Adapter for Python {
    fn name(&self, written: &str) -> Result<Name, Error> {
        name::parse(written)
    }

    fn survey(&self, name: &Name, context: &Context<'_>) -> Survey {
        let _ = (name, context);
        Survey::default()
    }

    fn dependencies(&self, context: &Context<'_>) -> Vec<Dependency> {
        let _ = context;
        Vec::new()
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
        context: &'a Context<'a>,
    ) -> BoxFuture<'a, Result<Releases, Error>> {
        let _ = (name, context);
        Box::pin(async { Ok(Releases::default()) })
    }

    fn choose<'a>(
        &self,
        requirement: Option<&str>,
        releases: &'a Releases,
    ) -> Result<&'a Release, Error> {
        version::choose(requirement, releases)
    }

    fn type_packages(&self, name: &Name, version: &str) -> Vec<Wanted> {
        let _ = (name, version);
        Vec::new()
    }
}
