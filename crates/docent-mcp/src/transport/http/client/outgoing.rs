//! What HTTP has to know of a message that goes out.

use std::borrow::Cow;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::mirror::Mirrored;
use crate::jsonrpc::Id;
use crate::transport::http::headers::{METHOD, NAME, PROTOCOL_VERSION, encode};
use crate::types::{CancelledNotificationParams, Meta, method};

/// The types of answers that can be read.
pub(super) const ANSWERS: HeaderValue =
    HeaderValue::from_static("application/json, text/event-stream");
pub(super) const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A message of this side. One without a method is an answer.
#[derive(Deserialize)]
pub(super) struct Outgoing<'a> {
    pub(super) id: Option<Id>,
    #[serde(borrow)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// A request of this side, while it is open.
pub(super) struct Asked {
    pub(super) id: Id,
    pub(super) method: String,
    /// Whether the request says itself which revision it is of: then there is no session.
    pub(super) modern: bool,
    pub(super) headers: HeaderMap,
}

/// The members of `params` that headers repeat.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(rename = "_meta", borrow)]
    meta: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
    #[serde(borrow)]
    task_id: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl<'a> Outgoing<'a> {
    /// Reads a frame. A batch is `None`: it holds nothing but answers.
    pub(super) fn read(frame: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(frame).ok()
    }

    /// The request that this notification takes back.
    pub(super) fn cancelled(&self) -> Option<Id> {
        let params: CancelledNotificationParams = serde_json::from_str(self.params?.get()).ok()?;
        params.request_id
    }

    /// What a request needs to be sent.
    pub(super) fn asked(self, id: Id, mirrored: &Mirrored) -> Asked {
        let params = self.params.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let params: Params<'_> = params.unwrap_or_default();
        let method = self.method.unwrap_or_default().into_owned();
        let mut headers = json();
        let version = params.version();
        if let Some(version) = &version {
            let mut set = |name, text: &str| {
                if let Ok(value) = HeaderValue::from_str(&encode(text)) {
                    headers.insert(name, value);
                }
            };
            set(PROTOCOL_VERSION, version);
            set(METHOD, &method);
            if let Some(name) = params.name_for(&method) {
                set(NAME, &name);
                if method == method::TOOLS_CALL && mirrored.knows(&name) {
                    mirrored.apply(&name, &params.arguments(), &mut headers);
                }
            }
        }
        Asked { id, method, modern: version.is_some(), headers }
    }
}

impl Params<'_> {
    fn version(&self) -> Option<String> {
        let meta: Meta = serde_json::from_str(self.meta?.get()).ok()?;
        meta.protocol_version().map(str::to_owned)
    }

    /// What the request is about, for methods that say so in a header.
    fn name_for(&self, method: &str) -> Option<String> {
        let raw = match method {
            method::TOOLS_CALL | method::PROMPTS_GET => self.name,
            method::RESOURCES_READ => self.uri,
            _ if method.starts_with("tasks/") => self.task_id,
            _ => None,
        };
        serde_json::from_str(raw?.get()).ok()
    }

    fn arguments(&self) -> Map<String, Value> {
        self.arguments.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }
}

/// The headers of any message.
pub(super) fn json() -> HeaderMap {
    HeaderMap::from_iter([(ACCEPT, ANSWERS), (CONTENT_TYPE, JSON)])
}

/// Whether a frame is the answer to the request with this id.
pub(super) fn answers(frame: &[u8], id: &Id) -> bool {
    #[derive(Deserialize)]
    struct Answer<'a> {
        id: Option<Id>,
        #[serde(borrow)]
        method: Option<&'a RawValue>,
    }
    let frame = frame.strip_prefix(b"\xef\xbb\xbf").unwrap_or(frame);
    let answer = serde_json::from_slice::<Answer<'_>>(frame);
    answer.is_ok_and(|answer| answer.method.is_none() && answer.id.as_ref() == Some(id))
}
