//! `resultType`: which kind of result a result is.
//!
//! Stateless revisions write it first in every result; handshake revisions never do. It is no field
//! of the result types, so that a value cannot claim to be another kind than its type.

use std::fmt;

use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Revision;
use super::wire::{Adapt, Key, WireFields};

const RESULT_TYPE: &str = "resultType";

/// The kinds of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// The result of the request. Also meant when nothing is said.
    Complete,
    /// The server needs something first: an [`InputRequiredResult`](super::InputRequiredResult).
    InputRequired,
    /// A kind that an extension defines, or nobody.
    Other(String),
}

impl ResultKind {
    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            ResultKind::Complete => "complete",
            ResultKind::InputRequired => "input_required",
            ResultKind::Other(word) => word,
        }
    }
}

impl fmt::Display for ResultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<&str> for ResultKind {
    fn from(word: &str) -> Self {
        match word {
            "complete" => ResultKind::Complete,
            "input_required" => ResultKind::InputRequired,
            _ => ResultKind::Other(word.to_owned()),
        }
    }
}

/// Brings a result into the form of a revision and encodes it, with `result_type` in front where
/// the revision has that field.
///
/// # Panics
///
/// If `T` has a value that JSON cannot express, which no type of this crate has.
pub fn encode_result<T>(result: &mut T, revision: Revision, result_type: &str) -> Box<RawValue>
where
    T: Serialize + Adapt + WireFields,
{
    encode(result, revision, result_type, None)
}

/// [`encode_result`] for a result without metadata, which gets some that is encoded already.
pub(crate) fn encode_result_with<T>(
    result: &mut T,
    revision: Revision,
    result_type: &str,
    meta: &RawValue,
) -> Box<RawValue>
where
    T: Serialize + Adapt + WireFields,
{
    encode(result, revision, result_type, Some(meta))
}

fn encode<T>(
    result: &mut T,
    revision: Revision,
    result_type: &str,
    meta: Option<&RawValue>,
) -> Box<RawValue>
where
    T: Serialize + Adapt + WireFields,
{
    result.adapt(revision);
    let result_type = revision.is_modern().then_some(result_type);
    serde_json::value::to_raw_value(&Marked { result_type, result, meta })
        .expect("a wire type is always representable")
}

struct Marked<'a, T> {
    result_type: Option<&'a str>,
    result: &'a T,
    meta: Option<&'a RawValue>,
}

impl<T: WireFields> Serialize for Marked<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(result_type) = self.result_type {
            map.serialize_entry(RESULT_TYPE, result_type)?;
        }
        self.result.serialize_fields(&mut map, Some(RESULT_TYPE))?;
        if let Some(meta) = self.meta {
            map.serialize_entry("_meta", meta)?;
        }
        map.end()
    }
}

/// Reads the kind of a result without decoding the rest; it stops as soon as it has found it.
pub fn result_type_of(raw: &RawValue) -> serde_json::Result<ResultKind> {
    match find_field(raw, RESULT_TYPE)? {
        None => Ok(ResultKind::Complete),
        Some(Value::String(word)) => Ok(ResultKind::from(word.as_str())),
        Some(_) => Err(serde_json::Error::custom("`resultType` is not a string")),
    }
}

/// Whether an object has a field.
pub(super) fn has_field(raw: &RawValue, name: &str) -> bool {
    matches!(find_field(raw, name), Ok(Some(_)))
}

/// The value of one field of an object.
fn find_field(raw: &RawValue, name: &str) -> serde_json::Result<Option<Value>> {
    let mut found = None;
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    let outcome = FindField { name, found: &mut found }.deserialize(&mut deserializer);
    match found {
        // The search was broken off, which the deserializer takes for an error.
        Some(value) => Ok(Some(value)),
        None => outcome.map(|()| None),
    }
}

struct FindField<'a> {
    name: &'a str,
    found: &'a mut Option<Value>,
}

impl<'de> DeserializeSeed<'de> for FindField<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FindField<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key<'de>>()? {
            if key.as_str() == self.name {
                *self.found = Some(map.next_value()?);
                return Ok(());
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{CallToolResult, EmptyResult};

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn the_kind_is_found_wherever_it_stands() {
        let kind = |text: &str| result_type_of(&raw(text)).map_err(|error| error.to_string());
        assert_eq!(kind("{}"), Ok(ResultKind::Complete));
        assert_eq!(kind(r#"{"resultType":"complete","x":1}"#), Ok(ResultKind::Complete));
        assert_eq!(kind(r#"{"x":[{"resultType":"a"}]}"#), Ok(ResultKind::Complete));
        let last = r#"{"x":{"y":1},"result\u0054ype":"input_required"}"#;
        assert_eq!(kind(last), Ok(ResultKind::InputRequired));
        assert_eq!(kind(r#"{"resultType":"task"}"#), Ok(ResultKind::Other("task".into())));
        assert!(kind(r#"{"resultType":7}"#).unwrap_err().contains("not a string"));
        assert!(kind("[]").is_err());
        assert!(kind("null").is_err());
    }

    /// [SRV-RESULT-01] `resultType` on every stateless result, and on no other
    #[test]
    fn only_stateless_revisions_write_it_and_once() {
        let came = r#"{"content":[],"resultType":"surprise","later":1}"#;
        let sent = |revision| {
            let mut result: CallToolResult = serde_json::from_str(came).unwrap();
            encode_result(&mut result, revision, "complete").get().to_owned()
        };
        assert_eq!(
            sent(Revision::V2026_07_28),
            r#"{"resultType":"complete","content":[],"later":1}"#
        );
        assert_eq!(sent(Revision::V2025_11_25), r#"{"content":[],"later":1}"#);
        let empty = encode_result(&mut EmptyResult::default(), Revision::V2024_11_05, "complete");
        assert_eq!(empty.get(), "{}");
    }
}
