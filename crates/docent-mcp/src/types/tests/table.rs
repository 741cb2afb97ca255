//! Every request, result and notification, with a function that draws one and encodes it for a
//! revision.

use serde::Serialize;
use serde_json::{Value, json};

use crate::jsonrpc::Id;
use crate::types::sample::{Sample, Source};
use crate::types::*;

/// Draws a message and encodes it.
pub(super) type Encode = fn(&mut Source<'_>, Revision) -> Value;

/// The official definition that a message has to meet, in every revision that has one.
pub(super) const MESSAGES: &[(&str, Encode)] = &[
    // Requests of the client.
    ("InitializeRequest", |s, r| request::<InitializeRequestParams>(method::INITIALIZE, s, r)),
    ("PingRequest", |s, r| optional::<RequestParams>(method::PING, s, r)),
    ("DiscoverRequest", |s, r| request::<RequestParams>(method::SERVER_DISCOVER, s, r)),
    ("ListToolsRequest", |s, r| optional::<PaginatedRequestParams>(method::TOOLS_LIST, s, r)),
    ("CallToolRequest", |s, r| request::<CallToolRequestParams>(method::TOOLS_CALL, s, r)),
    ("ListResourcesRequest", |s, r| {
        optional::<PaginatedRequestParams>(method::RESOURCES_LIST, s, r)
    }),
    ("ListResourceTemplatesRequest", |s, r| {
        optional::<PaginatedRequestParams>(method::RESOURCES_TEMPLATES_LIST, s, r)
    }),
    ("ReadResourceRequest", |s, r| {
        request::<ReadResourceRequestParams>(method::RESOURCES_READ, s, r)
    }),
    ("SubscribeRequest", |s, r| {
        request::<SubscribeRequestParams>(method::RESOURCES_SUBSCRIBE, s, r)
    }),
    ("UnsubscribeRequest", |s, r| {
        request::<UnsubscribeRequestParams>(method::RESOURCES_UNSUBSCRIBE, s, r)
    }),
    ("ListPromptsRequest", |s, r| optional::<PaginatedRequestParams>(method::PROMPTS_LIST, s, r)),
    ("GetPromptRequest", |s, r| request::<GetPromptRequestParams>(method::PROMPTS_GET, s, r)),
    ("CompleteRequest", |s, r| request::<CompleteRequestParams>(method::COMPLETION_COMPLETE, s, r)),
    ("SetLevelRequest", |s, r| request::<SetLevelRequestParams>(method::LOGGING_SET_LEVEL, s, r)),
    ("SubscriptionsListenRequest", |s, r| {
        request::<SubscriptionsListenRequestParams>(method::SUBSCRIPTIONS_LISTEN, s, r)
    }),
    ("GetTaskRequest", |s, r| request::<GetTaskRequestParams>(method::TASKS_GET, s, r)),
    ("GetTaskPayloadRequest", |s, r| {
        request::<GetTaskPayloadRequestParams>(method::TASKS_RESULT, s, r)
    }),
    ("CancelTaskRequest", |s, r| request::<CancelTaskRequestParams>(method::TASKS_CANCEL, s, r)),
    ("ListTasksRequest", |s, r| optional::<PaginatedRequestParams>(method::TASKS_LIST, s, r)),
    // Requests of the server; in 2026-07-28 entries of `inputRequests`.
    ("CreateMessageRequest", |s, r| match r.is_modern() {
        true => plain(&mut InputRequest::from(CreateMessageRequestParams::sample(s)), r),
        false => request::<CreateMessageRequestParams>(method::SAMPLING_CREATE_MESSAGE, s, r),
    }),
    ("ListRootsRequest", |s, r| match r.is_modern() {
        true => plain(&mut InputRequest::ListRoots(Sample::sample(s)), r),
        false => optional::<RequestParams>(method::ROOTS_LIST, s, r),
    }),
    ("ElicitRequest", |s, r| match r {
        Revision::V2026_07_28 => plain(&mut InputRequest::Elicit(Sample::sample(s)), r),
        Revision::V2025_11_25 => request::<ElicitRequestParams>(method::ELICITATION_CREATE, s, r),
        _ => request::<ElicitRequestFormParams>(method::ELICITATION_CREATE, s, r),
    }),
    // Results of the server.
    ("EmptyResult", result::<EmptyResult>),
    ("InitializeResult", result::<InitializeResult>),
    ("DiscoverResult", result::<DiscoverResult>),
    ("ListToolsResult", result::<ListToolsResult>),
    ("CallToolResult", result::<CallToolResult>),
    ("ListResourcesResult", result::<ListResourcesResult>),
    ("ListResourceTemplatesResult", result::<ListResourceTemplatesResult>),
    ("ReadResourceResult", result::<ReadResourceResult>),
    ("ListPromptsResult", result::<ListPromptsResult>),
    ("GetPromptResult", result::<GetPromptResult>),
    ("CompleteResult", result::<CompleteResult>),
    ("SubscriptionsListenResult", result::<SubscriptionsListenResult>),
    ("InputRequiredResult", |s, r| decode(InputRequiredResult::sample(s), r, "input_required")),
    ("CreateTaskResult", result::<CreateTaskResult>),
    ("GetTaskResult", result::<GetTaskResult>),
    ("GetTaskPayloadResult", result::<GetTaskPayloadResult>),
    ("CancelTaskResult", result::<CancelTaskResult>),
    ("ListTasksResult", result::<ListTasksResult>),
    // Results of the client; in 2026-07-28 entries of `inputResponses`, without a result type.
    ("CreateMessageResult", |s, r| plain(&mut CreateMessageResult::sample(s), r)),
    ("ListRootsResult", |s, r| plain(&mut ListRootsResult::sample(s), r)),
    ("ElicitResult", |s, r| plain(&mut ElicitResult::sample(s), r)),
    // Notifications.
    ("InitializedNotification", |s, r| bare(notification::INITIALIZED, s, r)),
    ("CancelledNotification", |s, r| {
        notify::<CancelledNotificationParams>(notification::CANCELLED, s, r)
    }),
    ("ProgressNotification", |s, r| {
        notify::<ProgressNotificationParams>(notification::PROGRESS, s, r)
    }),
    ("LoggingMessageNotification", |s, r| {
        notify::<LoggingMessageNotificationParams>(notification::MESSAGE, s, r)
    }),
    ("ResourceUpdatedNotification", |s, r| {
        notify::<ResourceUpdatedNotificationParams>(notification::RESOURCES_UPDATED, s, r)
    }),
    ("ResourceListChangedNotification", |s, r| bare(notification::RESOURCES_LIST_CHANGED, s, r)),
    ("ToolListChangedNotification", |s, r| bare(notification::TOOLS_LIST_CHANGED, s, r)),
    ("PromptListChangedNotification", |s, r| bare(notification::PROMPTS_LIST_CHANGED, s, r)),
    ("RootsListChangedNotification", |s, r| bare(notification::ROOTS_LIST_CHANGED, s, r)),
    ("ElicitationCompleteNotification", |s, r| {
        notify::<ElicitationCompleteNotificationParams>(notification::ELICITATION_COMPLETE, s, r)
    }),
    ("TaskStatusNotification", |s, r| {
        notify::<TaskStatusNotificationParams>(notification::TASKS_STATUS, s, r)
    }),
    ("SubscriptionsAcknowledgedNotification", |s, r| {
        notify::<SubscriptionsAcknowledgedNotificationParams>(
            notification::SUBSCRIPTIONS_ACKNOWLEDGED,
            s,
            r,
        )
    }),
];

/// A value on its own.
fn plain<T: Adapt + Serialize>(value: &mut T, revision: Revision) -> Value {
    value.adapt(revision);
    serde_json::to_value(value).unwrap()
}

fn request<P: Sample + Adapt + Serialize>(
    name: &str,
    source: &mut Source<'_>,
    revision: Revision,
) -> Value {
    let mut params = plain(&mut P::sample(source), revision);
    if revision.is_modern() {
        let meta = params.as_object_mut().unwrap().entry("_meta").or_insert_with(|| json!({}));
        let mut stamped: Meta = serde_json::from_value(meta.take()).unwrap();
        stamped.set_protocol_version(revision.as_str());
        let mut capabilities = ClientCapabilities::sample(source);
        capabilities.adapt(revision);
        stamped.set_client_capabilities(&capabilities);
        stamped.set_client_info(&Sample::sample(source));
        *meta = serde_json::to_value(stamped).unwrap();
    }
    json!({ "jsonrpc": "2.0", "id": Id::sample(source), "method": name, "params": params })
}

/// A request whose parameters handshake revisions may leave out.
fn optional<P: Sample + Adapt + Serialize>(
    name: &str,
    source: &mut Source<'_>,
    revision: Revision,
) -> Value {
    let leave_out = !revision.is_modern() && bool::sample(source);
    let mut message = request::<P>(name, source, revision);
    if leave_out {
        message.as_object_mut().unwrap().remove("params");
    }
    message
}

fn notify<P: Sample + Adapt + Serialize>(
    name: &str,
    source: &mut Source<'_>,
    revision: Revision,
) -> Value {
    let params = plain(&mut P::sample(source), revision);
    json!({ "jsonrpc": "2.0", "method": name, "params": params })
}

/// A notification whose parameters may be left out.
fn bare(name: &str, source: &mut Source<'_>, revision: Revision) -> Value {
    match bool::sample(source) {
        true => notify::<NotificationParams>(name, source, revision),
        false => json!({ "jsonrpc": "2.0", "method": name }),
    }
}

fn result<T>(source: &mut Source<'_>, revision: Revision) -> Value
where
    T: Sample + Serialize + Adapt + WireFields,
{
    decode(T::sample(source), revision, "complete")
}

fn decode<T>(mut result: T, revision: Revision, result_type: &str) -> Value
where
    T: Serialize + Adapt + WireFields,
{
    serde_json::from_str(encode_result(&mut result, revision, result_type).get()).unwrap()
}
