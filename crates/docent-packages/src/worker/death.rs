//! How a worker can end, and what is said about it.

use std::fmt;
use std::process::ExitStatus;

use super::Job;
use crate::{Error, ErrorKind, Extraction};

/// What one attempt came to.
pub(super) enum Attempt {
    Done(Box<Extraction>),
    /// The worker says why the package cannot be read.
    Failed(Error),
    /// The worker is gone; the file it was at, as `name:path`.
    Died(Death, Option<String>),
}

/// What a worker died of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Death {
    Timeout,
    Processor,
    Memory,
    Stack,
    Panic,
    Crash,
    /// The answer is longer than it may be.
    Talkative,
    /// What came is not the answer of a worker.
    Stranger,
}

/// What the child exits with after a panic.
pub(super) const PANIC_CODE: i32 = 101;

impl Death {
    /// From what is left: the status and the last words on stderr. The words are the runtime's own;
    /// they only choose between two descriptions of the same end.
    pub(super) fn of(status: ExitStatus, words: &[u8]) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::process::ExitStatusExt as _;
            // The signal for too much processor time; the kernel sends the other one a second later.
            const XCPU: i32 = rustix::process::Signal::XCPU.as_raw();
            if status.signal() == Some(XCPU) {
                return Self::Processor;
            }
        }
        let said = |words_of: &[u8]| memchr::memmem::find(words, words_of).is_some();
        if said(b"overflowed its stack") {
            Self::Stack
        } else if [&b"memory allocation"[..], b"out of memory", b"Out of memory", b"AllocError"]
            .into_iter()
            .any(said)
        {
            Self::Memory
        } else if status.code() == Some(PANIC_CODE) {
            Self::Panic
        } else if status.code() == Some(0) {
            Self::Stranger
        } else {
            Self::Crash
        }
    }

    /// Whether leaving out the file that was being read may help.
    pub(super) fn may_be_one_file(self) -> bool {
        matches!(self, Self::Processor | Self::Memory | Self::Stack | Self::Panic | Self::Crash)
    }

    /// The error for a job that ended like this.
    pub(super) fn error(self, job: &Job, culprit: Option<&str>) -> Error {
        let kind = match self {
            Self::Timeout | Self::Processor | Self::Memory | Self::Talkative => {
                ErrorKind::LimitExceeded
            }
            Self::Stack | Self::Panic | Self::Crash | Self::Stranger => ErrorKind::Worker,
        };
        let at = culprit.map_or(String::new(), |file| format!(", at `{}`", file.escape_debug()));
        let package = &job.package;
        let message = format!("{}@{} could not be read: {self}{at}", package.name, package.version);
        let error = Error::new(kind, message);
        match self {
            Self::Stranger => error.hint(
                "the program that is started as worker must call `run_if_worker` first in `main`",
            ),
            _ => error,
        }
    }
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Timeout => "it takes longer than the limit",
            Self::Processor => "it takes more processor time than the limit",
            Self::Memory => "it takes more memory than the limit",
            Self::Stack => "it nests too deeply for its parser",
            Self::Panic | Self::Crash => "its parser failed on it",
            Self::Talkative => "it gives more than the limit",
            Self::Stranger => "the worker process is not one",
        })
    }
}
