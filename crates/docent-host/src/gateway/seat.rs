//! A call's place at a desk, where it is told and asked.

use std::sync::Arc;

use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::types::{
    InputRequest, JsonObject, LoggingMessageNotificationParams, ProgressNotificationParams,
};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::caller::Key;
use super::desk::Desk;

/// A question of a server. Boxed, as notices are: a queue has room for 32 from the start, and each
/// call has two of them.
pub(super) struct Question {
    pub(super) request: Box<InputRequest>,
    pub(super) answer: oneshot::Sender<Result<Value, ErrorObject>>,
}

/// Something that a call's client is told.
pub(super) enum Notice {
    Progress(Box<ProgressNotificationParams>),
    Log(Box<LoggingMessageNotificationParams>),
    /// Of an extension that is not known here.
    Other(Box<(String, JsonObject)>),
}

/// A call as its desk sees it.
pub(super) struct Sitting {
    pub(super) key: Key,
    pub(super) logs: bool,
    /// Whether its client has extensions of its own, or is of an era that does not say.
    pub(super) extended: bool,
    pub(super) notices: mpsc::Sender<Notice>,
    pub(super) questions: mpsc::Sender<Question>,
}

/// A call's place at a desk; leaving is dropping it.
pub(super) struct Seat {
    pub(super) desk: Arc<Desk>,
    pub(super) number: u64,
    pub(super) notices: mpsc::Receiver<Notice>,
    pub(super) questions: mpsc::Receiver<Question>,
    /// To tell this call of progress.
    pub(super) report: mpsc::Sender<Notice>,
    /// The server has answered: it has nothing more to say about this call.
    pub(super) over: bool,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.desk.leave(self.number, self.over);
    }
}
