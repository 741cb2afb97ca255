//! Any MCP server, from the command line: what the commands of a client share.
//!
//! `which` (the servers that are meant) → `open` (a host for them, with a person to ask) → the
//! command → `signature` and `contents` (what people see). `values` reads arguments; `questions` are
//! asked at the terminal, `later` is for where there is none, `sampling` for what a model is asked;
//! `lock` is for tools that must not change, `daemon` for servers that stay between commands. The
//! latter and `later` keep their sockets where `runtime` says. `missing` tells of servers that are not
//! there, and `trouble` does for a gateway.

pub(crate) mod behind;
pub(crate) mod contents;
pub(crate) mod daemon;
pub(crate) mod later;
pub(crate) mod lock;
pub(crate) mod missing;
mod open;
pub(crate) mod questions;
mod runtime;
pub(crate) mod sampling;
pub(crate) mod signature;
pub(crate) mod trouble;
pub(crate) mod values;
mod which;

pub(crate) use open::{
    inspected, open, open_for_clients, open_for_tools, open_idle, open_once, watched,
};
pub(crate) use which::Which;

use docent_mcp::jsonrpc::code;

use crate::failure::Failure;

impl From<docent_host::Error> for Failure {
    fn from(error: docent_host::Error) -> Self {
        use docent_host::ErrorKind;
        let message = match unmet(&error) {
            Some(names) => format!("{error}: {names}"),
            None => error.to_string(),
        };
        match error.kind() {
            ErrorKind::UnknownName | ErrorKind::AmbiguousName => Failure::absent(message),
            _ => Failure::new(message),
        }
    }
}

/// What a server wants of its client, by name, and this client does not have.
fn unmet(error: &docent_host::Error) -> Option<String> {
    let rpc = error.request_error()?.rpc()?;
    let required = rpc.data.as_ref().filter(|_| rpc.code == code::MISSING_CLIENT_CAPABILITY)?;
    let required = required.get("requiredCapabilities")?.as_object()?;
    Some(required.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
}

impl From<docent_mcp::Error> for Failure {
    fn from(error: docent_mcp::Error) -> Self {
        Failure::new(format!("{error:#}"))
    }
}
