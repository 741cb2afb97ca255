//! The experimental tasks of 2025-11-25: requests that are answered later.

use super::Revision;
use super::choice::choice;
use super::meta::Meta;
use super::wire::wire;

choice! {
    /// How far a task has come.
    pub enum TaskStatus {
        /// It runs.
        #[default]
        Working = "working",
        /// It waits for an answer from the other side.
        InputRequired = "input_required",
        /// It is done and has a result.
        Completed = "completed",
        /// It could not be done.
        Failed = "failed",
        /// Somebody stopped it.
        Cancelled = "cancelled",
    }
}

wire! {
    /// A task. Where it stands for a whole result or notification it may carry metadata.
    pub struct Task {
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
        def ttl: Option<u64> = "ttl",
        /// After how many milliseconds to ask again.
        opt poll_interval: u64 = "pollInterval",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// Asks for a request to run as a task.
    pub struct TaskMetadata {
        /// For how many milliseconds to keep it.
        opt ttl: u64 = "ttl",
    }

    /// In `_meta`: the task that a message belongs to.
    pub struct RelatedTaskMetadata {
        /// The task.
        req task_id: String = "taskId",
    }

    /// The first answer to a request that runs as a task.
    pub struct CreateTaskResult {
        /// The task.
        req task: Task = "task",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
    adapt adapt_created;

    /// Which task to look at.
    pub struct GetTaskRequestParams {
        /// The task.
        req task_id: String = "taskId",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// Whose result to wait for.
    pub struct GetTaskPayloadRequestParams {
        /// The task.
        req task_id: String = "taskId",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// The result of the request that ran as a task. Its fields are those of that request's own
    /// result, so all of them are in `extra`.
    pub struct GetTaskPayloadResult {
        /// Metadata; names the task.
        opt meta: Meta = "_meta",
    }

    /// Which task to stop.
    pub struct CancelTaskRequestParams {
        /// The task.
        req task_id: String = "taskId",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// One page of tasks.
    pub struct ListTasksResult {
        /// The page.
        req tasks: Vec<Task> = "tasks",
        /// Where the next page starts; absent on the last one.
        opt next_cursor: String = "nextCursor",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
    adapt adapt_list;
}

/// The answer to `tasks/get`: the task itself.
pub type GetTaskResult = Task;

/// The answer to `tasks/cancel`: the task itself, stopped.
pub type CancelTaskResult = Task;

/// A task has changed: the task itself.
pub type TaskStatusNotificationParams = Task;

/// The result has metadata, the task inside it has not.
fn adapt_created(result: &mut CreateTaskResult, _: Revision) {
    result.task.meta = None;
}

fn adapt_list(result: &mut ListTasksResult, _: Revision) {
    for task in &mut result.tasks {
        task.meta = None;
    }
}

impl TaskStatus {
    /// Whether nothing can change any more.
    pub const fn is_terminal(self) -> bool {
        matches!(self, TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Cancelled)
    }

    /// Whether a task may go from this status to another. Staying is no step.
    pub const fn may_become(self, next: TaskStatus) -> bool {
        match self {
            TaskStatus::Working => !matches!(next, TaskStatus::Working),
            TaskStatus::InputRequired => !matches!(next, TaskStatus::InputRequired),
            TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Cancelled => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// [BOTH-TASK-02] a task begins at work, moves between work and waiting, and ends for good
    #[test]
    fn terminal_is_final() {
        assert_eq!(TaskStatus::default(), TaskStatus::Working);
        for from in TaskStatus::ALL {
            for to in TaskStatus::ALL {
                assert_eq!(from.may_become(*to), !from.is_terminal() && from != to);
            }
        }
    }

    /// [BOTH-TASK-02] both times are there, and an unlimited task says so
    #[test]
    fn an_unlimited_task_says_null() {
        let task = Task {
            task_id: "t".into(),
            created_at: "2025-11-25T00:00:00Z".into(),
            last_updated_at: "2025-11-25T00:00:01Z".into(),
            ..Default::default()
        };
        let json = json!({
            "taskId": "t",
            "status": "working",
            "createdAt": "2025-11-25T00:00:00Z",
            "lastUpdatedAt": "2025-11-25T00:00:01Z",
            "ttl": null,
        });
        assert_eq!(serde_json::to_value(&task).unwrap(), json);
        assert_eq!(serde_json::from_value::<Task>(json).unwrap(), task);
    }
}
