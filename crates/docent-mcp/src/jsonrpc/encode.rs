//! From values to frames: each function writes one complete message.

use bytes::Bytes;
use serde::Serialize;

use super::{ErrorObject, Id, RawJson};

/// A response that carries a result.
pub(crate) fn result(id: &Id, result: &RawJson) -> Bytes {
    let mut frame = Vec::with_capacity(result.as_bytes().len() + 64);
    frame.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    write(&mut frame, id);
    frame.extend_from_slice(br#","result":"#);
    frame.extend_from_slice(result.as_bytes());
    frame.push(b'}');
    frame.into()
}

/// How an error names a request whose id could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownId {
    /// Leave `id` out, as the schemas from 2025-11-25 on have it.
    Omitted,
    /// `"id": null`, as JSON-RPC itself and the earlier revisions have it.
    Null,
}

/// A response that carries an error.
pub(crate) fn error(id: Option<&Id>, unknown: UnknownId, error: &ErrorObject) -> Bytes {
    let mut frame = Vec::with_capacity(160);
    frame.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    match (id, unknown) {
        (Some(id), _) => {
            frame.extend_from_slice(br#""id":"#);
            write(&mut frame, id);
            frame.push(b',');
        }
        (None, UnknownId::Null) => frame.extend_from_slice(br#""id":null,"#),
        (None, UnknownId::Omitted) => {}
    }
    frame.extend_from_slice(br#""error":"#);
    write(&mut frame, error);
    frame.push(b'}');
    frame.into()
}

/// A request.
pub(crate) fn request(id: &Id, method: &str, params: Option<&RawJson>) -> Bytes {
    let mut frame = Vec::with_capacity(params.map_or(0, |params| params.as_bytes().len()) + 96);
    frame.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    write(&mut frame, id);
    frame.push(b',');
    method_and_params(frame, method, params)
}

/// A notification.
pub(crate) fn notification(method: &str, params: Option<&RawJson>) -> Bytes {
    let mut frame = Vec::with_capacity(params.map_or(0, |params| params.as_bytes().len()) + 80);
    frame.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    method_and_params(frame, method, params)
}

/// A batch of messages that are already encoded.
pub(crate) fn batch(messages: &[Bytes]) -> Bytes {
    let mut frame = vec![b'['];
    frame.extend_from_slice(&messages.join(&b','));
    frame.push(b']');
    frame.into()
}

fn method_and_params(mut frame: Vec<u8>, method: &str, params: Option<&RawJson>) -> Bytes {
    frame.extend_from_slice(br#""method":"#);
    write(&mut frame, method);
    if let Some(params) = params {
        frame.extend_from_slice(br#","params":"#);
        frame.extend_from_slice(params.as_bytes());
    }
    frame.push(b'}');
    frame.into()
}

fn write<T: Serialize + ?Sized>(frame: &mut Vec<u8>, value: &T) {
    serde_json::to_writer(frame, value).expect("ids, methods and errors always encode");
}
