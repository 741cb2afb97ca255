//! Tasks: tool calls that a client does not have to wait for.
//!
//! A handler is written once. Whether its call becomes a task is decided by [`plan`]: in 2026-07-28
//! by the server, if the request declares the extension `io.modelcontextprotocol/tasks`; in
//! 2025-11-25 by the client, which sends `task`. Otherwise the call runs within its request.
//!
//! Inside a task, a question (`ctx.elicit` and the like) is put into the task, whose status says
//! `input_required`, and the handler waits. The answer comes with `tasks/update`
//! ([`modern`]), or to a request that is sent while `tasks/result` waits ([`legacy`]). Progress
//! and log messages exist in tasks of 2025-11-25 only; in 2026-07-28 the message of a progress
//! report becomes the status message.
//!
//! [`entry`] is one task, [`store`] holds all of a server, [`run`] makes and drives them, and
//! [`cell`] ties a task to the context of its handler.

pub(super) mod cell;
pub(super) mod entry;
pub(super) mod legacy;
mod modern;
mod run;
mod store;

pub(super) use modern::extension;
pub(super) use run::{Plan, create, plan, run_until_detached, start};
pub(crate) use store::TaskStore;

/// The name of the extension.
pub const EXTENSION_ID: &str = "io.modelcontextprotocol/tasks";

/// The field of a listen filter that names tasks.
const LISTEN_FIELD: &str = "taskIds";
