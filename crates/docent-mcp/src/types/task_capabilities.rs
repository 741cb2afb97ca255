//! The capabilities of the experimental tasks of 2025-11-25: which requests may run as tasks.

use super::JsonObject;
use super::wire::wire;

wire! {
    /// Which of the server's requests a client can run as tasks.
    pub struct ClientTasksCapability {
        /// `tasks/list` works.
        opt list: JsonObject = "list",
        /// `tasks/cancel` works.
        opt cancel: JsonObject = "cancel",
        /// The requests.
        opt requests: ClientTaskRequests = "requests",
    }

    /// Requests to a client that may run as tasks.
    pub struct ClientTaskRequests {
        /// Those of sampling.
        opt sampling: SamplingTaskRequests = "sampling",
        /// Those of elicitation.
        opt elicitation: ElicitationTaskRequests = "elicitation",
    }

    /// Sampling requests that may run as tasks.
    pub struct SamplingTaskRequests {
        /// `sampling/createMessage`.
        opt create_message: JsonObject = "createMessage",
    }

    /// Elicitation requests that may run as tasks.
    pub struct ElicitationTaskRequests {
        /// `elicitation/create`.
        opt create: JsonObject = "create",
    }

    /// Which of the client's requests a server can run as tasks.
    pub struct ServerTasksCapability {
        /// `tasks/list` works.
        opt list: JsonObject = "list",
        /// `tasks/cancel` works.
        opt cancel: JsonObject = "cancel",
        /// The requests.
        opt requests: ServerTaskRequests = "requests",
    }

    /// Requests to a server that may run as tasks.
    pub struct ServerTaskRequests {
        /// Those of tools.
        opt tools: ToolsTaskRequests = "tools",
    }

    /// Tool requests that may run as tasks.
    pub struct ToolsTaskRequests {
        /// `tools/call`.
        opt call: JsonObject = "call",
    }
}

impl ClientTasksCapability {
    /// Whether `sampling/createMessage` may run as a task.
    pub fn supports_sampling(&self) -> bool {
        let sampling = self.requests.as_ref().and_then(|requests| requests.sampling.as_ref());
        sampling.is_some_and(|sampling| sampling.create_message.is_some())
    }

    /// Whether `elicitation/create` may run as a task.
    pub fn supports_elicitation(&self) -> bool {
        let elicitation = self.requests.as_ref().and_then(|requests| requests.elicitation.as_ref());
        elicitation.is_some_and(|elicitation| elicitation.create.is_some())
    }

    /// Whether everything in `required` is here too.
    pub fn covers(&self, required: &ClientTasksCapability) -> bool {
        (required.list.is_none() || self.list.is_some())
            && (required.cancel.is_none() || self.cancel.is_some())
            && (!required.supports_sampling() || self.supports_sampling())
            && (!required.supports_elicitation() || self.supports_elicitation())
    }
}

impl ServerTasksCapability {
    /// Whether `tools/call` may run as a task.
    pub fn supports_tools(&self) -> bool {
        let tools = self.requests.as_ref().and_then(|requests| requests.tools.as_ref());
        tools.is_some_and(|tools| tools.call.is_some())
    }
}
