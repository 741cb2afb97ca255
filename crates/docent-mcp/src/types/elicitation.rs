//! `elicitation/create`: how a server asks the client's user.

use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::choice::choice;
use super::meta::Meta;
use super::requested_schema::RequestedSchema;
#[cfg(test)]
use super::sample::{Sample, Source};
use super::tasks::TaskMetadata;
use super::wire::{Adapt, Extra, WireFields as _, wire};
use super::{JsonObject, Revision};

/// What the user is asked: to fill in a form, or to visit a page. Told apart by `mode`, and a form
/// when that is absent.
#[derive(Clone, Debug, PartialEq)]
pub enum ElicitRequestParams {
    /// A form.
    Form(ElicitRequestFormParams),
    /// A page.
    Url(ElicitRequestUrlParams),
    /// A mode that this crate does not know, kept as it came.
    Unknown(Extra),
}

wire! {
    /// A form for the user.
    pub struct ElicitRequestFormParams {
        /// `form`, or absent.
        opt mode: String = "mode" [since V2025_11_25],
        /// What it is about.
        req message: String = "message",
        /// The fields: an object schema whose properties are plain. [`RequestedSchema`] builds one.
        req requested_schema: Value = "requestedSchema",
        /// Asks for the request to run as a task.
        opt task: TaskMetadata = "task" [since V2025_11_25 until V2025_11_25],
        /// Metadata. Requests inside `inputRequests` have none.
        opt meta: Meta = "_meta" [until V2025_11_25],
    }
    adapt adapt_form;

    /// A page for the user. Since 2025-11-25.
    pub struct ElicitRequestUrlParams {
        /// What it is about.
        req message: String = "message",
        /// The page.
        req url: String = "url",
        /// The name under which its completion is told. Required in 2025-11-25.
        opt elicitation_id: String = "elicitationId" [until V2025_11_25],
        /// Asks for the request to run as a task.
        opt task: TaskMetadata = "task" [since V2025_11_25 until V2025_11_25],
        /// Metadata. Requests inside `inputRequests` have none.
        opt meta: Meta = "_meta" [until V2025_11_25],
    }

    /// What the user did, as a message or inside `inputResponses`.
    pub struct ElicitResult {
        /// The decision.
        req action: ElicitAction = "action",
        /// What was filled in, when a form was accepted.
        opt content: JsonObject = "content",
        /// Metadata. Answers inside `inputResponses` have none.
        opt meta: Meta = "_meta" [until V2025_11_25],
    }
    adapt adapt_result;

    /// The user is done with a page (2025-11-25).
    pub struct ElicitationCompleteNotificationParams {
        /// Which elicitation.
        req elicitation_id: String = "elicitationId",
        /// Metadata.
        opt meta: Meta = "_meta",
    }

    /// With −32042 (2025-11-25): pages the user has to visit before the request can succeed.
    pub struct UrlElicitationRequiredData {
        /// The pages.
        req elicitations: Vec<ElicitRequestParams> = "elicitations",
    }
}

choice! {
    /// What the user decided.
    pub enum ElicitAction {
        /// To answer.
        Accept = "accept",
        /// Not to answer.
        Decline = "decline",
        /// Nothing: the question was dismissed.
        #[default]
        Cancel = "cancel",
    }
}

impl ElicitRequestParams {
    /// A form.
    pub fn form(message: impl Into<String>, requested_schema: impl Into<Value>) -> Self {
        ElicitRequestParams::Form(ElicitRequestFormParams {
            mode: Some("form".to_owned()),
            message: message.into(),
            requested_schema: requested_schema.into(),
            ..Default::default()
        })
    }

    /// A page.
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        ElicitRequestParams::Url(ElicitRequestUrlParams {
            message: message.into(),
            url: url.into(),
            ..Default::default()
        })
    }

    /// What it is about.
    pub fn message(&self) -> &str {
        match self {
            ElicitRequestParams::Form(params) => &params.message,
            ElicitRequestParams::Url(params) => &params.message,
            ElicitRequestParams::Unknown(fields) => {
                fields.get("message").and_then(Value::as_str).unwrap_or_default()
            }
        }
    }
}

impl ElicitResult {
    /// The user answered.
    pub fn accept(content: JsonObject) -> Self {
        ElicitResult { action: ElicitAction::Accept, content: Some(content), ..Default::default() }
    }

    /// The user decided without answering.
    pub fn of(action: ElicitAction) -> Self {
        ElicitResult { action, ..Default::default() }
    }
}

fn adapt_form(params: &mut ElicitRequestFormParams, revision: Revision) {
    if revision >= Revision::V2025_11_25 {
        return;
    }
    if let Ok(mut schema) = RequestedSchema::deserialize(&params.requested_schema) {
        schema.adapt(revision);
        params.requested_schema = schema.into();
    }
}

/// A form is flat: words, numbers, yes or no and, since 2025-11-25, several words at once.
fn adapt_result(result: &mut ElicitResult, revision: Revision) {
    let Some(content) = &mut result.content else { return };
    content.retain(|_, answer| match answer {
        Value::String(_) | Value::Number(_) | Value::Bool(_) => true,
        Value::Array(words) => {
            revision >= Revision::V2025_11_25 && words.iter().all(Value::is_string)
        }
        Value::Null | Value::Object(_) => false,
    });
}

impl Serialize for ElicitRequestParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ElicitRequestParams::Form(params) => params.serialize(serializer),
            ElicitRequestParams::Url(params) => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("mode", "url")?;
                params.serialize_fields(&mut map, Some("mode"))?;
                map.end()
            }
            ElicitRequestParams::Unknown(fields) => fields.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ElicitRequestParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Extra::deserialize(deserializer)?;
        match fields.get("mode").map(Value::as_str) {
            None | Some(Some("form")) => {
                serde_json::from_value(Value::Object(fields)).map(ElicitRequestParams::Form)
            }
            Some(Some("url")) => {
                fields.shift_remove("mode");
                serde_json::from_value(Value::Object(fields)).map(ElicitRequestParams::Url)
            }
            Some(Some(_)) => Ok(ElicitRequestParams::Unknown(fields)),
            Some(None) => return Err(D::Error::custom("`mode` is not a string")),
        }
        .map_err(D::Error::custom)
    }
}

impl Default for ElicitRequestParams {
    fn default() -> Self {
        ElicitRequestParams::Form(ElicitRequestFormParams::default())
    }
}

impl Adapt for ElicitRequestParams {
    fn adapt(&mut self, revision: Revision) {
        match self {
            ElicitRequestParams::Form(params) => params.adapt(revision),
            ElicitRequestParams::Url(params) => params.adapt(revision),
            ElicitRequestParams::Unknown(_) => {}
        }
    }
}

impl From<ElicitRequestFormParams> for ElicitRequestParams {
    fn from(params: ElicitRequestFormParams) -> Self {
        ElicitRequestParams::Form(params)
    }
}

impl From<ElicitRequestUrlParams> for ElicitRequestParams {
    fn from(params: ElicitRequestUrlParams) -> Self {
        ElicitRequestParams::Url(params)
    }
}

#[cfg(test)]
impl ElicitRequestFormParams {
    fn make_valid(&mut self, source: &mut Source<'_>) {
        self.mode = self.mode.is_some().then(|| "form".to_owned());
        self.requested_schema = RequestedSchema::sample(source).into();
    }
}

#[cfg(test)]
impl ElicitRequestUrlParams {
    fn make_valid(&mut self, source: &mut Source<'_>) {
        self.elicitation_id = Some(Sample::sample(source));
    }
}
