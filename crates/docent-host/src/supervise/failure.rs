//! Why a server is not available: everything that is known, in one message.
//!
//! The SDK knows how a program ended and what it complained about last; the [`Witness`] of a
//! connection has seen what stands in no error: lines on standard output that are no messages, and
//! what a server said when it wanted to know who is asking.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use docent_mcp::ErrorKind;

use crate::config::{HttpKind, ServerEntry, Transport};

/// Why a server is not available.
#[derive(Clone, Debug)]
pub struct Failure {
    code: FailureCode,
    message: String,
    permanent: bool,
}

/// What kind of trouble a server is in, for programs to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureCode {
    /// Its configuration cannot be used.
    Configuration,
    /// The program could not be started.
    NotStarted,
    /// The program, or the connection, ended.
    Ended,
    /// It does not answer.
    Silent,
    /// It wants to know who is asking, or does not let us in.
    Unauthorized,
    /// It speaks no revision of the protocol that is spoken here.
    Revision,
    /// It answers, but not as a server of this protocol does.
    NoServer,
}

impl FailureCode {
    /// The code as text, the same in every version.
    pub fn as_str(self) -> &'static str {
        match self {
            FailureCode::Configuration => "configuration",
            FailureCode::NotStarted => "not_started",
            FailureCode::Ended => "ended",
            FailureCode::Silent => "silent",
            FailureCode::Unauthorized => "unauthorized",
            FailureCode::Revision => "revision",
            FailureCode::NoServer => "no_server",
        }
    }
}

impl Failure {
    pub(crate) fn configuration(message: String) -> Self {
        Failure { code: FailureCode::Configuration, message, permanent: true }
    }

    /// What kind of trouble it is.
    pub fn code(&self) -> FailureCode {
        self.code
    }

    /// Whether trying again cannot help.
    pub(super) fn is_permanent(&self) -> bool {
        self.permanent
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What was seen of a connection besides its messages.
#[derive(Clone, Default)]
pub(super) struct Witness(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    /// The first line on standard output that was no message.
    stray: Option<String>,
    challenge: Option<String>,
}

impl Witness {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().expect("no panic while locked")
    }

    pub(super) fn forget(&self) {
        *self.seen() = Seen::default();
    }

    pub(super) fn stray(&self, line: &str) {
        self.seen().stray.get_or_insert_with(|| line.to_owned());
    }

    pub(super) fn challenge(&self, text: &str) {
        self.seen().challenge = Some(text.chars().take(300).collect());
    }

    /// The server may take the answer to what it said.
    pub(super) fn let_in(&self) {
        self.seen().challenge = None;
    }

    /// The explanation of an error.
    pub(super) fn explain(&self, error: &docent_mcp::Error, entry: &ServerEntry) -> Failure {
        let code = match (error.kind(), error.http_status()) {
            (_, Some(401 | 403)) | (ErrorKind::Authorization, _) => FailureCode::Unauthorized,
            (ErrorKind::Timeout, _) => FailureCode::Silent,
            (ErrorKind::Closed, _) => FailureCode::Ended,
            (ErrorKind::Transport, _) if is_program(entry) => FailureCode::NotStarted,
            (ErrorKind::Transport, _) => FailureCode::Ended,
            (ErrorKind::Unsupported, _) => FailureCode::Revision,
            (ErrorKind::InvalidInput, _) => FailureCode::Configuration,
            _ => FailureCode::NoServer,
        };
        let permanent = code == FailureCode::Configuration;
        let mut message = without_connection(&format!("{error:#}"));
        self.add_what_was_seen(&mut message, entry, code);
        Failure { code, message, permanent }
    }

    /// The explanation of silence.
    pub(super) fn silent(&self, entry: &ServerEntry, patience: Duration) -> Failure {
        let mut message = format!(
            "it did not answer within {} s; give it longer with its startup timeout if it needs that",
            patience.as_secs_f32()
        );
        self.add_what_was_seen(&mut message, entry, FailureCode::Silent);
        Failure { code: FailureCode::Silent, message, permanent: false }
    }

    fn add_what_was_seen(&self, message: &mut String, entry: &ServerEntry, code: FailureCode) {
        let seen = self.seen();
        // Writing to a string cannot fail.
        if let Some(line) = &seen.stray {
            let _ = write!(
                message,
                "; it wrote a line to standard output that is no message of the protocol: {line:?}"
            );
        }
        if let Some(challenge) = &seen.challenge {
            let _ = write!(message, "; it says: WWW-Authenticate: {challenge}");
        }
        if code == FailureCode::Unauthorized && entry.says_who_asks() {
            message
                .push_str("; it was told so with the header `Authorization` of its configuration");
        }
        if code == FailureCode::NoServer
            && let Transport::Http { kind: HttpKind::Sse, .. } = &entry.transport
        {
            message.push_str("; its configuration says `sse`, is that still true?");
        }
        if code == FailureCode::Unauthorized && is_program(entry) {
            message.push_str("; a program cannot be logged in to: check its variables");
        }
    }
}

fn is_program(entry: &ServerEntry) -> bool {
    matches!(entry.transport, Transport::Stdio { .. })
}

/// The same text without the words that say nothing to a person: that a connection is closed is
/// how a program that ended looks from here.
fn without_connection(text: &str) -> String {
    let mut rest = text;
    while let Some(shorter) = rest.strip_prefix("the connection is closed: ") {
        rest = shorter;
    }
    rest.to_owned()
}
