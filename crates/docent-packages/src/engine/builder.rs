//! How an engine is set up.

use std::path::PathBuf;
use std::sync::Arc;

use super::loaded::Weight;
use super::storing::Storing;
use super::{Engine, Parts};
use crate::cache::Cache;
use crate::fetch::Fetcher;
use crate::project::Projects;
use crate::recent::Recent;
use crate::tool::Tools;
use crate::worker::{Isolation, Workers};
use crate::{Environment, Error, Limits};

/// How an [`Engine`] is set up.
#[derive(Clone, Debug)]
pub struct Builder {
    environment: Environment,
    limits: Limits,
    isolation: Isolation,
    cache: Option<PathBuf>,
    offline: bool,
    languages: Vec<String>,
}

impl Builder {
    /// Where variables and folders come from; the process's own by default.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Other limits than the default ones.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Where packages are opened and parsed; in this process by default, since only a program can
    /// know that it is its own worker.
    #[must_use]
    pub fn isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = isolation;
        self
    }

    /// The cache folder; `docent` in the user's cache folder by default, or a passing one of the
    /// user's own where that cannot be.
    #[must_use]
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cache = Some(folder.into());
        self
    }

    /// Whether registries may not be asked.
    #[must_use]
    pub fn offline(mut self, offline: bool) -> Self {
        self.offline = offline;
        self
    }

    /// The natural languages that prose is preferred in, as tags such as `ja`.
    #[must_use]
    pub fn languages(mut self, languages: Vec<String>) -> Self {
        self.languages = languages;
        self
    }

    /// The engine.
    ///
    /// # Errors
    /// If the cache folder cannot be made.
    pub fn build(self) -> Result<Engine, Error> {
        let cache = match &self.cache {
            Some(folder) => Cache::open(folder, &self.limits)?,
            None => Cache::open_default(&self.environment, &self.limits)?,
        };
        let cache = Arc::new(cache);
        let parts = Parts {
            fetcher: Fetcher::new(&self.limits, Arc::clone(&cache), self.offline),
            tools: Tools::new(Arc::clone(&cache), self.offline),
            workers: Workers::new(self.isolation, &self.limits),
            storing: Storing::new(Arc::clone(&cache)),
            read: Weight::cache(&self.limits),
            recent: Recent::default(),
            projects: Projects::default(),
            environment: self.environment,
            limits: self.limits,
            languages: self.languages,
            cache,
        };
        Ok(Engine { parts: Arc::new(parts) })
    }
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            environment: Environment::of_process(),
            limits: Limits::default(),
            isolation: Isolation::InProcess,
            cache: None,
            offline: false,
            languages: Vec::new(),
        }
    }
}
