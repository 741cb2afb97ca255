//! The one error type of the host: which server it was, and in one message what is wrong with it.

use std::fmt;
use std::sync::Arc;

use docent_mcp::jsonrpc::ErrorObject;

use crate::supervise::Failure;

/// The result of everything in the host that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something failed; see [`Error::kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No server has anything of that name.
    UnknownName,
    /// Several servers have something of that name.
    AmbiguousName,
    /// The server cannot be reached; [`Error::failure`] says why.
    Unavailable,
    /// The configuration does not let this be used.
    Blocked,
    /// The server was reached, and the request failed.
    Request,
}

/// An error: what happened, at which server, and what to try.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

struct Inner {
    kind: ErrorKind,
    server: Option<String>,
    message: String,
    failure: Option<Arc<Failure>>,
    source: Option<docent_mcp::Error>,
}

impl Error {
    fn new(kind: ErrorKind, server: Option<&str>, message: String) -> Self {
        let server = server.map(str::to_owned);
        Error(Arc::new(Inner { kind, server, message, failure: None, source: None }))
    }

    pub(crate) fn unknown(what: &str, name: &str, similar: &[String]) -> Self {
        let name: String = name.chars().take(200).collect();
        let hint = match similar {
            [] => String::new(),
            names => format!("; did you mean {}?", names.join(" or ")),
        };
        Error::new(ErrorKind::UnknownName, None, format!("unknown {what}: {name}{hint}"))
    }

    pub(crate) fn ambiguous(what: &str, name: &str, candidates: &[String]) -> Self {
        let message = format!(
            "several servers have a {what} `{name}`: say which one, {}",
            candidates.join(" or ")
        );
        Error::new(ErrorKind::AmbiguousName, None, message)
    }

    pub(crate) fn blocked(server: &str, message: String) -> Self {
        Error::new(ErrorKind::Blocked, Some(server), message)
    }

    pub(crate) fn unavailable(server: &str, failure: Arc<Failure>) -> Self {
        Error(Arc::new(Inner {
            kind: ErrorKind::Unavailable,
            server: Some(server.to_owned()),
            message: format!("server `{server}` is not available: {failure}"),
            failure: Some(failure),
            source: None,
        }))
    }

    pub(crate) fn request(server: &str, source: docent_mcp::Error) -> Self {
        Error(Arc::new(Inner {
            kind: ErrorKind::Request,
            server: Some(server.to_owned()),
            message: format!("server `{server}`: {source:#}"),
            failure: None,
            source: Some(source),
        }))
    }

    /// What kind of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The server that it concerns, if it is one.
    pub fn server(&self) -> Option<&str> {
        self.0.server.as_deref()
    }

    /// Why the server cannot be reached.
    pub fn failure(&self) -> Option<&Failure> {
        self.0.failure.as_deref()
    }

    /// The error of the protocol, if the server was reached.
    pub fn request_error(&self) -> Option<&docent_mcp::Error> {
        self.0.source.as_ref()
    }

    /// What a client of the gateway is told: the server's own error object if there is one.
    pub(crate) fn to_rpc(&self) -> ErrorObject {
        if let Some(rpc) = self.request_error().and_then(docent_mcp::Error::rpc) {
            return rpc.clone();
        }
        match self.kind() {
            ErrorKind::UnknownName | ErrorKind::AmbiguousName | ErrorKind::Blocked => {
                ErrorObject::invalid_params(self.to_string())
            }
            ErrorKind::Unavailable | ErrorKind::Request => ErrorObject::internal(self.to_string()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|source| source as _)
    }
}
