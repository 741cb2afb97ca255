//! The worker's side: reads the job, gives up its rights, does the work, answers, ends.
//!
//! Three threads: this one waits; one does the work, on a stack of a size that parsers need; one
//! watches the input, which has the answers to what the work asks for, and whose end means that the
//! parent is gone.

use std::io;
use std::path::Path;
use std::process::exit;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;

use super::death::PANIC_CODE;
use super::frame::{self, Fault, Kind, Request};
use super::{STACK_BYTES, Source, code, confine, read};
use crate::{Error, ErrorKind, Extraction, Wanted};

/// What the worker exits with when it cannot talk to its parent.
const MUTE_CODE: i32 = 3;

pub(super) fn main() -> ! {
    let Ok(request) = request() else { exit(MUTE_CODE) };
    let job = &request.job;
    let sources = std::iter::once(&job.package).chain(&job.companions);
    let places: Vec<&Path> =
        sources.map(|source| source.place.path()).chain(job.folders()).collect();
    let confinement = confine::confine(&job.limits, &places);
    let Ok(confinement) = frame::encode(&confinement) else { exit(MUTE_CODE) };
    say(Kind::Ready, &confinement);
    let (answers, answered) = channel();
    let watch = move || watch(&answers);
    let watch = Builder::new().name("watch".to_owned()).stack_size(1 << 18).spawn(watch);
    let work = Builder::new().name("work".to_owned()).stack_size(STACK_BYTES);
    let work = work.spawn(move || {
        confine::no_more_threads();
        read_and_answer(&request, &answered);
    });
    match (watch, work) {
        (Ok(_), Ok(work)) => exit(if work.join().is_ok() { 0 } else { PANIC_CODE }),
        _ => exit(MUTE_CODE),
    }
}

fn request() -> Result<Request, Fault> {
    match frame::read(&mut io::stdin().lock())? {
        (Kind::Request, bytes) => frame::decode(&bytes),
        (Kind::Code, bytes) => code::child(&bytes),
        _ => Err(Fault::Nonsense),
    }
}

/// Hands on what comes, and ends everything at the end of the input.
fn watch(answers: &Sender<Option<Source>>) {
    while let Ok((Kind::Answer, bytes)) = frame::read(&mut io::stdin().lock()) {
        let Ok(answer) = frame::decode(&bytes) else { break };
        if answers.send(answer).is_err() {
            break;
        }
    }
    exit(MUTE_CODE);
}

fn read_and_answer(request: &Request, answers: &Receiver<Option<Source>>) {
    let ask = |wanted: &Wanted| {
        say(Kind::Asking, &frame::encode(wanted).ok()?);
        answers.recv().unwrap_or_else(|_| exit(MUTE_CODE))
    };
    let before = |file: Option<&str>| match file {
        None => say(Kind::Opening, &[]),
        Some(file) => say(Kind::Reading, file.as_bytes()),
    };
    match read::read(request, &before, &ask) {
        Ok(extraction) => {
            answer(&extraction, request.job.limits.extraction_bytes_max);
            // Taking apart what was found would serve nobody.
            exit(0)
        }
        Err(error) => refuse(&error),
    }
}

/// Sends an extraction without a second copy of it in memory.
fn answer(extraction: &Extraction, bytes_max: u64) {
    match frame::size(extraction) {
        Ok(size) if size as u64 <= bytes_max => {
            if frame::write_value(&mut io::stdout().lock(), Kind::Done, size, extraction).is_err() {
                exit(MUTE_CODE);
            }
        }
        _ => refuse(&Error::new(
            ErrorKind::LimitExceeded,
            "the package gives more items and text than the limit",
        )),
    }
}

fn refuse(error: &Error) {
    if let Ok(bytes) = frame::encode(error) {
        say(Kind::Failed, &bytes);
    }
}

/// Says something to the parent. Without one there is nothing left to do.
fn say(kind: Kind, bytes: &[u8]) {
    if frame::write(&mut io::stdout().lock(), kind, bytes).is_err() {
        exit(MUTE_CODE);
    }
}
