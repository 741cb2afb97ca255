//! The published examples of 2026-07-28 decode into our types and come out the same.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::official;
use crate::jsonrpc::{ErrorObject, Id};
use crate::types::*;

const REVISION: Revision = Revision::V2026_07_28;

/// Decodes an example of a definition and encodes it again.
fn again(definition: &str, example: Value) -> serde_json::Result<Value> {
    match definition {
        "AudioContent" | "EmbeddedResource" | "ImageContent" | "ResourceLink" | "TextContent" => {
            plain::<ContentBlock>(example)
        }
        "ToolResultContent" | "ToolUseContent" => plain::<SamplingContent>(example),
        "BlobResourceContents" | "TextResourceContents" => plain::<ResourceContents>(example),
        "BooleanSchema"
        | "NumberSchema"
        | "StringSchema"
        | "TitledMultiSelectEnumSchema"
        | "TitledSingleSelectEnumSchema"
        | "UntitledMultiSelectEnumSchema"
        | "UntitledSingleSelectEnumSchema" => plain::<PrimitiveSchema>(example),
        "ElicitRequestFormParams" | "ElicitRequestURLParams" => {
            plain::<ElicitRequestParams>(example)
        }
        "CallToolRequestParams" => plain::<CallToolRequestParams>(example),
        "CancelledNotificationParams" => plain::<CancelledNotificationParams>(example),
        "ClientCapabilities" => plain::<ClientCapabilities>(example),
        "CompleteRequestParams" => plain::<CompleteRequestParams>(example),
        "CreateMessageRequestParams" => plain::<CreateMessageRequestParams>(example),
        "CreateMessageResult" => plain::<CreateMessageResult>(example),
        "ElicitResult" => plain::<ElicitResult>(example),
        "GetPromptRequestParams" => plain::<GetPromptRequestParams>(example),
        "InputRequests" => plain::<InputRequests>(example),
        "InputResponses" => plain::<InputResponses>(example),
        "ListRootsResult" => plain::<ListRootsResult>(example),
        "LoggingMessageNotificationParams" => plain::<LoggingMessageNotificationParams>(example),
        "ModelPreferences" => plain::<ModelPreferences>(example),
        "PaginatedRequestParams" => plain::<PaginatedRequestParams>(example),
        "ProgressNotificationParams" => plain::<ProgressNotificationParams>(example),
        "Resource" => plain::<Resource>(example),
        "ResourceUpdatedNotificationParams" => plain::<ResourceUpdatedNotificationParams>(example),
        "Root" => plain::<Root>(example),
        "SamplingMessage" => plain::<SamplingMessage>(example),
        "ServerCapabilities" => plain::<ServerCapabilities>(example),
        "Tool" => plain::<Tool>(example),
        "CallToolResult" => result::<CallToolResult>(example),
        "CompleteResult" => result::<CompleteResult>(example),
        "DiscoverResult" => result::<DiscoverResult>(example),
        "GetPromptResult" => result::<GetPromptResult>(example),
        "InputRequiredResult" => result::<InputRequiredResult>(example),
        "ListPromptsResult" => result::<ListPromptsResult>(example),
        "ListResourceTemplatesResult" => result::<ListResourceTemplatesResult>(example),
        "ListResourcesResult" => result::<ListResourcesResult>(example),
        "ListToolsResult" => result::<ListToolsResult>(example),
        "ReadResourceResult" => result::<ReadResourceResult>(example),
        "SubscriptionsListenResult" => result::<SubscriptionsListenResult>(example),
        "HeaderMismatchError" => failure::<Option<Value>>(example),
        "MissingRequiredClientCapabilityError" => {
            failure::<MissingRequiredClientCapabilityData>(example)
        }
        "UnsupportedProtocolVersionError" => failure::<UnsupportedProtocolVersionData>(example),
        _ if definition.ends_with("Error") => {
            serde_json::from_value::<ErrorObject>(example).and_then(serde_json::to_value)
        }
        _ if definition.ends_with("ResultResponse") => {
            within(example, "result", definition.strip_suffix("Response").unwrap())
        }
        _ => message(definition, example),
    }
}

