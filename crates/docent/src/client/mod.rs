//! Any MCP server, from the command line: what the commands of a client share.
//!
//! `which` (the servers that are meant) → `open` (a host for them, with a person to ask) → the
//! command → `signature` and `contents` (what people see). `values` reads arguments; `later` is for
//! questions where there is no terminal, `daemon` for servers that stay between commands; both keep
//! their sockets where `runtime` says.

mod behind;
pub(crate) mod contents;
pub(crate) mod daemon;
pub(crate) mod later;
mod open;
pub(crate) mod questions;
mod runtime;
pub(crate) mod signature;
pub(crate) mod values;
mod which;

pub(crate) use open::{
    LOCK_FILE, inspected, open, open_for_clients, open_for_tools, open_once, watched,
};
pub(crate) use which::Which;

use crate::failure::Failure;

impl From<docent_host::Error> for Failure {
    fn from(error: docent_host::Error) -> Self {
        use docent_host::ErrorKind;
        let message = error.to_string();
        match error.kind() {
            ErrorKind::UnknownName | ErrorKind::AmbiguousName => Failure::absent(message),
            _ => Failure::new(message),
        }
    }
}

impl From<docent_mcp::Error> for Failure {
    fn from(error: docent_mcp::Error) -> Self {
        Failure::new(error.to_string())
    }
}
