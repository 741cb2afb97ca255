//! A complete SDK for the Model Context Protocol (MCP): servers and clients, every protocol
//! revision from 2024-11-05 to 2026-07-28.
#![doc = ""]

pub mod client;
pub mod error;
pub mod jsonrpc;
pub mod layer;
mod limits;
pub mod schema;
pub mod server;
pub(crate) mod session;
pub mod transport;
pub mod types;
pub mod uri;

pub use client::Client;
pub use error::{Error, ErrorKind, Result};
pub use limits::Limits;
pub use server::Server;
pub use session::Cancel;
