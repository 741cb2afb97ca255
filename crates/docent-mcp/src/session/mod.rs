//! One connection to one peer: what is shared by client and server, legacy and modern.
//!
//! [`run`] is the loop; it is fed by a transport and feeds a [`Role`], the server's or the client's
//! idea of what requests and notifications mean. HTTP has no loop: there every request comes with
//! a way out of its own, and several of them may share one session. Around it stand four small
//! tables, each behind its own lock that is never held across an await:
//!
//! - [`Outbox`]: frames on their way out, bounded in bytes;
//! - [`InFlight`]: the peer's requests that we are working on;
//! - [`Pending`]: our requests that the peer is working on;
//! - [`Cancel`]: one request's "stop", heard by its handler and by its job.
//!
//! Whoever waits for one of them to change does so with a [`Signal`].

mod cancel;
#[cfg(feature = "http")]
mod ending;
mod in_flight;
mod job;
mod outbox;
mod pending;
mod reply_to;
mod run;
mod signal;

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::jsonrpc::encode::{self, UnknownId};
use crate::jsonrpc::{ErrorObject, Id, Malformed, Notification, RawJson, Request};
use crate::layer::RETRY_AFTER;
use crate::limits::Limits;
use crate::types::Adapt;

pub use cancel::Cancel;
#[cfg(feature = "http")]
pub(crate) use ending::Ending;
#[cfg(feature = "http")]
pub(crate) use in_flight::Entry;
pub(crate) use in_flight::InFlight;
#[cfg(feature = "http")]
pub(crate) use job::answer_on_stream;
pub(crate) use job::{Answer, Pace, Work};
pub(crate) use outbox::Outbox;
pub(crate) use pending::{CallOptions, Pending};
#[cfg(feature = "http")]
pub(crate) use reply_to::ReplyTo;
pub(crate) use run::run;
pub(crate) use signal::Signal;

/// What one side makes of the other side's messages.
pub(crate) trait Role: Send + Sync + 'static {
    /// Starts to answer a request that came from `peer`. Returns at once; the work is in the
    /// future.
    fn request(&self, request: Request, cancel: Cancel, peer: &Arc<Peer>) -> Work;
    /// Takes a notification. Must not block.
    fn notification(&self, notification: Notification);
    /// Looks at a frame that is no message.
    fn stray(&self, _frame: &[u8]) {}
    /// Whether a message that cannot be taken is answered with an error.
    fn refuses(&self, malformed: &Malformed) -> bool;
    /// Whether the agreed revision has batches.
    fn has_batches(&self) -> bool;
    /// How the agreed revision names a request that could not be read.
    fn unknown_id(&self) -> UnknownId;
    /// No further message will come: whatever only waits for one must end now.
    fn input_ended(&self);
}

/// The other side, as seen from everything that wants to talk to it: one way out, and the tables
/// of the session that it belongs to.
pub(crate) struct Peer {
    pub(crate) outbox: Outbox,
    exchange: Arc<Exchange>,
    /// Who was authenticated by the transport, if it does that.
    pub(crate) principal: Option<Arc<str>>,
    /// What the token of the request allows that is answered this way.
    #[cfg(feature = "auth")]
    pub(crate) access: std::sync::OnceLock<Arc<crate::auth::Access>>,
    /// The code of the error that the last request was answered with; zero if it was none.
    error_code: AtomicI64,
    /// How many milliseconds to wait before that request is made again, as the error says; zero if it
    /// does not.
    retry_after: AtomicU64,
}

/// What all ways out to one peer share.
pub(crate) struct Exchange {
    pub(crate) in_flight: InFlight,
    pub(crate) pending: Pending,
    pub(crate) limits: Arc<Limits>,
    next_id: AtomicI64,
    closing: AtomicBool,
    closing_changed: Signal,
}

impl Deref for Peer {
    type Target = Exchange;

