//! Many MCP servers behind one client.
//!
//! People have configured their servers already, for Claude Code, VS Code, Cursor, Codex and others.
//! [`config`] finds those files, reads each as its owner would, and says what it found in one form
//! for all: a [`ServerEntry`](config::ServerEntry). A [`Host`] starts and keeps those servers, and
//! shows what they offer as one. [`pin`] remembers what the tools of a server were when the user
//! approved them.
//!
//! ```no_run
//! use docent_host::Host;
//! use docent_host::config::ServerEntry;
//!
//! # async fn run() -> docent_host::Result<()> {
//! let host = Host::from_entries([ServerEntry::stdio("time", "uvx", ["mcp-server-time"])]);
//! let now = host.call("time.get_current_time", serde_json::json!({ "timezone": "UTC" })).await?;
//! host.close().await;
//! # Ok(())
//! # }
//! ```

pub mod config;
mod error;
mod gateway;
mod host;
mod limits;
mod outline;
pub mod pin;
mod supervise;
mod telemetry;
mod view;

/// The guides: their code is compiled with the doc tests, and is no part of the package.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../docs/gateway.md")]
    struct Gateway;
    #[doc = include_str!("../../../docs/host.md")]
    struct Host;
    #[doc = include_str!("../../../docs/telemetry.md")]
    struct Telemetry;
}

pub use error::{Error, ErrorKind, Result};
pub use gateway::{Gateway, GatewayBuilder};
pub use host::{Host, HostBuilder, HostEvent, PlannedCall, ServerStatus};
pub use limits::HostLimits;
pub use outline::outline;
pub use supervise::{Failure, FailureCode, State};
pub use telemetry::Telemetry;
pub use view::{Collision, Offered};
