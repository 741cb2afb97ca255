//! JSON-RPC 2.0 as MCP uses it: [`decode`] turns a frame into messages, `encode` writes them.

mod depth;
pub(crate) mod encode;
mod error;
mod id;
mod message;
mod object;
mod raw;
mod salvage;
mod scalar;

pub use error::{ErrorObject, code};
pub use id::Id;
pub use message::{Decoded, Malformed, Message, Notification, Outcome, Request, Response, decode};
pub use object::RawObject;
pub use raw::RawJson;
pub use salvage::MessageId;
pub(crate) use salvage::Salvage;
