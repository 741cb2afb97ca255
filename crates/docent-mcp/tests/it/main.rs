//! Integration tests: what a peer sees, through the public interface only.

/// A protected server: tokens, challenges, rules.
#[cfg(feature = "auth")]
mod auth_server;
/// The client, against servers in memory, fakes and child processes.
mod client;
/// Conversations written down as text, played against the fixture server.
mod conversations;
/// The examples, started as programs.
#[cfg(feature = "process")]
mod examples;
/// The server that most tests talk to.
mod fixture;
/// The client over HTTP, against a server that is told what to answer.
#[cfg(feature = "http")]
mod http_client;
/// The server over HTTP, request by request, without sockets.
#[cfg(feature = "http")]
mod http_server;
/// The server, where a test needs more than a conversation can say.
mod server;
/// Skills: folders of instructions, listed, loaded and verified.
#[cfg(feature = "skills")]
mod skills;
/// Tool calls that run as tasks: the extension of 2026-07-28 and the experiment of 2025-11-25.
mod tasks;
