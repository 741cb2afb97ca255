//! Streamable HTTP, of both eras, and the older HTTP+SSE.
//!
//! `headers` and `sse` are the vocabulary of both sides; `server` answers requests, [`client`]
//! makes them.

pub mod client;
mod headers;
mod server;
mod sse;

pub use server::{
    EventStore, HttpBody, HttpOptions, HttpServer, HttpService, MemoryEvents, Principal, StreamKey,
};
