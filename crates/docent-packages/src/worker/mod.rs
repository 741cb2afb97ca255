//! Runs extraction where a stack overflow, a runaway or a bomb costs one request and no more.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

use crate::tree::Place;
use crate::{Ecosystem, Error, Extraction, Limits};

/// One package to read, and those that complete it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) ecosystem: Ecosystem,
    pub(crate) package: Source,
    pub(crate) companions: Vec<Source>,
    pub(crate) limits: Limits,
}

/// A package whose files have not been opened yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) place: Place,
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

/// Does one job and ends the process, if that is what it was started for; returns otherwise.
pub fn run_if_worker() {}

/// The worker processes.
pub(crate) struct Workers {
    isolation: Isolation,
}

impl Workers {
    pub(crate) fn new(isolation: Isolation, limits: &Limits) -> Self {
        let _ = limits;
        Self { isolation }
    }

    pub(crate) async fn run(&self, job: Job) -> Result<Extraction, Error> {
        let _ = (&self.isolation, job);
        unimplemented!()
    }
}
