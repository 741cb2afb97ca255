//! A complete SDK for the Model Context Protocol (MCP): servers and clients, every protocol
//! revision from 2024-11-05 to 2026-07-28, over any transport.
//!
//! What it promises:
//!
//! - every request with a readable id gets exactly one answer, whatever happens to its handler;
//! - one handler serves every revision, and every peer gets what its revision knows;
//! - nothing is unbounded: [`Limits`] holds every limit, with defaults that are safe to expose;
//! - whatever a peer sends, nothing panics, hangs or leaks.
//!
//! # A server
//!
//! ```no_run
//! use docent_mcp::server::{Context, Server, ToolError};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Greet {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! async fn greet(_: Context, args: Greet) -> Result<String, ToolError> {
//!     Ok(format!("Hello, {}!", args.name))
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> docent_mcp::Result<()> {
//!     Server::new("greeter", "1.0").tool("greet", "Greets someone", greet).serve_stdio().await
//! }
//! ```
//!
//! # A client
//!
//! ```no_run
//! # #[cfg(feature = "process")]
//! # async fn run() -> docent_mcp::Result<()> {
//! use docent_mcp::Client;
//! use docent_mcp::transport::child::ChildProcess;
//!
//! let client = Client::start(ChildProcess::new("greeter")).await?;
//! let result = client.call("greet", serde_json::json!({ "name": "Ada" })).await?;
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Cancel safety
//!
//! Dropping the future of a client's request cancels the request: the server is told, and a late
//! answer is discarded. On the server, a cancelled request's handler is dropped at its next await.
//!
//! # The modules, in reading order
//!
//! [`types`] is the vocabulary, [`jsonrpc`] the envelope, [`transport`] moves frames; the session
//! between them is private. [`server`] and [`client`] are what programs use, [`layer`] wraps both.
//! [`schema`] and [`uri`] check what comes from outside. `auth` gets tokens for servers that want
//! them, and verifies those of clients. `skills`, behind the feature of that name, is an extension.

#[cfg(feature = "auth")]
pub mod auth;
pub mod client;
pub mod error;
pub mod jsonrpc;
pub mod layer;
mod limits;
pub mod schema;
pub mod server;
mod session;
#[cfg(feature = "skills")]
pub mod skills;
pub mod transport;
pub mod types;
pub mod uri;

/// The guides: their code is compiled with the doc tests, and is no part of the package.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../docs/asking-the-client.md")]
    struct AskingTheClient;
    #[cfg(feature = "auth")]
    #[doc = include_str!("../../../docs/auth-client.md")]
    struct AuthClient;
    #[cfg(feature = "auth")]
    #[doc = include_str!("../../../docs/auth-server.md")]
    struct AuthServer;
    #[doc = include_str!("../../../docs/client.md")]
    struct Client;
    #[doc = include_str!("../../../docs/errors.md")]
    struct Errors;
    #[doc = include_str!("../../../docs/extensions.md")]
    struct Extensions;
    #[cfg(feature = "http")]
    #[doc = include_str!("../../../docs/http-client.md")]
    struct HttpClient;
    #[cfg(feature = "http")]
    #[doc = include_str!("../../../docs/http-deployment.md")]
    struct HttpDeployment;
    #[cfg(feature = "http")]
    #[doc = include_str!("../../../docs/http.md")]
    struct Http;
    #[doc = include_str!("../../../docs/limits.md")]
    struct Limits;
    #[doc = include_str!("../../../docs/middleware.md")]
    struct Middleware;
    #[doc = include_str!("../../../docs/revisions.md")]
    struct Revisions;
    #[doc = include_str!("../../../docs/server.md")]
    struct Server;
    #[doc = include_str!("../../../docs/skills.md")]
    struct Skills;
    #[doc = include_str!("../../../docs/tasks.md")]
    struct Tasks;
    #[doc = include_str!("../../../docs/testing.md")]
    struct Testing;
    #[doc = include_str!("../../../docs/transports.md")]
    struct Transports;
}

pub use client::Client;
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "auth")]
pub use limits::{AuthLimits, VerifierLimits};
pub use limits::{HttpLimits, Limits};
pub use server::Server;
pub use session::Cancel;
