//! Servers that stay between commands, kept by a process in the background.
//!
//! There is none unless somebody starts it. Commands that ask once (`tools`, `call`, …) look for its
//! socket; where it is, they tell it the very program that they would start themselves, and get a
//! connection to one that is running already. What is spoken on that connection is MCP: the other end
//! is a gateway before this one server, of the server's own revision and with its own names.
//!
//! `wire` is what is said before that, `reach` the side of a command, `pool` the servers that are
//! kept, `serve` the process that keeps them.

mod pool;
mod reach;
mod serve;
mod wire;

pub(crate) use self::reach::{ask, source};
pub(crate) use self::serve::serve;
pub(crate) use self::wire::{Kept, Said, Told};
use crate::client::runtime;
use crate::failure::Failure;

/// The socket of the process in the background.
pub(crate) fn socket() -> Result<std::path::PathBuf, Failure> {
    Ok(runtime::folder()?.join("daemon.socket"))
}
