//! The client, against servers in memory, fakes and child processes.

/// Results that a server said stay fresh.
mod cache;
/// Requests by name, in every revision.
mod calls;
/// Ends of requests that the caller wants.
mod cancel;
/// Forms and pages for the user.
mod elicitation;
/// What a server tells, and what a client tells it.
mod events;
/// A server that does what a test tells it to.
mod fake;
/// Functions that a client is built with.
mod handlers;
/// How a session is opened.
mod handshake;
/// Middleware.
mod layers;
/// How a connection ends, and what that means for those who use it.
mod lifetime;
/// What each request says about its maker.
mod meta;
/// What was not agreed on is not used.
mod negotiated;
/// Lists over pages.
mod pages;
/// Which era a server is of.
mod probe;
/// Questions and results that are passed on rather than answered.
mod relay;
/// Answers that are late, double, crossed, broken or too large.
mod replies;
/// Servers that crash and are started again.
mod restart;
/// Which folders a server may see.
mod roots;
/// Questions that come before a result (2026-07-28).
mod rounds;
/// Servers that want to ask the client's model.
mod sampling;
/// Changes that are watched.
mod subscriptions;
/// Requests that take too long.
mod timeout;
/// Which revision is spoken.
mod versions;

use docent_mcp::client::{Client, ClientBuilder};
use docent_mcp::transport::memory;
use docent_mcp::types::Revision;
use serde_json::Value;

/// One of each era.
const ERAS: [Revision; 2] = [Revision::NEWEST_LEGACY, Revision::NEWEST_MODERN];

/// The revision whose sessions have everything.
const SESSION: Revision = Revision::NEWEST_LEGACY;

const LEGACY: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0")
}

/// A client that is connected to the fixture server and speaks this revision.
async fn with_fixture(revision: Revision, builder: ClientBuilder) -> Client {
    let (near, far) = memory();
    tokio::spawn(crate::fixture::server().serve(far));
    builder.revisions([revision]).connect(near).await.expect("the fixture speaks every revision")
}

fn object(value: Value) -> docent_mcp::types::JsonObject {
    serde_json::from_value(value).expect("an object")
}
