//! Decoding undoes encoding, unknown fields survive, and adapting twice is adapting once.

use std::fmt::Debug;

use proptest::collection::vec;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::types::sample::{Sample, Source};
use crate::types::*;

/// The rules that hold for every type.
fn check<T>(bytes: &[u8]) -> Result<(), TestCaseError>
where
    T: Sample + Adapt + Serialize + DeserializeOwned + Clone + PartialEq + Debug,
{
    let value = T::sample(&mut Source::new(bytes));
    let text = serde_json::to_string(&value).unwrap();
    prop_assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), &value, "{}", text);

    let mut json: Value = serde_json::from_str(&text).unwrap();
    prop_assert_eq!(&serde_json::from_value::<T>(json.clone()).unwrap(), &value, "by value");

    json["aFieldOfTheFuture"] = json!({ "deep": [null, 1.5, "\u{2028}"] });
    let future: T = serde_json::from_value(json.clone()).unwrap();
    prop_assert_eq!(serde_json::to_value(&future).unwrap(), json);

    for revision in Revision::ALL {
        let mut once = future.clone();
        once.adapt(revision);
        let mut twice = once.clone();
        twice.adapt(revision);
        prop_assert_eq!(&once, &twice, "{}", revision);
    }
    Ok(())
}

macro_rules! round_trips {
    ($($Type:ident),* $(,)?) => {
        const CHECKS: &[(&str, fn(&[u8]) -> Result<(), TestCaseError>)] =
            &[ $( (stringify!($Type), check::<$Type>), )* ];
    };
}
round_trips! {
    Annotations, AudioContent, BlobResourceContents, BooleanSchema, CallToolRequestParams,
    CallToolResult, CancelledNotificationParams, ClientCapabilities, CompleteRequestParams,
    CompleteResult, CompletionReference, ContentBlock, CreateMessageRequestParams,
    CreateMessageResult, CreateTaskResult, DetailedTask, DiscoverResult, ElicitRequestFormParams,
    ElicitRequestParams, ElicitRequestUrlParams, ElicitResult,
    ElicitationCompleteNotificationParams, EmbeddedResource, EmptyResult, GetPromptRequestParams,
    GetPromptResult, GetTaskPayloadResult, GetTaskRequestParams, Icon, ImageContent,
    Implementation, InitializeRequestParams, InitializeResult, InputRequiredResult,
    LegacyTitledEnumSchema, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListRootsResult, ListTasksResult, ListToolsResult, LoggingMessageNotificationParams, Meta,
    MissingRequiredClientCapabilityData, ModelPreferences, NotificationParams, NumberSchema,
    PaginatedRequestParams, PrimitiveSchema, ProgressNotificationParams, Prompt, PromptArgument,
    PromptMessage, ReadResourceRequestParams, ReadResourceResult, RequestParams, RequestedSchema,
    Resource, ResourceContents, ResourceLink, ResourceTemplate,
    ResourceUpdatedNotificationParams, Root, SamplingContent, SamplingMessage, ServerCapabilities,
    SetLevelRequestParams, StringSchema, SubscribeRequestParams, SubscriptionFilter,
    SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenRequestParams,
    SubscriptionsListenResult, Task, TaskMetadata, TextContent, TextResourceContents,
    TitledMultiSelectEnumSchema, TitledSingleSelectEnumSchema, Tool, ToolAnnotations,
    ToolChoice, ToolExecution, ToolResultContent, ToolUseContent, UnsubscribeRequestParams,
    UnsupportedProtocolVersionData, UntitledMultiSelectEnumSchema,
    UntitledSingleSelectEnumSchema, UrlElicitationRequiredData,
}

proptest! {
    #![proptest_config(super::config(64))]

    /// [BOTH-META-01] unknown fields and unknown `_meta` keys survive
    #[test]
    fn every_type_survives_a_round_trip(bytes in vec(any::<u8>(), 0..400)) {
        for (name, check) in CHECKS {
            check(&bytes).map_err(|error| TestCaseError::fail(format!("{name}: {error}")))?;
        }
    }
}
