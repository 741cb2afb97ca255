//! Streamable HTTP, of both eras, and the older HTTP+SSE.
//!
//! `headers` and `sse` are the vocabulary of both sides; `server` answers requests.

mod headers;
mod server;

pub use server::{
    EventStore, HttpBody, HttpOptions, HttpServer, HttpService, MemoryEvents, Principal, StreamKey,
};
