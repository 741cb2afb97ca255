//! Streamable HTTP, of both eras, and the older HTTP+SSE.
//!
//! `headers` and `sse` are the vocabulary of both sides.

mod headers;
