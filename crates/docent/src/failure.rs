//! Why a command could not do its work, what to try, and how the process ends for it.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use docent_packages::{Error, ErrorKind};
use serde_json::{Value, json};

use crate::exit;

/// A command that could not do its work.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    message: String,
    pub(crate) hints: Vec<String>,
    kind: String,
    ending: Ending,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    Failed,
    Absent,
    Usage,
    /// Whoever reads the output has seen enough.
    Unread,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        let (message, hints) = (message.into(), Vec::new());
        Self { message, hints, kind: "Failed".to_owned(), ending: Ending::Failed }
    }

    /// The command line asks for something that makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { ending: Ending::Usage, kind: "Usage".to_owned(), ..Self::new(message) }
    }

    pub(crate) fn absent(message: impl Into<String>) -> Self {
        Self { ending: Ending::Absent, kind: "NotFound".to_owned(), ..Self::new(message) }
    }

    pub(crate) fn io(doing: impl fmt::Display, error: &std::io::Error) -> Self {
        let failure = Self { kind: "Io".to_owned(), ..Self::new(format!("{doing}: {error}")) };
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self { ending: Ending::Unread, ..failure },
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                failure.hint("the disk is full: free some space")
            }
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                failure.hint("this user may not write there")
            }
            _ => failure,
        }
    }

    /// A file that could not be read or written.
    pub(crate) fn file(doing: &str, file: &Path, error: &std::io::Error) -> Self {
        Self::io(format_args!("`{}` cannot be {doing}", file.display()), error)
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(self.status())
    }

    /// The exit code as a number.
    pub(crate) fn status(&self) -> u8 {
        match self.ending {
            Ending::Failed => 1,
            Ending::Absent => exit::ABSENT,
            Ending::Usage => exit::USAGE,
            Ending::Unread => 0,
        }
    }

    /// Whether nobody is there to be told.
    pub(crate) fn is_silent(&self) -> bool {
        self.ending == Ending::Unread
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "error": { "kind": self.kind, "message": self.message, "hints": self.hints } })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let ending = match error.kind() {
            ErrorKind::PackageNotFound | ErrorKind::VersionNotFound => Ending::Absent,
            _ => Ending::Failed,
        };
        // The engine speaks of the parameters of tools; here they are flags.
        let hints = error.hints().iter().map(|hint| crate::print::as_flags(hint)).collect();
        Self { message: error.to_string(), hints, kind: format!("{:?}", error.kind()), ending }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
