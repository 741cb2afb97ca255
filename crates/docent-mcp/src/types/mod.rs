//! The protocol's vocabulary, one file per page of the specification.
//!
//! Every type is the union of what the five revisions know. Decoding understands all of them;
//! [`Adapt::adapt`] brings a value into the form of one revision before it is encoded.

pub(crate) mod choice;
pub(crate) mod wire;

mod annotations;
mod base64;
mod caching;
mod cancel;
mod capabilities;
mod completion;
mod content;
mod discover;
mod elicitation;
mod empty;
mod enum_schema;
mod error_data;
mod implementation;
mod initialize;
mod input;
mod logging;
mod meta;
mod meta_key;
pub mod method;
pub mod notification;
mod pagination;
mod primitive_schema;
mod progress;
mod prompts;
mod requested_schema;
mod resource_contents;
mod resources;
mod result;
mod revision;
mod roots;
mod sampling;
mod sampling_content;
mod skills;
mod subscriptions;
mod task_capabilities;
mod task_extension;
mod tasks;
mod timestamp;
mod tool_schema;
mod tools;
mod trace;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod sample_types;
#[cfg(test)]
mod tests;

pub use annotations::{Annotations, Role};
pub use caching::CacheScope;
pub use cancel::CancelledNotificationParams;
pub use capabilities::{
    ClientCapabilities, ElicitationCapability, PromptsCapability, ResourcesCapability,
    RootsCapability, SamplingCapability, ServerCapabilities, ToolsCapability,
};
pub use choice::UnknownValue;
pub use completion::{
    CompleteRequestParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, PromptReference, ResourceTemplateReference,
};
pub use content::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, TextContent,
};
pub use discover::DiscoverResult;
pub use elicitation::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams,
    ElicitResult, ElicitationCompleteNotificationParams, UrlElicitationRequiredData,
};
pub use empty::{EmptyResult, NotificationParams, RequestParams};
pub use enum_schema::{
    EnumOption, LegacyTitledEnumSchema, StringType, TitledItems, TitledMultiSelectEnumSchema,
    TitledSingleSelectEnumSchema, UntitledItems, UntitledMultiSelectEnumSchema,
    UntitledSingleSelectEnumSchema,
};
pub use error_data::{MissingRequiredClientCapabilityData, UnsupportedProtocolVersionData};
pub use implementation::{Icon, IconTheme, Implementation};
pub use initialize::{InitializeRequestParams, InitializeResult};
pub use input::{InputRequest, InputRequests, InputRequiredResult, InputResponses};
pub use logging::{LoggingLevel, LoggingMessageNotificationParams, SetLevelRequestParams};
pub use meta::{Meta, ProgressToken};
pub use meta_key::{meta_key_is_reserved, meta_key_is_valid};
pub use method::{METHODS, MethodInfo, MethodKind, Sender, exists_in};
pub use pagination::PaginatedRequestParams;
pub use primitive_schema::{
    BooleanSchema, NumberKind, NumberSchema, PrimitiveSchema, StringFormat, StringSchema,
};
pub use progress::ProgressNotificationParams;
pub use prompts::{
    GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument,
    PromptMessage,
};
pub use requested_schema::RequestedSchema;
pub use resource_contents::{BlobResourceContents, ResourceContents, TextResourceContents};
pub use resources::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceRequestParams,
    ReadResourceResult, Resource, ResourceTemplate, ResourceUpdatedNotificationParams,
    SubscribeRequestParams, UnsubscribeRequestParams,
};
pub(crate) use result::encode_result_with;
pub use result::{ResultKind, encode_result, result_type_of};
pub(crate) use revision::Revisions;
pub use revision::{Era, Revision, UnknownRevision};
pub use roots::{ListRootsResult, Root};
pub use sampling::{
    CreateMessageRequestParams, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences,
    SamplingMessage, ToolChoice, ToolChoiceMode,
};
pub use sampling_content::{SamplingContent, SamplingContents, ToolResultContent, ToolUseContent};
pub use skills::{
    GetSkillRequestParams, GetSkillResult, ListSkillsResult, ReadDirectoryRequestParams, Skill,
    SkillResource, SkillResources,
};
pub use subscriptions::{
    SubscriptionFilter, SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequestParams, SubscriptionsListenResult,
};
pub use task_capabilities::{
    ClientTaskRequests, ClientTasksCapability, ElicitationTaskRequests, SamplingTaskRequests,
    ServerTaskRequests, ServerTasksCapability, ToolsTaskRequests,
};
pub use task_extension::{DetailedTask, UpdateTaskRequestParams};
pub use tasks::{
    CancelTaskRequestParams, CancelTaskResult, CreateTaskResult, GetTaskPayloadRequestParams,
    GetTaskPayloadResult, GetTaskRequestParams, GetTaskResult, ListTasksResult,
    RelatedTaskMetadata, Task, TaskMetadata, TaskStatus, TaskStatusNotificationParams,
};
pub use timestamp::timestamp;
pub use tools::{
    CallToolRequestParams, CallToolResult, ListToolsResult, TaskSupport, Tool, ToolAnnotations,
    ToolExecution,
};
pub use trace::{baggage_is_valid, traceparent_is_valid, tracestate_is_valid};
pub use wire::{Adapt, Extra, WireFields};

/// A JSON object whose content the protocol leaves open.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
