//! What the gates over HTTP share: a server in a process of its own, and clients that write every
//! byte themselves.
//!
//! `role` is the server, `child` starts it and looks at it from outside; `message` makes requests
//! of both eras, `connection` sends them over HTTP/1.1 and `frames` over HTTP/2; `load` is the good
//! client whose waiting is measured; `timing` says how long it waited.

pub(crate) mod child;
pub(crate) mod connection;
pub(crate) mod frames;
pub(crate) mod load;
pub(crate) mod message;
pub(crate) mod role;
pub(crate) mod timing;

use crate::Result;

/// A runtime for the clients, with room for their sockets.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })?;
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}
