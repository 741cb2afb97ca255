//! The names of all notifications.

/// A client has understood the answer to `initialize`.
pub const INITIALIZED: &str = "notifications/initialized";
/// The sender gives up on a request.
pub const CANCELLED: &str = "notifications/cancelled";
/// A request has come further.
pub const PROGRESS: &str = "notifications/progress";
/// A log message.
pub const MESSAGE: &str = "notifications/message";
/// A watched resource has changed.
pub const RESOURCES_UPDATED: &str = "notifications/resources/updated";
/// The list of resources has changed.
pub const RESOURCES_LIST_CHANGED: &str = "notifications/resources/list_changed";
/// The list of tools has changed.
pub const TOOLS_LIST_CHANGED: &str = "notifications/tools/list_changed";
/// The list of prompts has changed.
pub const PROMPTS_LIST_CHANGED: &str = "notifications/prompts/list_changed";
/// The client's folders have changed.
pub const ROOTS_LIST_CHANGED: &str = "notifications/roots/list_changed";
/// The user is done with the page that an elicitation sent them to.
pub const ELICITATION_COMPLETE: &str = "notifications/elicitation/complete";
/// A task has changed.
pub const TASKS_STATUS: &str = "notifications/tasks/status";
/// A task has changed (the extension `io.modelcontextprotocol/tasks`).
pub const TASKS: &str = "notifications/tasks";
/// What a listen stream will tell.
pub const SUBSCRIPTIONS_ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
