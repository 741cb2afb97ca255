//! Streamable HTTP, of both eras, and the older HTTP+SSE.
//!
//! `headers` and `sse` are the vocabulary of both sides; `client` makes requests, `server` answers
//! them.

mod client;
mod headers;
mod server;
mod sse;

pub(crate) use client::Mirrored;
pub use client::{Challenge, HookError, HttpEndpoint, OutgoingRequest, RequestHook};
#[cfg(all(feature = "auth", feature = "tls"))]
pub(crate) use client::{certificates, client_tls};
pub use server::{
    EventStore, HttpBody, HttpOptions, HttpServer, HttpService, MemoryEvents, Principal, StreamKey,
};
