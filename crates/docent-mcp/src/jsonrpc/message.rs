//! From one frame to one message (or, in 2025-03-26, a batch of them).
//!
//! The envelope is parsed once; `params` and `result` stay text until somebody knows their type.
//! Whatever is wrong with a frame becomes a [`Malformed`]: the error to answer with and, when it
//! can be read and belongs to a request, the id to answer to. Nothing here can end a connection.

use std::fmt;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::scalar::Scalar;
use super::{ErrorObject, Id, RawJson, depth, salvage};
use crate::limits::Limits;
use crate::types::wire::Key;

/// One JSON-RPC message.
#[derive(Clone, Debug)]
pub enum Message {
    /// Wants an answer.
    Request(Request),
    /// Wants none.
    Notification(Notification),
    /// Is one.
    Response(Response),
}

/// A request as it came from the wire.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to answer to.
    pub id: Id,
    /// What to do.
    pub method: String,
    /// With what; absent and `null` are both `None`.
    pub params: Option<RawJson>,
}

/// A notification as it came from the wire.
#[derive(Clone, Debug)]
pub struct Notification {
    /// What happened.
    pub method: String,
    /// Details; absent and `null` are both `None`.
    pub params: Option<RawJson>,
}

/// A response as it came from the wire.
#[derive(Clone, Debug)]
pub struct Response {
    /// Which request it answers; an error for a request that could not be read has none.
    pub id: Option<Id>,
    /// What it says.
    pub outcome: Outcome,
}

/// What a response says.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A result.
    Result(RawJson),
    /// An error of the peer.
    Error(ErrorObject),
    /// Nothing that can be used, for this reason: both a result and an error, an error object that
    /// is none, a result that is nested too deeply.
    Broken(String),
}

impl From<Outcome> for crate::Result<RawJson> {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Result(result) => Ok(result),
            Outcome::Error(error) => Err(error.into()),
            Outcome::Broken(what) => {
                Err(crate::Error::invalid_response(format!("the answer is broken: {what}")))
            }
        }
    }
}

/// What one frame held.
#[derive(Debug)]
pub enum Decoded {
    /// One message, or the reason why there is none.
    Single(Result<Message, Box<Malformed>>),
    /// An array of messages (2025-03-26).
    Batch(Vec<Result<Message, Box<Malformed>>>),
}

/// A frame that is no message: what to answer, and to whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Malformed {
    /// The id of the request, when it can be read.
    pub id: Option<Id>,
    /// What is wrong.
    pub error: ErrorObject,
}

impl Malformed {
    /// Boxed, because it is rare and travels beside messages that are not.
    fn new(id: Option<Id>, error: ErrorObject) -> Box<Self> {
        Box::new(Malformed { id, error })
    }

    /// A message longer than `limit` bytes, of which only the id may have been read.
    pub fn oversize(id: Option<Id>, limit: usize) -> Self {
        *Malformed::new(
            id,
            ErrorObject::invalid_request(format!(
                "message is longer than the limit of {limit} bytes"
            )),
        )
    }
}

