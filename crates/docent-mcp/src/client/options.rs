//! How one request of a client is made.

use std::sync::Arc;
use std::time::Duration;

use super::handlers::guarded;
use crate::session::{CallOptions, Cancel};
use crate::types::{ClientCapabilities, LoggingLevel, Meta, ProgressNotificationParams};

/// Options of one request: `RequestOptions::new().timeout(..).on_progress(..)`.
#[derive(Clone, Default)]
pub struct RequestOptions {
    pub(crate) call: CallOptions,
    pub(crate) meta: Meta,
    pub(crate) log_level: Option<LoggingLevel>,
    pub(crate) task_ttl: Option<Duration>,
    pub(crate) capabilities: Option<Box<ClientCapabilities>>,
    pub(crate) hands_over: bool,
}

impl RequestOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Time to the answer; a progress report starts it anew, up to the hard limit of
    /// [`Limits::request_timeout_max`](crate::Limits::request_timeout_max).
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.call.timeout = Some(timeout);
        self
    }

    /// The time to the answer where none was set: for programs that pass on the options of others.
    #[must_use]
    pub fn timeout_unless_set(mut self, timeout: Duration) -> Self {
        self.call.timeout.get_or_insert(timeout);
        self
    }

    /// Ends the request when `cancel` is cancelled. Dropping the request's future does the same.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.call.cancel = Some(cancel);
        self
    }

    /// Asks for progress reports. The function is called from the connection's task: it must not
    /// block.
    #[must_use]
    pub fn on_progress(
        mut self,
        report: impl Fn(ProgressNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.call.progress = Some(Arc::new(move |progress| guarded(|| report(progress))));
        self
    }

    /// Adds metadata to the request.
    #[must_use]
    pub fn meta(mut self, meta: Meta) -> Self {
        self.meta.merge(meta);
        self
    }

    /// How long the server should keep the task that this call becomes (2025-11-25).
    #[must_use]
    pub fn task_ttl(mut self, ttl: Duration) -> Self {
        self.task_ttl = Some(ttl);
        self
    }

    /// Says that for this request the client can do this, rather than what its handlers can
    /// (2026-07-28). For programs that ask on behalf of others, with
    /// [`hand_over_questions`](RequestOptions::hand_over_questions).
    #[must_use]
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.capabilities = Some(Box::new(capabilities));
        self
    }

    /// Hands the result over whatever its type is: with questions in it
    /// ([`InputRequiredResult`](crate::types::InputRequiredResult)), or as a task. Nothing of it is
    /// answered by the client's handlers, and nothing is kept. For
    /// [`Client::request`](super::Client::request).
    #[must_use]
    pub fn hand_over_questions(mut self) -> Self {
        self.hands_over = true;
        self
    }

    /// Asks for log messages of this request from this level on (2026-07-28).
    #[must_use]
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }
}

impl std::fmt::Debug for RequestOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestOptions").field("meta", &self.meta).finish_non_exhaustive()
    }
}
