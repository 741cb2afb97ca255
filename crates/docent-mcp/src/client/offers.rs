//! What a server said it can do, held against what is asked of it.
//!
//! In a session both sides settle that in the handshake, and neither may use what was not settled.
//! A modern server may change its mind between two requests, so it is asked and answers for itself.

use super::link::ServerDescription;
use crate::error::{Error, Result};
use crate::types::{Revision, method};

/// Refuses a request that the handshake did not provide for.
pub(super) fn check(server: &ServerDescription, method: &str) -> Result<()> {
    if server.revision.is_modern() {
        return Ok(());
    }
    let can = &server.capabilities;
    let (offered, what) = match method {
        method::TOOLS_LIST | method::TOOLS_CALL => (can.tools.is_some(), "tools"),
        method::PROMPTS_LIST | method::PROMPTS_GET => (can.prompts.is_some(), "prompts"),
        method::RESOURCES_LIST | method::RESOURCES_TEMPLATES_LIST | method::RESOURCES_READ => {
            (can.resources.is_some(), "resources")
        }
        method::RESOURCES_SUBSCRIBE | method::RESOURCES_UNSUBSCRIBE => {
            let subscribe = can.resources.as_ref().and_then(|can| can.subscribe);
            (subscribe == Some(true), "subscriptions to resources")
        }
        // The first revision had the method and no way to declare it.
        method::COMPLETION_COMPLETE => {
            (can.completions.is_some() || server.revision == Revision::V2024_11_05, "completion")
        }
        method::LOGGING_SET_LEVEL => (can.logging.is_some(), "log messages"),
        _ => return Ok(()),
    };
    match offered {
        true => Ok(()),
        false => Err(Error::unsupported(format!("the server does not offer {what} ({method})"))),
    }
}