/// Decodes a frame. `batches` says whether the agreed revision has them.
pub fn decode(frame: &Bytes, batches: bool, limits: &Limits) -> Decoded {
    let Ok(text) = std::str::from_utf8(frame) else {
        let error = ErrorObject::parse_error("message is not valid UTF-8");
        return Decoded::Single(Err(Malformed::new(salvage::request_id(frame), error)));
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    if !text.starts_with('[') {
        return Decoded::Single(decode_one(frame, text, limits));
    }
    if !batches {
        let error = ErrorObject::invalid_request("batches are not part of this protocol revision");
        return Decoded::Single(Err(Malformed::new(None, error)));
    }
    match serde_json::from_str::<Vec<&RawValue>>(text) {
        Err(error) => Decoded::Single(Err(Malformed::new(
            None,
            ErrorObject::parse_error(format!("batch is not valid JSON: {error}")),
        ))),
        Ok(messages) if messages.is_empty() => Decoded::Single(Err(Malformed::new(
            None,
            ErrorObject::invalid_request("batch is empty"),
        ))),
        Ok(messages) if messages.len() > limits.batch_messages_max => {
            let error = format!("batch has more than {} messages", limits.batch_messages_max);
            Decoded::Single(Err(Malformed::new(None, ErrorObject::invalid_request(error))))
        }
        Ok(messages) => Decoded::Batch(
            messages.into_iter().map(|message| decode_one(frame, message.get(), limits)).collect(),
        ),
    }
}

fn decode_one(frame: &Bytes, text: &str, limits: &Limits) -> Result<Message, Box<Malformed>> {
    let envelope: Envelope<'_> = match serde_json::from_str(text) {
        Ok(envelope) => envelope,
        Err(error) if error.is_data() => {
            return Err(Malformed::new(
                None,
                ErrorObject::invalid_request("message is not a JSON object"),
            ));
        }
        Err(error) => {
            let id = salvage::request_id(text.as_bytes());
            let error = ErrorObject::parse_error(format!("message is not valid JSON: {error}"));
            return Err(Malformed::new(id, error));
        }
    };
    envelope.classify(frame, text, limits)
}

/// The members of a message; what can be large is still text.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<Scalar<'a>>,
    id: Option<Scalar<'a>>,
    method: Option<Scalar<'a>>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    duplicate: Option<&'static str>,
}

impl Envelope<'_> {
    fn classify(
        self,
        frame: &Bytes,
        text: &str,
        limits: &Limits,
    ) -> Result<Message, Box<Malformed>> {
        let id = self.id.as_ref().map(|id| read_id(id, limits)).transpose();
        if self.method.is_none() && (self.result.is_some() || self.error.is_some()) {
            return Ok(Message::Response(self.into_response(
                frame,
                text,
                id.ok().flatten(),
                limits,
            )));
        }
        // From here on an id that can be read is one that waits for an answer.
        let refuse = |message: String| {
            let reply_to = id.as_ref().ok().cloned().flatten();
            Malformed::new(reply_to, ErrorObject::invalid_request(message))
        };
        if let Some(member) = self.duplicate {
            return Err(refuse(format!("`{member}` occurs twice")));
        }
        if self.jsonrpc.as_ref().and_then(Scalar::as_str) != Some("2.0") {
            return Err(refuse("`jsonrpc` must be \"2.0\"".to_owned()));
        }
        if let Err(what) = &id {
            return Err(refuse(format!("`id` must be an integer or a string, not {what}")));
        }
        let method = match &self.method {
            Some(Scalar::String(method)) => method.as_str().to_owned(),
            Some(_) => return Err(refuse("`method` must be a string".to_owned())),
            None => return Err(refuse("`method` is missing".to_owned())),
        };
        if depth::exceeds(text.as_bytes(), limits.json_depth_max) {
            let levels = limits.json_depth_max;
            return Err(refuse(format!("message is nested deeper than {levels} levels")));
        }
        let params = self.params.filter(|params| params.get() != "null");
        if params.is_some_and(|params| !params.get().starts_with(['{', '['])) {
            return Err(refuse("`params` must be an object".to_owned()));
        }
        let params = params.map(|params| share(frame, params));
        Ok(match id.expect("checked above") {
            Some(id) => Message::Request(Request { id, method, params }),
            None => Message::Notification(Notification { method, params }),
        })
    }

    fn into_response(self, frame: &Bytes, text: &str, id: Option<Id>, limits: &Limits) -> Response {
        let outcome = match (self.result, self.error) {
            _ if depth::exceeds(text.as_bytes(), limits.json_depth_max) => Outcome::Broken(
                format!("it is nested deeper than {} levels", limits.json_depth_max),
            ),
            (Some(_), Some(_)) => Outcome::Broken("it holds both a result and an error".to_owned()),
            (Some(result), None) => Outcome::Result(share(frame, result)),
            (None, Some(error)) => match serde_json::from_str::<ErrorObject>(error.get()) {
                Ok(error) => Outcome::Error(error),
                Err(problem) => {
                    Outcome::Broken(format!("its error object is malformed: {problem}"))
                }
            },
            (None, None) => Outcome::Broken("it holds neither a result nor an error".to_owned()),
        };
        Response { id, outcome }
    }
}

