//! Runs extraction where a stack overflow, a runaway or a bomb costs one request and no more.
//!
//! A job goes to a process of its own (`parent` starts it, `child` is it), which is this program
//! started again: it gives up all rights it does not need (`confine`), reads the one package, says
//! which file it is at as it goes, and answers in `frame`s. If it dies, the file it was at is
//! left out of the next attempt. An embedder may choose a `thread` instead.

mod child;
mod code;
mod confine;
mod death;
mod frame;
mod parent;
mod read;
mod thread;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::time::Instant;

pub use self::confine::{Confinement, Degree};
use self::death::{Attempt, Death};
use crate::tree::Place;
use crate::{Ecosystem, Error, ErrorKind, Extraction, Limits, Problem, Wanted};

/// The variable that tells a process that it is a worker.
const ROLE_VARIABLE: &str = "DOCENT_WORKER";

/// The stack on which packages are parsed.
const STACK_BYTES: usize = 64 << 20;

/// How often a job is tried again without the file that brought the worker down.
const ATTEMPTS_MAX: usize = 4;

/// One package to read, and those that complete it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// What the packages are.
    pub ecosystem: Ecosystem,
    /// The package that the extraction is about.
    pub package: Source,
    /// What to read of the package if it is too large to be read at once: the module that is asked
    /// about. Without one, what it consists of is listed then.
    pub part: Option<String>,
    /// Other packages that it refers to.
    pub companions: Vec<Source>,
    /// Folders of other packages that may turn out to be needed: a worker process may read there,
    /// and nowhere else, when it is told to by the answer to what it asks for.
    #[serde(with = "crate::paths::list")]
    pub reach: Vec<PathBuf>,
    /// How much to read, and how long.
    pub limits: Limits,
}

impl Job {
    /// Whether a worker process with this job can read a package.
    pub(crate) fn reaches(&self, source: &Source) -> bool {
        let given = std::iter::once(&self.package).chain(&self.companions);
        let mut given = given.map(|source| source.place.path()).chain(self.folders());
        given.any(|folder| source.place.path().starts_with(folder))
    }

    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.reach.iter().map(PathBuf::as_path)
    }
}

/// Finds a package that a worker asks for, if it is to be had at once.
pub(crate) type Finder = Arc<dyn Fn(&Wanted) -> Option<Source> + Send + Sync>;

/// How often one worker may ask.
const QUESTIONS_MAX: usize = 256;

/// A package whose files have not been opened yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where its files are; the path must be absolute.
    pub place: Place,
}

/// Where packages are opened and parsed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Isolation {
    /// In a process of its own for each job: this command, which must call [`run_if_worker`] before
    /// anything else.
    Process(Vec<OsString>),
    /// In a thread of this process: a package that overflows the stack takes the process with it.
    InProcess,
}

impl Default for Isolation {
    /// This program, started again. Its `main` must call [`run_if_worker`] first.
    fn default() -> Self {
        // A worker that starts workers would be a program that does not know it is one.
        if std::env::var_os(ROLE_VARIABLE).is_some() {
            return Self::InProcess;
        }
        // The link leads to the running program even after an update has replaced the file.
        let link = std::path::Path::new("/proc/self/exe");
        let program = if link.exists() { Ok(link.to_owned()) } else { std::env::current_exe() };
        program.map_or(Self::InProcess, |program| Self::Process(vec![program.into_os_string()]))
    }
}

/// Does one job and ends the process, if that is what it was started for; returns otherwise.
///
/// Call it first in `main`, before any thread is started and any file is opened.
#[inline]
pub fn run_if_worker() {
    if std::env::var_os(ROLE_VARIABLE).is_some() {
        child::main();
    }
}

/// The worker processes.
pub struct Workers {
    isolation: Isolation,
    running: Semaphore,
    places: u32,
    confinement: OnceLock<Confinement>,
}

impl Workers {
    /// At most [`Limits::workers_max`] at once.
    #[must_use]
    pub fn new(isolation: Isolation, limits: &Limits) -> Self {
        let places = u32::try_from(limits.workers_max.clamp(1, 1024)).unwrap_or(1);
        let running = Semaphore::new(places as usize);
        Self { isolation, running, places, confinement: OnceLock::new() }
    }

    /// What holds the worker processes back on this machine, once there has been one.
    #[must_use]
    pub fn confinement(&self) -> Option<Confinement> {
        self.confinement.get().copied()
    }

    /// Reads a package. A file that brings the worker down is left out, and is a
    /// [`Problem`] of the result.
    ///
    /// # Errors
    /// If the package cannot be opened, a limit is exceeded, or the worker cannot be helped.
    pub async fn run(&self, job: Job) -> Result<Extraction, Error> {
        self.run_with(job, Arc::new(|_| None), 0).await
    }

    /// The same, with a way to find other packages on the way. What it finds must be what the job
    /// [reaches](Job::reaches). A job with much code is done while no other is, so that their memory
    /// does not add up.
    pub(crate) async fn run_with(
        &self,
        job: Job,
        find: Finder,
        code_bytes: u64,
    ) -> Result<Extraction, Error> {
        /// Code from which a worker needs so much memory that two are too many.
        const MUCH: u64 = 6 << 20;
        let closed = |_| Error::new(ErrorKind::Worker, "the workers have been stopped");
        let places = if code_bytes > MUCH { self.places } else { 1 };
        let permit = self.running.acquire_many(places).await.map_err(closed)?;
        let extraction = match &self.isolation {
            Isolation::InProcess => thread::run(job, find).await,
            Isolation::Process(command) => repeat(command, job, &find, &self.confinement).await,
        };
        drop(permit);
        extraction
    }
}

/// Runs a job, and again without each file that the worker dies of.
async fn repeat(
    command: &[OsString],
    job: Job,
    find: &Finder,
    confinement: &OnceLock<Confinement>,
) -> Result<Extraction, Error> {
    let deadline = Instant::now() + job.limits.worker_timeout;
    let mut request = frame::Request { job, skip: Vec::new() };
    let mut deaths: Vec<Death> = Vec::new();
    loop {
        let attempt = parent::attempt(command, &request, deadline, find, confinement);
        let (death, culprit) = match attempt.await? {
            Attempt::Done(extraction) => {
                return Ok(with_problems(*extraction, &request, &deaths));
            }
            Attempt::Failed(error) => return Err(error),
            Attempt::Died(death, culprit) => (death, culprit),
        };
        match culprit {
            Some(file)
                if death.may_be_one_file()
                    && request.skip.len() + 1 < ATTEMPTS_MAX
                    && !request.skip.contains(&file) =>
            {
                request.skip.push(file);
                deaths.push(death);
            }
            culprit => return Err(death.error(&request.job, culprit.as_deref())),
        }
    }
}

/// Checks what a worker says, and adds what became of the files that were left out.
fn with_problems(
    mut extraction: Extraction,
    request: &frame::Request,
    deaths: &[Death],
) -> Extraction {
    extraction.items.truncate(request.job.limits.items_max);
    for (position, item) in extraction.items.iter_mut().enumerate() {
        // The rest of the engine relies on parents that come before their children.
        item.parent = item.parent.filter(|&parent| (parent as usize) < position);
    }
    let own = format!("{}:", request.job.package.name);
    for (file, death) in request.skip.iter().zip(deaths) {
        let file = file.strip_prefix(&own).unwrap_or(file).to_owned();
        let message = format!("not read: {death}");
        extraction.problems.retain(|problem| problem.file != file);
        extraction.problems.push(Problem { file, line: None, message });
    }
    extraction
}
