//! Answers as HTTP has them: one JSON message, nothing, a refusal, or a stream of events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use http_body::{Body, Frame, SizeHint};

use super::activity::Busy;
use super::events::Events;
use crate::jsonrpc::encode::{self, UnknownId};
use crate::jsonrpc::{ErrorObject, Id};

/// The body of an answer.
pub struct HttpBody {
    kind: Kind,
    /// Kept until the last byte was handed over.
    _busy: Option<Busy>,
}

enum Kind {
    Whole(Bytes),
    Events(Box<Events>),
}

impl HttpBody {
    pub(super) fn whole(bytes: Bytes) -> Self {
        HttpBody { kind: Kind::Whole(bytes), _busy: None }
    }

    /// Keeps the connection busy until this body is gone.
    pub(super) fn keeping(self, busy: Busy) -> Self {
        HttpBody { _busy: Some(busy), ..self }
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.kind {
            Kind::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Kind::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Kind::Events(events) => {
                events.poll_next(cx).map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.kind, Kind::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Kind::Events(_) => SizeHint::default(),
        }
    }
}

impl std::fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpBody").finish_non_exhaustive()
    }
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// One message.
pub(super) fn json(status: StatusCode, message: Bytes) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::whole(message));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// An error that says how long to wait, to be told as HTTP tells it, in whole seconds.
pub(super) fn too_early(wait: Duration, message: Bytes) -> Response<HttpBody> {
    let mut response = json(StatusCode::TOO_MANY_REQUESTS, message);
    let seconds = wait.as_millis().div_ceil(1000).to_string();
    let seconds = HeaderValue::try_from(seconds).expect("digits are fine in a header");
    response.headers_mut().insert(RETRY_AFTER, seconds);
    response
}

/// No message.
pub(super) fn empty(status: StatusCode) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::whole(Bytes::new()));
    *response.status_mut() = status;
    response
}

/// An error in place of an answer to `id`.
pub(super) fn error(
    status: StatusCode,
    id: Option<&Id>,
    unknown: UnknownId,
    error: &ErrorObject,
) -> Response<HttpBody> {
    json(status, encode::error(id, unknown, error))
}

/// A stream of messages.
pub(super) fn events(events: Events) -> Response<HttpBody> {
    let mut response =
        Response::new(HttpBody { kind: Kind::Events(Box::new(events)), _busy: None });
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Proxies that collect a whole answer before they pass it on would hold back every event.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// A request that is not taken, whatever its message says.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    message: String,
    allow: Option<&'static str>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Refusal { status, message: message.into(), allow: None }
    }

    /// The method is not for this address; these are.
    pub(super) fn method(allow: &'static str) -> Self {
        let message = format!("this address takes {allow} only");
        Refusal { status: StatusCode::METHOD_NOT_ALLOWED, message, allow: Some(allow) }
    }

    pub(super) fn respond(self) -> Response<HttpBody> {
        let object = ErrorObject::invalid_request(self.message);
        let mut response = error(self.status, None, UnknownId::Omitted, &object);
        if let Some(allow) = self.allow {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
        }
        let busy = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE];
        if busy.contains(&self.status) {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
