//! The tasks of the extension `io.modelcontextprotocol/tasks` (2026-07-28): one flat object that
//! says everything about a task, its result included.

use super::JsonObject;
use super::input::{InputRequests, InputResponses};
use super::meta::Meta;
use super::tasks::{Task, TaskStatus};
use super::wire::wire;

wire! {
    /// A task with what belongs to its status. Answers `tasks/get` and comes with
    /// `notifications/tasks`; without the last three fields it is the first answer to a request
    /// that became a task.
    pub struct DetailedTask {
        /// Its name: nobody can guess it.
        req task_id: String = "taskId",
        /// How far it has come.
        req status: TaskStatus = "status",
        /// What is happening, for people.
        opt status_message: String = "statusMessage",
        /// When it began, in ISO 8601.
        req created_at: String = "createdAt",
        /// When it last changed, in ISO 8601.
        def last_updated_at: String = "lastUpdatedAt",
        /// For how many milliseconds after its beginning it is kept; `None` is forever.
        def ttl_ms: Option<u64> = "ttlMs",
        /// After how many milliseconds to ask again.
        opt poll_interval_ms: u64 = "pollIntervalMs",
        /// What the server needs to know, when it waits for that.
        opt input_requests: InputRequests = "inputRequests",
        /// What the request came to, when the task is completed.
        opt result: JsonObject = "result",
        /// The JSON-RPC error that the request ended with, when the task has failed.
        opt error: JsonObject = "error",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// Answers to what a task asked.
    pub struct UpdateTaskRequestParams {
        /// The task.
        req task_id: String = "taskId",
        /// The answers, by the keys of the questions; any part of those that are open.
        req input_responses: InputResponses = "inputResponses",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
}

/// A task of 2025-11-25 in the form of the extension, without what belongs to its status.
impl From<Task> for DetailedTask {
    fn from(task: Task) -> Self {
        DetailedTask {
            task_id: task.task_id,
            status: task.status,
            status_message: task.status_message,
            created_at: task.created_at,
            last_updated_at: task.last_updated_at,
            ttl_ms: task.ttl,
            poll_interval_ms: task.poll_interval,
            extra: task.extra,
            ..Default::default()
        }
    }
}