/// A request or a notification: the envelope stays, the parameters go through their type.
fn message(definition: &str, example: Value) -> serde_json::Result<Value> {
    if example.get("params").is_none() {
        // `roots/list`, the only example without parameters.
        let request: InputRequest = serde_json::from_value(example.clone())?;
        assert_eq!(request, InputRequest::ListRoots(RequestParams::default()));
        return Ok(example);
    }
    let params = match definition {
        "CreateMessageRequest" | "ElicitRequest" => return plain::<InputRequest>(example),
        "DiscoverRequest" => plain::<RequestParams>,
        "GetPromptRequest" => plain::<GetPromptRequestParams>,
        "ReadResourceRequest" => plain::<ReadResourceRequestParams>,
        "SubscriptionsListenRequest" => plain::<SubscriptionsListenRequestParams>,
        "SubscriptionsAcknowledgedNotification" => {
            plain::<SubscriptionsAcknowledgedNotificationParams>
        }
        _ if definition.starts_with("List") => plain::<PaginatedRequestParams>,
        _ if definition.ends_with("ListChangedNotification") => plain::<NotificationParams>,
        _ => return within(example, "params", &format!("{definition}Params")),
    };
    let mut example = example;
    example["params"] = params(example["params"].take())?;
    Ok(example)
}

fn within(mut example: Value, field: &str, definition: &str) -> serde_json::Result<Value> {
    example["id"] = match example["id"].take() {
        Value::Null => Value::Null,
        id => serde_json::to_value(serde_json::from_value::<Id>(id)?)?,
    };
    if example["id"].is_null() {
        example.as_object_mut().unwrap().remove("id");
    }
    example[field] = again(definition, example[field].take())?;
    Ok(example)
}

fn plain<T: DeserializeOwned + Serialize + Adapt>(example: Value) -> serde_json::Result<Value> {
    let mut value: T = serde_json::from_value(example)?;
    value.adapt(REVISION);
    serde_json::to_value(value)
}

fn result<T>(example: Value) -> serde_json::Result<Value>
where
    T: DeserializeOwned + Serialize + Adapt + WireFields,
{
    let kind = result_type_of(&to_raw_value(&example)?)?;
    let mut value: T = serde_json::from_value(example)?;
    serde_json::from_str(encode_result(&mut value, REVISION, kind.as_str()).get())
}

/// An error response whose data has a type.
fn failure<D: DeserializeOwned + Serialize>(mut example: Value) -> serde_json::Result<Value> {
    let mut error: ErrorObject = serde_json::from_value(example["error"].take())?;
    let data: D = serde_json::from_value(error.data.take().unwrap_or_default())?;
    error.data = Some(serde_json::to_value(data)?).filter(|data| !data.is_null());
    example["error"] = serde_json::to_value(error)?;
    Ok(example)
}

/// Equality of JSON, where `50` and `50.0` are one number.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| equal(l, r))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, l)| right.get(key).is_some_and(|r| equal(l, r)))
        }
        _ => left == right,
    }
}

#[test]
fn every_example_survives_a_round_trip() {
    let Some(folder) = official::folder("every_example_survives_a_round_trip") else { return };
    let mut count = 0;
    for definition in std::fs::read_dir(folder.join("examples")).unwrap() {
        let definition = definition.unwrap();
        let name = definition.file_name().into_string().unwrap();
        for file in std::fs::read_dir(definition.path()).unwrap() {
            let path = file.unwrap().path();
            let mut example: Value =
                serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let encoded = again(&name, example.clone()).unwrap_or_else(|e| panic!("{path:?}: {e}"));
            if path.ends_with("ReadResourceResultResponse/read-resource-result-response.json") {
                // This example lacks two fields that its own schema requires.
                example["result"]["ttlMs"] = json!(0);
                example["result"]["cacheScope"] = json!("private");
            }
            assert!(equal(&example, &encoded), "{path:?}:\n{example:#}\nbecame\n{encoded:#}");
            count += 1;
        }
    }
    assert!(count >= 129, "only {count} examples");
}
