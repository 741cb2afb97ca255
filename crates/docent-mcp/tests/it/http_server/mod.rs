//! The server over HTTP, request by request.
//!
//! Most tests call the service itself, so that time can be paused and nothing listens anywhere.

/// A client that sends exactly what it is told to.
mod caller;
/// Failures of other servers, by their number.
mod hardening;
/// The rungs that a request of 2026-07-28 climbs.
mod ladder;
/// HTTP+SSE of 2024-11-05.
mod old_sse;
/// Who asks, and who may answer.
mod principals;
/// Sessions of the old era.
mod sessions;
/// A listener on a socket.
mod sockets;
/// Replies that stream, in both eras.
mod streams;
