//! The packages that complete one package: types and bases that live elsewhere, re-exports.
//!
//! Most are installed beside it, and are found while a worker waits ([`Companions::finder`]). What
//! has to be fetched waits for the worker to end ([`Companions::fetch`]); then the package is read
//! again. What is found is the same for each question, since a worker may be tried again.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ecosystem::Adapter;
use crate::engine::Engine;
use crate::tree::Place;
use crate::worker::{Finder, Job, Source};
use crate::{Progress, Wanted, resolve};

/// The companions of one package, as far as they are known.
pub(crate) struct Companions {
    engine: Engine,
    adapter: &'static dyn Adapter,
    package: Source,
    project: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// In the order they were found.
    known: Vec<Source>,
    /// What is installed of each name that was asked for.
    installed: HashMap<String, Option<Source>>,
    /// What was asked for and found installed, in that order.
    answered: Vec<Wanted>,
    /// The names that were looked for everywhere.
    fetched: HashSet<String>,
}

impl Companions {
    pub(crate) fn new(
        engine: Engine,
        adapter: &'static dyn Adapter,
        package: Source,
        project: &Path,
    ) -> Self {
        let state = Mutex::default();
        Self { engine, adapter, package, project: project.to_owned(), state }
    }

    /// Those found so far.
    pub(crate) fn known(&self) -> Vec<Source> {
        self.state().known.clone()
    }

    /// What was asked for and found installed, so far.
    pub(crate) fn answered(&self) -> Vec<Wanted> {
        self.state().answered.clone()
    }

    /// The folders that installed companions may be in.
    pub(crate) fn reach(&self) -> Vec<PathBuf> {
        match &self.package.place {
            Place::Folder { root, .. } => self.adapter.reach(root, self.engine.limits()),
            Place::Archive { .. } => Vec::new(),
        }
    }

    /// Answers a worker: what is installed, and within its reach.
    pub(crate) fn finder(self: &Arc<Self>, job: &Job) -> Finder {
        let (companions, job) = (Arc::clone(self), job.clone());
        Arc::new(move |wanted| companions.installed(wanted, |source| job.reaches(source)))
    }

    /// An installed companion, if it will do; from then on it is known.
    pub(crate) fn installed(
        &self,
        wanted: &Wanted,
        will_do: impl Fn(&Source) -> bool,
    ) -> Option<Source> {
        if let Some(known) = self.state().installed.get(&wanted.name) {
            return known.clone();
        }
        if self.is_full() {
            return None;
        }
        let found = self.look_up(wanted).filter(will_do);
        let mut state = self.state();
        if let Some(source) = &found {
            state.known.push(source.clone());
            state.answered.push(wanted.clone());
        }
        state.installed.insert(wanted.name.clone(), found.clone());
        found
    }

    fn look_up(&self, wanted: &Wanted) -> Option<Source> {
        let folder = self.folder(wanted);
        let name = self.adapter.name(&wanted.name).ok()?;
        let survey = self.adapter.survey(&name, &self.engine.context(&folder));
        let mut copies = survey.installed.into_iter().chain(survey.elsewhere);
        let copy = copies.find(|copy| self.will_do(wanted, &copy.version))?;
        Some(Source { name: copy.name, version: copy.version, place: copy.place })
    }

    /// Whether a version is one that the package that wants it would get.
    fn will_do(&self, wanted: &Wanted, version: &str) -> bool {
        // Elsewhere what is installed is what an import finds, whatever the manifest had in mind.
        let requirement = wanted.requirement.as_deref();
        let requirement = requirement.filter(|_| self.adapter.is_chosen_by_project());
        requirement.is_none_or(|range| self.adapter.satisfies(range, version).unwrap_or(true))
    }

    /// Finds what a worker did without, wherever it is; whether there is something new.
    pub(crate) async fn fetch(&self, wanted: &[Wanted], progress: &Progress) -> bool {
        let before = self.state().known.len();
        for wanted in wanted {
            let answered = matches!(self.state().installed.get(&wanted.name), Some(Some(_)));
            if answered || self.is_full() || !self.state().fetched.insert(wanted.name.clone()) {
                continue;
            }
            if let Some(companion) = self.find(wanted, progress).await {
                self.state().known.push(companion);
                if wanted.decides {
                    break;
                }
            }
        }
        self.state().known.len() > before
    }

    /// A companion; nothing if it is not to be had.
    async fn find(&self, wanted: &Wanted, progress: &Progress) -> Option<Source> {
        let folder = self.folder(wanted);
        let (adapter, context) = (self.adapter, self.engine.context(&folder));
        let name = adapter.name(&wanted.name).ok()?;
        // What is installed is what an import finds, whatever the manifest had in mind.
        let survey = adapter.survey(&name, &context);
        let mut copies = survey.installed.iter().chain(&survey.elsewhere);
        let is_installed = copies.any(|copy| self.will_do(wanted, &copy.version));
        let may_ask = !wanted.optional && adapter.may_ask(&self.package.name, &name, &context);
        if !is_installed && !may_ask {
            return None;
        }
        let is_range = !is_installed || adapter.is_chosen_by_project();
        let requirement = wanted.requirement.as_deref().filter(|_| is_range);
        let resolved = match resolve::resolve(adapter, name.clone(), requirement, &context).await {
            // Types are not always published for each version of what they describe.
            Err(error) if error.kind() == crate::ErrorKind::VersionNotFound => {
                resolve::resolve(adapter, name, None, &context).await.ok()?
            }
            other => other.ok()?,
        };
        self.engine.locate(&resolved, progress).await.ok().map(|(source, _)| source)
    }

    /// Where to look from: the package that wants it, or the project.
    fn folder(&self, wanted: &Wanted) -> PathBuf {
        if self.adapter.is_chosen_by_project() {
            return self.project.clone();
        }
        let state = self.state();
        let from = state.known.iter().find(|known| known.name == wanted.wanted_by);
        match &from.unwrap_or(&self.package).place {
            Place::Folder { root, files: None } => root.clone(),
            // A folder that packages share belongs to an environment, which the project leads to.
            Place::Folder { files: Some(_), .. } | Place::Archive { .. } => self.project.clone(),
        }
    }

    fn is_full(&self) -> bool {
        self.state().known.len() >= self.engine.limits().companions_max
    }

    /// Nothing panics while it is held.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