    fn deref(&self) -> &Exchange {
        &self.exchange
    }
}

impl Peer {
    /// A peer with a session of its own.
    pub(crate) fn new(limits: Arc<Limits>) -> Arc<Self> {
        Self::known_as(None, limits)
    }

    /// [`Peer::new`] for a peer that was authenticated.
    pub(crate) fn known_as(principal: Option<Arc<str>>, limits: Arc<Limits>) -> Arc<Self> {
        let exchange = Arc::new(Exchange {
            in_flight: InFlight::default(),
            pending: Pending::default(),
            limits,
            next_id: AtomicI64::new(1),
            closing: AtomicBool::new(false),
            closing_changed: Signal::default(),
        });
        Self::over(exchange, principal)
    }

    /// Another way out to the same peer.
    #[cfg(feature = "http")]
    pub(crate) fn beside(&self) -> Arc<Self> {
        Self::over(self.exchange.clone(), self.principal.clone())
    }

    fn over(exchange: Arc<Exchange>, principal: Option<Arc<str>>) -> Arc<Self> {
        Arc::new(Peer {
            outbox: Outbox::new(exchange.limits.outbox_bytes_max),
            exchange,
            principal,
            #[cfg(feature = "auth")]
            access: std::sync::OnceLock::new(),
            error_code: AtomicI64::new(0),
            retry_after: AtomicU64::new(0),
        })
    }

    /// The code of the error that the last request was answered with, if it was one.
    #[cfg(feature = "http")]
    pub(crate) fn error_code(&self) -> Option<i64> {
        let code = self.error_code.load(Ordering::Acquire);
        (code != 0).then_some(code)
    }

    /// The last request was answered with an error.
    fn failed(&self, error: &ErrorObject) {
        let wait = error.data.as_ref().and_then(|data| data.get(RETRY_AFTER)?.as_u64());
        self.retry_after.store(wait.unwrap_or_default(), Ordering::Release);
        self.error_code.store(error.code, Ordering::Release);
    }

    /// How long to wait before the last request is made again, if it came too early.
    #[cfg(feature = "http")]
    pub(crate) fn retry_after(&self) -> Option<std::time::Duration> {
        let wait = self.retry_after.load(Ordering::Acquire);
        (wait != 0).then(|| std::time::Duration::from_millis(wait))
    }

    /// An id that this side has not used before.
    fn next_id(&self) -> i64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a request and waits for the answer. Dropping the future cancels the request.
    pub(crate) async fn request(
        self: &Arc<Self>,
        method: &str,
        params: RequestParams,
        options: CallOptions,
    ) -> Result<RawJson> {
        pending::call(self, method, params, options).await
    }

    /// Sends a notification, waiting while too much is on its way already.
    pub(crate) async fn notify(&self, method: &str, params: Option<&RawJson>) -> Result<()> {
        self.outbox.send(encode::notification(method, params)).await
    }

    /// Sends a notification at once or not at all; for code that cannot wait.
    pub(crate) fn notify_now(&self, method: &str, params: Option<&RawJson>) {
        self.outbox.push(encode::notification(method, params));
    }

    /// Asks the loop to finish what is running, flush and close.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.closing_changed.notify();
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Resolves when [`Peer::close`] was called.
    async fn closing(&self) {
        self.closing_changed.until(|| self.is_closing()).await;
    }
}

/// Parameters of a request of ours, encoded once its id, and so its progress token, is known.
pub(crate) type RequestParams = Box<dyn FnOnce(&Id) -> Result<Option<RawJson>> + Send>;

/// Encodes a value in the form that `revision` has.
pub(crate) fn encode_for<T: serde::Serialize + Adapt>(
    mut value: T,
    revision: crate::types::Revision,
) -> Result<RawJson> {
    value.adapt(revision);
    RawJson::encode(&value).map_err(|error| {
        Error::invalid_input("the value cannot be written as JSON").with_source(error)
    })
}
