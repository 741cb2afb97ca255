//! How a server of 2026-07-28 asks for something: not with a request of its own, but with a result
//! that lists what it needs. The client repeats its request with the answers.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::elicitation::ElicitRequestParams;
use super::empty::RequestParams;
use super::meta::Meta;
use super::sampling::CreateMessageRequestParams;
use super::wire::{Adapt, Extra, wire};
use super::{JsonObject, Revision, method};

/// What a server needs, by a key of its choice.
pub type InputRequests = BTreeMap<String, InputRequest>;

/// The answers, by the same keys: each the bare result that the request has as a message.
pub type InputResponses = JsonObject;

wire! {
    /// The request cannot be finished yet. At least one of the two fields is there.
    pub struct InputRequiredResult {
        /// What the server needs to know.
        opt input_requests: InputRequests = "inputRequests",
        /// What to bring back, unread and unchanged.
        opt request_state: String = "requestState",
        /// Metadata.
        opt meta: Meta = "_meta",
    }
}

/// One thing that a server needs.
#[expect(clippy::large_enum_variant, reason = "a handful per result, each taken apart at once")]
#[derive(Clone, Debug, PartialEq)]
pub enum InputRequest {
    /// Ask the user.
    Elicit(ElicitRequestParams),
    /// Ask the model.
    CreateMessage(CreateMessageRequestParams),
    /// Say which folders you work in.
    ListRoots(RequestParams),
    /// A request that this crate does not know, kept as it came.
    Unknown(Extra),
}

impl InputRequest {
    /// The name of the request, empty when it has none.
    pub fn method(&self) -> &str {
        match self {
            InputRequest::Elicit(_) => method::ELICITATION_CREATE,
            InputRequest::CreateMessage(_) => method::SAMPLING_CREATE_MESSAGE,
            InputRequest::ListRoots(_) => method::ROOTS_LIST,
            InputRequest::Unknown(fields) => {
                fields.get("method").and_then(Value::as_str).unwrap_or_default()
            }
        }
    }
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = match self {
            InputRequest::Unknown(fields) => return fields.serialize(serializer),
            _ => serializer.serialize_map(None)?,
        };
        map.serialize_entry("method", self.method())?;
        match self {
            InputRequest::Elicit(params) => map.serialize_entry("params", params)?,
            InputRequest::CreateMessage(params) => map.serialize_entry("params", params)?,
            // Optional, but the Go SDK (1.8) cannot read the request without it.
            InputRequest::ListRoots(params) => map.serialize_entry("params", params)?,
            InputRequest::Unknown(_) => {}
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Extra::deserialize(deserializer)?;
        let params = |fields: &mut Extra| fields.remove("params").unwrap_or(Value::Null);
        match fields.get("method").and_then(Value::as_str) {
            Some(method::ELICITATION_CREATE) => {
                serde_json::from_value(params(&mut fields)).map(InputRequest::Elicit)
            }
            Some(method::SAMPLING_CREATE_MESSAGE) => {
                serde_json::from_value(params(&mut fields)).map(InputRequest::CreateMessage)
            }
            Some(method::ROOTS_LIST) => serde_json::from_value::<Option<_>>(params(&mut fields))
                .map(|params| InputRequest::ListRoots(params.unwrap_or_default())),
            Some(_) => Ok(InputRequest::Unknown(fields)),
            None => return Err(D::Error::missing_field("method")),
        }
        .map_err(D::Error::custom)
    }
}

impl Adapt for InputRequest {
    fn adapt(&mut self, revision: Revision) {
        match self {
            InputRequest::Elicit(params) => params.adapt(revision),
            InputRequest::CreateMessage(params) => params.adapt(revision),
            InputRequest::ListRoots(params) => params.adapt(revision),
            InputRequest::Unknown(_) => {}
        }
    }
}

impl From<ElicitRequestParams> for InputRequest {
    fn from(params: ElicitRequestParams) -> Self {
        InputRequest::Elicit(params)
    }
}

impl From<CreateMessageRequestParams> for InputRequest {
    fn from(params: CreateMessageRequestParams) -> Self {
        InputRequest::CreateMessage(params)
    }
}
