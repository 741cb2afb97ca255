//! Streamable HTTP, of both eras, and the older HTTP+SSE.
//!
//! `headers` and `sse` are the vocabulary of both sides; [`client`] is one of them.

pub mod client;
mod headers;
mod sse;
