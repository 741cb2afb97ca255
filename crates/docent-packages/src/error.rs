//! The one error type of this crate.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What went wrong, and what to try.
///
/// The message says what happened and where; [`Error::hints`] say what to do about it and are kept
/// apart, so that a caller can show them in its own way. Neither ever holds a credential.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    hints: Vec<String>,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The name is not one that the ecosystem allows.
    InvalidName,
    /// The version or range does not follow the ecosystem's syntax.
    InvalidVersion,
    /// No such package in the project or in the registries that were asked.
    PackageNotFound,
    /// The package exists, this version of it does not.
    VersionNotFound,
    /// The ecosystem is not supported, or not yet.
    Unsupported,
    /// No registry is configured and no tool of the ecosystem could name one.
    NoRegistry,
    /// The answer is not on this machine, and going online is not allowed.
    Offline,
    /// A registry wants credentials that it was not given, or refuses those it was.
    Unauthorized,
    /// A registry could not be reached, or answered with nonsense.
    Network,
    /// What arrived is not what was published: a digest does not match.
    Integrity,
    /// An archive or a file breaks a rule that keeps its reader safe.
    Refused,
    /// Something is larger, deeper or slower than its limit allows.
    LimitExceeded,
    /// The worker process died or could not be started.
    Worker,
    /// Files of this machine could not be read or written.
    Io,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hints: Vec::new() }
    }

    pub(crate) fn io(doing: impl fmt::Display, error: &std::io::Error) -> Self {
        Self::new(ErrorKind::Io, format!("{doing}: {error}"))
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The error of a step, with what it was about in front.
    #[must_use]
    pub(crate) fn about(mut self, what: impl fmt::Display) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// Which kind of error it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What to try, most useful first.
    #[must_use]
    pub fn hints(&self) -> &[String] {
        &self.hints
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
