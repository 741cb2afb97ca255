//! The client side of Streamable HTTP, of both eras, and of the older HTTP+SSE.
//!
//! [`HttpEndpoint`] says where a server is and how to get there; a client connects to it as to any
//! other source. Behind it, the way of a message: `connection` takes frames from the session and
//! starts a task for each; `outgoing` reads what the headers repeat; `send` lets the
//! [`RequestHook`] add to the request and makes it; `exchange` takes the reply, and `stream` the
//! events in it; `refusal` says what a status means. What comes back goes to the session as frames.

mod backoff;
mod body;
mod connection;
mod endpoint;
mod exchange;
mod hook;
mod listen;
mod mirror;
mod old_sse;
mod outgoing;
mod pool;
mod refusal;
mod send;
mod session;
mod stream;
#[cfg(all(test, feature = "tls"))]
mod tls_tests;

pub use endpoint::HttpEndpoint;
pub use hook::{Challenge, HookError, OutgoingRequest, RequestHook};

pub(crate) use mirror::Mirrored;
#[cfg(all(feature = "auth", feature = "tls"))]
pub(crate) use pool::{certificates, tls as client_tls};
