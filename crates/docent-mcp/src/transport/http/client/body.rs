//! Response bodies, as much of them as may be held.

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use reqwest::Response;

/// What was read of a body.
pub(super) enum Body {
    Whole(Bytes),
    /// There was more than the limit; this is its beginning.
    Cut(Bytes),
}

/// Reads a body up to `bytes_max`. What its length claims to be allocates nothing.
pub(super) async fn read(response: &mut Response, bytes_max: usize) -> reqwest::Result<Body> {
    let mut body = Vec::new();
    let mut first = None;
    while let Some(piece) = response.chunk().await? {
        if body.len() + first.as_ref().map_or(0, Bytes::len) + piece.len() > bytes_max {
            body.extend_from_slice(&first.unwrap_or_default());
            body.extend_from_slice(&piece[..piece.len().min(bytes_max.saturating_sub(body.len()))]);
            return Ok(Body::Cut(body.into()));
        }
        match first.take() {
            // Most bodies come in one piece, which need not be copied.
            None if body.is_empty() => first = Some(piece),
            earlier => {
                body.extend_from_slice(&earlier.unwrap_or_default());
                body.extend_from_slice(&piece);
            }
        }
    }
    Ok(Body::Whole(first.unwrap_or_else(|| body.into())))
}

/// Whether a response is a stream of events.
pub(super) fn is_events(headers: &HeaderMap) -> bool {
    essence(headers).eq_ignore_ascii_case("text/event-stream")
}

/// The type of a response, without its parameters.
pub(super) fn essence(headers: &HeaderMap) -> &str {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().split(';').next().unwrap_or_default().trim()
}

/// The beginning of a body, fit for an error message.
pub(super) fn excerpt(body: &[u8]) -> String {
    const CHARACTERS_MAX: usize = 200;
    let text = String::from_utf8_lossy(&body[..body.len().min(4 * CHARACTERS_MAX)]);
    let words: Vec<_> = text.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let text = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
