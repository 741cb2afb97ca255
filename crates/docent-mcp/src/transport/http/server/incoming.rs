//! The body of a request: whole, bounded, and in time.
//!
//! A sender gets a few seconds to begin and then has to keep a pace that any working connection
//! keeps, so that one byte a second is no way to hold on to memory.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};
use http_body::Body;
use tokio::time::{Instant, sleep_until};

use super::doors::only;
use super::reply::Refusal;
use crate::limits::Limits;

/// The slowest a body may arrive once it has begun, in bytes for each second.
const PACE: u64 = 128 << 10;
/// How long a sender may take on top of that.
const GRACE: Duration = Duration::from_secs(5);

/// Reads the body of a POST.
pub(super) async fn read<B>(headers: &HeaderMap, body: B, limits: &Limits) -> Result<Bytes, Refusal>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    check_type(headers)?;
    let max = limits.message_bytes_max;
    let too_long = || {
        let message = format!("the message is longer than the limit of {max} bytes");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let announced: Option<u64> = announced.and_then(|text| text.parse().ok());
    if announced.is_some_and(|length| length > max as u64) {
        return Err(too_long());
    }
    let started = Instant::now();
    let mut body = std::pin::pin!(body);
    let mut first: Option<Bytes> = None;
    let mut rest = BytesMut::new();
    let mut length = 0;
    // The end of a short body is known before it is asked for.
    while !body.is_end_stream() {
        let earned = Duration::from_secs(length as u64 / PACE);
        let deadline = started + (GRACE + earned).min(limits.http.body_timeout);
        // What is there already needs no timer.
        let mut timer = None;
        let frame = poll_fn(|cx| {
            if let Poll::Ready(frame) = body.as_mut().poll_frame(cx) {
                return Poll::Ready(Some(frame));
            }
            let timer = timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
            timer.as_mut().poll(cx).map(|()| None)
        });
        let Some(frame) = frame.await else {
            let message = "the body of the request came too slowly";
            return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, message));
        };
        let Some(frame) = frame else { break };
        let frame = frame.map_err(|error| {
            tracing::debug!(error = %error.into(), "a body that cannot be read");
            Refusal::new(StatusCode::BAD_REQUEST, "the body of the request cannot be read")
        })?;
        let Ok(mut data) = frame.into_data() else { continue };
        length += data.remaining();
        if length > max {
            return Err(too_long());
        }
        let data = data.copy_to_bytes(data.remaining());
        match (&first, rest.is_empty()) {
            (None, true) => first = Some(data),
            _ => {
                if let Some(first) = first.take() {
                    rest.extend_from_slice(&first);
                }
                rest.extend_from_slice(&data);
            }
        }
    }
    Ok(first.unwrap_or_else(|| rest.freeze()))
}

/// Only JSON, and only as it is: a form or plain text is what a web page can send to anybody.
fn check_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let unsupported = |message: String| Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
    let media = only(headers, CONTENT_TYPE, "Content-Type")?.and_then(|value| value.to_str().ok());
    let essence = media.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        return Err(unsupported("send the message as `Content-Type: application/json`".to_owned()));
    }
    match headers.get(CONTENT_ENCODING) {
        Some(encoding) if encoding != "identity" => {
            Err(unsupported("send the message without `Content-Encoding`".to_owned()))
        }
        _ => Ok(()),
    }
}

/// What kinds of answers a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepts {
    pub(super) json: bool,
    pub(super) events: bool,
}

/// Reads `Accept`. A client that does not say takes everything.
pub(super) fn accepts(headers: &HeaderMap) -> Accepts {
    let mut accepts = Accepts { json: false, events: false };
    let mut said = false;
    for value in headers.get_all(ACCEPT) {
        for part in value.to_str().unwrap_or_default().split(',') {
            said = true;
            let mut fields = part.split(';').map(str::trim);
            let media = fields.next().unwrap_or_default();
            if fields.any(|field| matches!(field, "q=0" | "q=0.0" | "q=0.00" | "q=0.000")) {
                continue;
            }
            let is = |known: &str| media.eq_ignore_ascii_case(known);
            let all = is("*/*");
            accepts.json |= all || is("application/json") || is("application/*");
            accepts.events |= all || is("text/event-stream") || is("text/*");
        }
    }
    match said {
        true => accepts,
        false => Accepts { json: true, events: true },
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(name: http::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())])
    }

    /// What a page of another site could send without asking first is refused (A2).
    #[test]
    fn only_json_is_taken() {
        for (media, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("text/plain", false),
            ("application/x-www-form-urlencoded", false),
            ("multipart/form-data; boundary=x", false),
            ("application/json-seq", false),
            ("text/plain; application/json", false),
            ("", false),
        ] {
            assert_eq!(check_type(&headers(CONTENT_TYPE, media)).is_ok(), expected, "{media}");
        }
        assert!(check_type(&HeaderMap::new()).is_err());
    }

    #[test]
    fn accept_is_read_leniently() {
        for (accept, json, events) in [
            ("application/json, text/event-stream", true, true),
            ("*/*", true, true),
            ("text/event-stream", false, true),
            ("application/json;q=0.9", true, false),
            ("text/event-stream;q=0, */*", true, true),
            ("application/json, text/event-stream; q=0", true, false),
            ("text/html", false, false),
        ] {
            assert_eq!(accepts(&headers(ACCEPT, accept)), Accepts { json, events }, "{accept}");
        }
        assert_eq!(accepts(&HeaderMap::new()), Accepts { json: true, events: true });
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_are_bounded_and_in_time() {
        use http_body_util::Full;
        let limits = Limits { message_bytes_max: 8, ..Limits::default() };
        let json = headers(CONTENT_TYPE, "application/json");
        for (body, expected) in [("12345678", Ok(8)), ("123456789", Err(413)), ("", Ok(0))] {
            let read = read(&json, Full::new(Bytes::from(body)), &limits).await;
            let read = read.map(|body| body.len()).map_err(|refusal| refusal.status.as_u16());
            assert_eq!(read, expected);
        }
        let mut lying = json.clone();
        lying.insert(CONTENT_LENGTH, HeaderValue::from_static("10000000000000"));
        let refused = read(&lying, Full::new(Bytes::new()), &limits).await.unwrap_err();
        assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
        let refused = read(&json, Silent, &limits).await.unwrap_err();
        assert_eq!(refused.status, StatusCode::REQUEST_TIMEOUT);
    }

    struct Silent;

    impl Body for Silent {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
            std::task::Poll::Pending
        }
    }
}
