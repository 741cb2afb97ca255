//! Layers for requests, on either side of a connection.
//!
//! A layer wraps the service that answers requests ([`Server::layer`](crate::Server::layer)) or
//! the one that makes them ([`ClientBuilder::layer`](crate::client::ClientBuilder::layer)). Any
//! `tower` layer with the right types fits; those here fit both sides.
//!
//! | layer | does |
//! |---|---|
//! | [`LogLayer`] | a `tracing` event per request, with method, outcome and time |
//! | [`TimeoutLayer`] | an error for what takes too long |
//! | [`ConcurrencyLimitLayer`] | at most so many at once, the rest wait |
//! | [`RateLimitLayer`] | at most so many per time, the rest are refused |
//! | [`CatchPanicLayer`] | a panic becomes that request's error |

mod concurrency;
mod log;
mod panic;
mod rate;
mod timeout;

use std::time::Duration;

pub use concurrency::{ConcurrencyLimit, ConcurrencyLimitLayer};
pub use log::{Log, LogLayer};
pub use panic::{CatchPanic, CatchPanicLayer};
pub(crate) use rate::Bucket;
pub use rate::{RateLimit, RateLimitLayer};
pub use timeout::{Timeout, TimeoutLayer};

use crate::error::{Error, ErrorKind};
use crate::jsonrpc::ErrorObject;

/// Under this name, the data of an error says how many milliseconds to wait.
pub(crate) const RETRY_AFTER: &str = "retryAfterMs";

/// A request that knows its method.
pub trait Named {
    /// The method.
    fn method(&self) -> &str;

    /// Whether the request stays open until one side ends it. Time and concurrency limits leave
    /// such requests alone.
    fn is_endless(&self) -> bool {
        self.method() == crate::types::method::SUBSCRIPTIONS_LISTEN
    }
}

/// Why a layer did not let a request through, or an answer back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It took longer than this.
    TimedOut(Duration),
    /// There were too many; try again after this.
    RateLimited(Duration),
    /// The code behind it panicked.
    Panicked,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::TimedOut(limit) => write!(f, "not done within {} ms", limit.as_millis()),
            Refusal::RateLimited(wait) => {
                write!(f, "too many requests: try again in {} ms", wait.as_millis().max(1))
            }
            Refusal::Panicked => f.write_str("the request failed unexpectedly"),
        }
    }
}

impl From<Refusal> for ErrorObject {
    fn from(refusal: Refusal) -> Self {
        let error = ErrorObject::internal(refusal.to_string());
        match refusal {
            Refusal::RateLimited(wait) => {
                let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                error.with_data(serde_json::json!({ RETRY_AFTER: wait }))
            }
            _ => error,
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let kind = match refusal {
            Refusal::TimedOut(_) => ErrorKind::Timeout,
            Refusal::RateLimited(_) => ErrorKind::Limit,
            Refusal::Panicked => ErrorKind::Internal,
        };
        Error::new(kind, refusal.to_string())
    }
}
