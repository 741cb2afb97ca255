//! Does a job in a thread of this process, for embedders who want no second one.
//!
//! Panics are caught; a stack overflow is not, nor is memory bounded. A job that takes too long is
//! given up, but its thread goes on to its end.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::death::Death;
use super::frame::Request;
use super::{Finder, Job, STACK_BYTES, read};
use crate::{Error, ErrorKind, Extraction};

pub(super) async fn run(job: Job, find: Finder) -> Result<Extraction, Error> {
    let timeout = job.limits.worker_timeout;
    let request = Request { job, skip: Vec::new() };
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let work = {
        let request = Request { job: request.job.clone(), skip: Vec::new() };
        move || {
            let read = || read::read(&request, &|_| {}, &*find);
            // The request is only read, and dropped after a panic.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(read)));
        }
    };
    let builder = std::thread::Builder::new().name("docent-worker".to_owned());
    let started = builder.stack_size(STACK_BYTES).spawn(work);
    started.map_err(|error| {
        Error::new(ErrorKind::Worker, format!("no thread could be started: {error}"))
    })?;
    match tokio::time::timeout(timeout, receiver).await {
        Err(_) => Err(Death::Timeout.error(&request.job, None)),
        Ok(Ok(Ok(result))) => result,
        Ok(Ok(Err(_)) | Err(_)) => Err(Death::Panic.error(&request.job, None)),
    }
}
