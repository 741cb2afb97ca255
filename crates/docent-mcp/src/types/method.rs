//! The names of all requests, and the table of which revision has which message in which
//! direction.

use super::notification;
use super::revision::Revision::{self, *};

/// Opens a legacy connection.
pub const INITIALIZE: &str = "initialize";
/// Asks whether the other side is there.
pub const PING: &str = "ping";
/// Asks a stateless server what it can do.
pub const SERVER_DISCOVER: &str = "server/discover";
/// Lists tools.
pub const TOOLS_LIST: &str = "tools/list";
/// Calls a tool.
pub const TOOLS_CALL: &str = "tools/call";
/// Lists resources.
pub const RESOURCES_LIST: &str = "resources/list";
/// Lists resource templates.
pub const RESOURCES_TEMPLATES_LIST: &str = "resources/templates/list";
/// Reads a resource.
pub const RESOURCES_READ: &str = "resources/read";
/// Watches a resource.
pub const RESOURCES_SUBSCRIBE: &str = "resources/subscribe";
/// Watches a resource no longer.
pub const RESOURCES_UNSUBSCRIBE: &str = "resources/unsubscribe";
/// Lists prompts.
pub const PROMPTS_LIST: &str = "prompts/list";
/// Fills in a prompt.
pub const PROMPTS_GET: &str = "prompts/get";
/// Completes an argument.
pub const COMPLETION_COMPLETE: &str = "completion/complete";
/// Sets the level of log messages.
pub const LOGGING_SET_LEVEL: &str = "logging/setLevel";
/// Listens for changes.
pub const SUBSCRIPTIONS_LISTEN: &str = "subscriptions/listen";
/// Asks the client's model.
pub const SAMPLING_CREATE_MESSAGE: &str = "sampling/createMessage";
/// Lists the client's folders.
pub const ROOTS_LIST: &str = "roots/list";
/// Asks the client's user.
pub const ELICITATION_CREATE: &str = "elicitation/create";
/// Looks at a task.
pub const TASKS_GET: &str = "tasks/get";
/// Waits for the result of a task.
pub const TASKS_RESULT: &str = "tasks/result";
/// Lists tasks.
pub const TASKS_LIST: &str = "tasks/list";
/// Stops a task.
pub const TASKS_CANCEL: &str = "tasks/cancel";
/// Answers what a task asked (the extension `io.modelcontextprotocol/tasks`).
pub const TASKS_UPDATE: &str = "tasks/update";

/// Whether a message wants an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MethodKind {
    /// It does.
    Request,
    /// It does not.
    Notification,
}

/// Which side sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Either.
    Both,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodInfo {
    /// The name on the wire.
    pub name: &'static str,
    /// Whether it wants an answer.
    pub kind: MethodKind,
    /// Who sends it.
    pub from: Sender,
    /// The first revision that has it.
    pub first: Revision,
    /// The last revision that has it.
    pub last: Revision,
}

const fn request(name: &'static str, from: Sender, first: Revision, last: Revision) -> MethodInfo {
    MethodInfo { name, kind: MethodKind::Request, from, first, last }
}

const fn notify(name: &'static str, from: Sender, first: Revision, last: Revision) -> MethodInfo {
    MethodInfo { name, kind: MethodKind::Notification, from, first, last }
}