/// An id, or what stands in its place.
fn read_id(id: &Scalar<'_>, limits: &Limits) -> Result<Id, String> {
    let too_long = |length: usize| length > limits.id_bytes_max;
    match id {
        Scalar::Number(number) => Ok(Id::Number(number.clone())),
        // The quotes count, as they do in the message.
        Scalar::String(text) if too_long(text.as_str().len() + 2) => {
            Err(format!("one longer than {} bytes", limits.id_bytes_max))
        }
        Scalar::String(text) => Ok(Id::String(text.as_str().to_owned())),
        Scalar::Other(what) => Err((*what).to_owned()),
    }
}

/// The part of the frame that `raw` was parsed from, without a copy.
fn share(frame: &Bytes, raw: &RawValue) -> RawJson {
    RawJson::trusted(frame.slice_ref(raw.get().as_bytes()))
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EnvelopeVisitor;
        impl<'de> Visitor<'de> for EnvelopeVisitor {
            type Value = Envelope<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON-RPC message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut envelope = Envelope::default();
                while let Some(key) = map.next_key::<Key<'de>>()? {
                    let (twice, name) = match key.as_str() {
                        "jsonrpc" => {
                            (envelope.jsonrpc.replace(map.next_value()?).is_some(), "jsonrpc")
                        }
                        "id" => (envelope.id.replace(map.next_value()?).is_some(), "id"),
                        "method" => {
                            (envelope.method.replace(map.next_value()?).is_some(), "method")
                        }
                        "params" => {
                            (envelope.params.replace(map.next_value()?).is_some(), "params")
                        }
                        "result" => {
                            (envelope.result.replace(map.next_value()?).is_some(), "result")
                        }
                        "error" => (envelope.error.replace(map.next_value()?).is_some(), "error"),
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    if twice {
                        envelope.duplicate = Some(name);
                    }
                }
                Ok(envelope)
            }
        }
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(frame: &[u8]) -> Result<Message, Box<Malformed>> {
        match decode(&Bytes::copy_from_slice(frame), false, &Limits::default()) {
            Decoded::Single(message) => message,
            Decoded::Batch(_) => panic!("no batches here"),
        }
    }

    /// What stands around a message, and bytes that are no text.
    #[test]
    fn bytes_that_conversations_cannot_hold() {
        for good in [
            &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r"[..],
            b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            b"  {\"method\":\"ping\",\"id\":1,\"jsonrpc\":\"2.0\"}\t",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth\\u006fd\":\"ping\"}",
        ] {
            let message = single(good);
            assert!(
                matches!(&message, Ok(Message::Request(request)) if request.method == "ping"),
                "{message:?}"
            );
        }
        for (bad, id) in [
            (&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}"[..], Some(Id::from(1))),
            (b"{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\x28\",\"method\":\"ping\"}", None),
            (b"\xff\xfe", None),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\x01\"}", Some(Id::from(1))),
            (b"\0", None),
        ] {
            let refused = single(bad).unwrap_err();
            assert_eq!((refused.error.code, refused.id), (-32700, id), "{bad:?}");
        }
    }

    /// Anything at all decodes to a message or to an error, and what encodes decodes again.
    #[test]
    fn random_bytes_never_panic() {
        use proptest::prelude::*;
        proptest!(|(bytes in proptest::collection::vec(any::<u8>(), 0..200))| {
            let _ = single(&bytes);
        });
        proptest!(|(pieces in proptest::collection::vec(
            prop::sample::select(vec!["{", "}", "[", "]", "\"id\"", "\"method\"", ":", ",", "1", "\"x\"",
                "null", "\"jsonrpc\"", "\"2.0\"", "\"params\"", "\"result\"", "\\", "\"", " "]),
            0..40,
        ))| {
            let _ = single(pieces.concat().as_bytes());
        });
    }
}
