//! What HTTP has to know of a message that goes out.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::mirror::Mirrored;
use crate::jsonrpc::Id;
use crate::transport::http::headers::{METHOD, NAME, PROTOCOL_VERSION, encode};
use crate::types::method;
use crate::types::wire::Key;

/// The types of answers that can be read.
pub(super) const ANSWERS: HeaderValue =
    HeaderValue::from_static("application/json, text/event-stream");
pub(super) const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A message of this side, as far as headers repeat it. One without a method is an answer.
#[derive(Deserialize)]
pub(super) struct Outgoing<'a> {
    pub(super) id: Option<Id>,
    #[serde(borrow)]
    method: Option<Key<'a>>,
    #[serde(borrow)]
    params: Option<Params<'a>>,
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
    meta: Option<Claim<'a>>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
    #[serde(borrow)]
    task_id: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    request_id: Option<&'a RawValue>,
}

/// The member of `_meta` that headers repeat.
#[derive(Deserialize)]
struct Claim<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion", borrow)]
    version: Option<Key<'a>>,
}

impl<'a> Outgoing<'a> {
    /// Reads a frame. A batch is `None`: it holds nothing but answers.
    pub(super) fn read(frame: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(frame).ok()
    }

    pub(super) fn method(&self) -> Option<&str> {
        self.method.as_ref().map(Key::as_str)
    }

    /// The request that this notification takes back.
    pub(super) fn cancelled(&self) -> Option<Id> {
        serde_json::from_str(self.params.as_ref()?.request_id?.get()).ok()
    }

    /// What a request needs to be sent.
    pub(super) fn asked(self, id: Id, mirrored: &Mirrored) -> Asked {
        let params = self.params.unwrap_or_default();
        let method = self.method.map(Key::into_string).unwrap_or_default();
        let mut headers = json();
        let version = params.meta.as_ref().and_then(|claim| claim.version.as_ref());
        let modern = version.is_some();
        if let Some(version) = version.map(Key::as_str) {
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
        Asked { id, method, modern, headers }
    }
}

impl Params<'_> {
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

/// The headers of any message, with room for those that some have and for what HTTP adds.
pub(super) fn json() -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(12);
    headers.insert(ACCEPT, ANSWERS);
    headers.insert(CONTENT_TYPE, JSON);
    headers
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