/// Every message of every revision. A name whose direction changed has a row for each.
///
/// What a 2026-07-28 server asks for inside a result is not a message and not listed for it.
pub const METHODS: &[MethodInfo] = &[
    request(INITIALIZE, Sender::Client, V2024_11_05, V2025_11_25),
    request(PING, Sender::Both, V2024_11_05, V2025_11_25),
    request(SERVER_DISCOVER, Sender::Client, V2026_07_28, V2026_07_28),
    request(TOOLS_LIST, Sender::Client, V2024_11_05, V2026_07_28),
    request(TOOLS_CALL, Sender::Client, V2024_11_05, V2026_07_28),
    request(RESOURCES_LIST, Sender::Client, V2024_11_05, V2026_07_28),
    request(RESOURCES_TEMPLATES_LIST, Sender::Client, V2024_11_05, V2026_07_28),
    request(RESOURCES_READ, Sender::Client, V2024_11_05, V2026_07_28),
    request(RESOURCES_SUBSCRIBE, Sender::Client, V2024_11_05, V2025_11_25),
    request(RESOURCES_UNSUBSCRIBE, Sender::Client, V2024_11_05, V2025_11_25),
    request(PROMPTS_LIST, Sender::Client, V2024_11_05, V2026_07_28),
    request(PROMPTS_GET, Sender::Client, V2024_11_05, V2026_07_28),
    request(COMPLETION_COMPLETE, Sender::Client, V2024_11_05, V2026_07_28),
    request(LOGGING_SET_LEVEL, Sender::Client, V2024_11_05, V2025_11_25),
    request(SUBSCRIPTIONS_LISTEN, Sender::Client, V2026_07_28, V2026_07_28),
    request(SAMPLING_CREATE_MESSAGE, Sender::Server, V2024_11_05, V2025_11_25),
    request(ROOTS_LIST, Sender::Server, V2024_11_05, V2025_11_25),
    request(ELICITATION_CREATE, Sender::Server, V2025_06_18, V2025_11_25),
    request(TASKS_GET, Sender::Both, V2025_11_25, V2025_11_25),
    request(TASKS_RESULT, Sender::Both, V2025_11_25, V2025_11_25),
    request(TASKS_LIST, Sender::Both, V2025_11_25, V2025_11_25),
    request(TASKS_CANCEL, Sender::Both, V2025_11_25, V2025_11_25),
    notify(notification::INITIALIZED, Sender::Client, V2024_11_05, V2025_11_25),
    // A 2026-07-28 server may send it to end a listen stream.
    notify(notification::CANCELLED, Sender::Both, V2024_11_05, V2026_07_28),
    notify(notification::PROGRESS, Sender::Both, V2024_11_05, V2025_11_25),
    notify(notification::PROGRESS, Sender::Server, V2026_07_28, V2026_07_28),
    notify(notification::MESSAGE, Sender::Server, V2024_11_05, V2026_07_28),
    notify(notification::RESOURCES_UPDATED, Sender::Server, V2024_11_05, V2026_07_28),
    notify(notification::RESOURCES_LIST_CHANGED, Sender::Server, V2024_11_05, V2026_07_28),
    notify(notification::TOOLS_LIST_CHANGED, Sender::Server, V2024_11_05, V2026_07_28),
    notify(notification::PROMPTS_LIST_CHANGED, Sender::Server, V2024_11_05, V2026_07_28),
    notify(notification::ROOTS_LIST_CHANGED, Sender::Client, V2024_11_05, V2025_11_25),
    notify(notification::ELICITATION_COMPLETE, Sender::Server, V2025_11_25, V2025_11_25),
    notify(notification::TASKS_STATUS, Sender::Both, V2025_11_25, V2025_11_25),
    notify(notification::SUBSCRIPTIONS_ACKNOWLEDGED, Sender::Server, V2026_07_28, V2026_07_28),
];

impl MethodInfo {
    /// Whether a revision has this row's message from this sender.
    pub fn applies(&self, revision: Revision, from: Sender) -> bool {
        (self.first..=self.last).contains(&revision)
            && (self.from == from || self.from == Sender::Both)
    }
}

/// Whether a revision has a message of that name from that sender.
pub fn exists_in(name: &str, revision: Revision, from: Sender) -> bool {
    METHODS.iter().any(|row| row.name == name && row.applies(revision, from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_and_revisions() {
        let check = |name, revision, client, server| {
            assert_eq!(exists_in(name, revision, Sender::Client), client, "{name} {revision}");
            assert_eq!(exists_in(name, revision, Sender::Server), server, "{name} {revision}");
        };
        check(PING, V2025_11_25, true, true);
        check(PING, V2026_07_28, false, false);
        check(SERVER_DISCOVER, V2025_11_25, false, false);
        check(SERVER_DISCOVER, V2026_07_28, true, false);
        check(ELICITATION_CREATE, V2025_03_26, false, false);
        check(ELICITATION_CREATE, V2025_06_18, false, true);
        check(notification::PROGRESS, V2025_11_25, true, true);
        check(notification::PROGRESS, V2026_07_28, false, true);
        check(TASKS_GET, V2025_06_18, false, false);
        check(TASKS_GET, V2025_11_25, true, true);
        check("no/such", V2025_11_25, false, false);
    }

    #[test]
    fn no_server_sends_a_stateless_request() {
        let requests = METHODS.iter().filter(|row| row.kind == MethodKind::Request);
        assert!(requests.into_iter().all(|row| !row.applies(V2026_07_28, Sender::Server)));
    }
}
