//! The one error type of this crate.
//!
//! Three things that can go wrong are kept apart by type, so that none is taken for another: a
//! peer's JSON-RPC error object is an [`Error`] of kind [`ErrorKind::Rpc`]; a failure on this side
//! (time, connection, bad input) is an [`Error`] of another kind; and a tool that ran and failed is
//! no error here at all, but a [`CallToolResult`](crate::types::CallToolResult) with `is_error`.

use std::fmt;

use crate::jsonrpc::{ErrorObject, code};

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something failed; see [`Error::kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The peer answered with a JSON-RPC error; [`Error::rpc`] has it.
    Rpc,
    /// No answer came in time. The peer was told to stop.
    Timeout,
    /// The request was cancelled on this side.
    Cancelled,
    /// The connection is closed, by either side.
    Closed,
    /// The connection could not be opened or broke.
    Transport,
    /// The server refused by HTTP; [`Error::http_status`] says how.
    Http,
    /// No token could be had, or none that may be used: nobody logged in, the authorization server
    /// refused, or what it said was not safe to follow.
    Authorization,
    /// The peer's answer does not follow the protocol.
    InvalidResponse,
    /// What the caller passed cannot be used.
    InvalidInput,
    /// The peer does not offer what the call needs.
    Unsupported,
    /// A limit of [`Limits`](crate::Limits) was reached.
    Limit,
    /// Code on this side failed unexpectedly: it panicked.
    Internal,
}

/// An error: what happened, why, and what to try.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    rpc: Option<ErrorObject>,
    http_status: Option<u16>,
    fate: Fate,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What became of a request that failed, as far as it decides whether it may be made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nobody knows, or it was answered.
    #[default]
    Unknown,
    /// It was not carried out, and this connection will not carry out another one.
    NotExecuted,
    /// The connection broke while it was carried out: safe to repeat if it changes nothing.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only HTTP can tell"))]
    Interrupted,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            message: message.into(),
            rpc: None,
            http_status: None,
            fate: Fate::Unknown,
            source: None,
        }))
    }

    pub(crate) fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn with_rpc(mut self, rpc: ErrorObject) -> Self {
        self.0.rpc = Some(rpc);
        self
    }

    #[cfg(feature = "http")]
    pub(crate) fn with_http_status(mut self, status: u16) -> Self {
        self.0.http_status = Some(status);
        self
    }

    pub(crate) fn with_fate(mut self, fate: Fate) -> Self {
        self.0.fate = fate;
        self
    }

    pub(crate) fn fate(&self) -> Fate {
        self.0.fate
    }

    pub(crate) fn closed() -> Self {
        Error::new(ErrorKind::Closed, "the connection is closed")
    }

    pub(crate) fn invalid_response(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::InvalidResponse, message)
    }

    pub(crate) fn invalid_input(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::InvalidInput, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Error::new(ErrorKind::Unsupported, message)
    }

    /// What kind of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The error object that the peer answered with, or that a handler's error will become.
    pub fn rpc(&self) -> Option<&ErrorObject> {
        self.0.rpc.as_ref()
    }

    /// The JSON-RPC error code, if the peer answered with one.
    pub fn code(&self) -> Option<i64> {
        self.rpc().map(|rpc| rpc.code)
    }

    /// The HTTP status that the server refused with, also when an error object came with it.
    pub fn http_status(&self) -> Option<u16> {
        self.0.http_status
    }

    /// No answer came in time.
    pub fn is_timeout(&self) -> bool {
        self.kind() == ErrorKind::Timeout
    }

    /// The connection is closed.
    pub fn is_closed(&self) -> bool {
        self.kind() == ErrorKind::Closed
    }

    /// The request was cancelled on this side.
    pub fn is_cancelled(&self) -> bool {
        self.kind() == ErrorKind::Cancelled
    }

    /// The peer says that there is no such method.
    pub fn is_method_not_found(&self) -> bool {
        self.code() == Some(code::METHOD_NOT_FOUND)
    }

    /// The peer says that the parameters do not fit (also: unknown tool, prompt or cursor).
    pub fn is_invalid_params(&self) -> bool {
        self.code() == Some(code::INVALID_PARAMS)
    }

    /// The peer says that a resource does not exist, in the words of any revision.
    pub fn is_resource_not_found(&self) -> bool {
        let names_a_uri =
            |rpc: &ErrorObject| rpc.data.as_ref().and_then(|data| data.get("uri")).is_some();
        match self.rpc() {
            Some(rpc) if rpc.code == code::RESOURCE_NOT_FOUND => true,
            Some(rpc) => rpc.code == code::INVALID_PARAMS && names_a_uri(rpc),
            None => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match &self.0.source {
            // `{:#}` prints the whole chain on one line.
            Some(source) if f.alternate() => write!(f, ": {source:#}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Error");
        debug.field("kind", &self.0.kind).field("message", &self.0.message);
        if let Some(rpc) = &self.0.rpc {
            debug.field("rpc", rpc);
        }
        if let Some(status) = &self.0.http_status {
            debug.field("http_status", status);
        }
        if let Some(source) = &self.0.source {
            debug.field("source", source);
        }
        debug.finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<ErrorObject> for Error {
    fn from(rpc: ErrorObject) -> Self {
        Error::new(ErrorKind::Rpc, format!("the peer answered: {rpc}")).with_rpc(rpc)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Error::new(ErrorKind::Transport, "the connection failed").with_source(error)
    }
}
