//! The headers of the protocol, and text as a header carries it.
//!
//! Used by both sides: the client writes, the server reads and compares. A value that a header
//! cannot carry as it is (not ASCII, control characters, spaces at its ends) travels as Base64
//! between two markers, and so does one that happens to look like that.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderName;
use serde_json::Value;

use crate::schema::HeaderType;

pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");

const OPENING: &str = "=?base64?";
const CLOSING: &str = "?=";

/// The text to put into a header.
pub(crate) fn encode(text: &str) -> Cow<'_, str> {
    let plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let trimmed = text.trim_matches(' ').len() == text.len();
    if plain && trimmed && marked(text).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{OPENING}{}{CLOSING}", STANDARD.encode(text)))
}

/// What a header says, or `None` when it is marked as Base64 and is none.
pub(crate) fn decode(header: &str) -> Option<Cow<'_, str>> {
    let Some(encoded) = marked(header) else { return Some(Cow::Borrowed(header)) };
    let bytes = STANDARD.decode(encoded).ok()?;
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// What stands between the markers, if there are any.
fn marked(text: &str) -> Option<&str> {
    text.strip_prefix(OPENING)?.strip_suffix(CLOSING)
}

/// A tool argument as text for a header; `None` when it is not of a type that headers carry.
pub(crate) fn argument(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(true) => Some("true".into()),
        Value::Bool(false) => Some("false".into()),
        Value::Number(number) => Some(number.to_string().into()),
        _ => None,
    }
}

/// Whether a header says the same as the argument it repeats.
pub(crate) fn agrees(header: &str, value: &Value, value_type: HeaderType) -> bool {
    let Some(header) = decode(header) else { return false };
    match (value_type, value) {
        (HeaderType::Integer, Value::Number(number)) => {
            let said: Result<f64, _> = header.parse();
            said.is_ok_and(|said| number.as_f64() == Some(said))
        }
        _ => argument(value).is_some_and(|text| text == header),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// [CLI-HTTP-11] what a header can carry travels as it is, and everything else as Base64.
    #[test]
    fn texts_and_their_headers() {
        for (text, header) in [
            ("Hello", "Hello"),
            ("", ""),
            ("a b", "a b"),
            (" a", "=?base64?IGE=?="),
            ("a ", "=?base64?YSA=?="),
            ("a\tb", "=?base64?YQli?="),
            ("a\r\nb", "=?base64?YQ0KYg==?="),
            ("\u{7f}", "=?base64?fw==?="),
            ("é", "=?base64?w6k=?="),
            ("=?base64?x", "=?base64?x"),
            ("=?base64?SGVsbG8=?=", "=?base64?PT9iYXNlNjQ/U0dWc2JHOD0/PQ==?="),
        ] {
            assert_eq!(encode(text), header, "{text:?}");
            assert_eq!(decode(header).as_deref(), Some(text), "{header:?}");
        }
    }

    /// [SRV-HTTP-13] Base64 is taken exactly as it is written, and only between its markers.
    #[test]
    fn base64_is_strict() {
        for (header, text) in [
            ("=?base64?SGVsbG8=?=", Some("Hello")),
            ("=?base64?SGVsbG8?=", None),
            ("=?base64?SGVs!!!bG8=?=", None),
            ("=?base64?/w==?=", None),
            ("=?BASE64?SGVsbG8=?=", Some("=?BASE64?SGVsbG8=?=")),
            ("SGVsbG8=?=", Some("SGVsbG8=?=")),
            ("=?base64?SGVsbG8=", Some("=?base64?SGVsbG8=")),
            ("=?base64??=", Some("")),
        ] {
            assert_eq!(decode(header).as_deref(), text, "{header:?}");
        }
    }

    #[test]
    fn arguments_and_their_headers() {
        use HeaderType::{Boolean, Integer, String};
        for (header, value, value_type, expected) in [
            ("Hello", json!("Hello"), String, true),
            ("hello", json!("Hello"), String, false),
            ("=?base64?SGVsbG8=?=", json!("Hello"), String, true),
            ("42", json!(42), Integer, true),
            ("42.0", json!(42), Integer, true),
            ("042", json!(42), Integer, true),
            ("43", json!(42), Integer, false),
            ("x", json!(42), Integer, false),
            ("true", json!(true), Boolean, true),
            ("True", json!(true), Boolean, false),
            ("[]", json!([]), String, false),
        ] {
            assert_eq!(agrees(header, &value, value_type), expected, "{header} {value}");
        }
    }
}
