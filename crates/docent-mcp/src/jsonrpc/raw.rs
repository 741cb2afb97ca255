//! JSON text that was checked once and is parsed into a type only when that type is known.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A JSON value as text: parameters on their way to a handler, a result on its way to the wire.
///
/// A value that came from a peer shares the memory of the message it came in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RawJson(Bytes);

impl RawJson {
    /// The caller vouches that `text` is one JSON value.
    pub(crate) fn trusted(text: Bytes) -> Self {
        RawJson(text)
    }

    /// An empty object, `{}`.
    pub fn empty_object() -> Self {
        RawJson(Bytes::from_static(b"{}"))
    }

    /// Encodes a value.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_vec(value).map(|text| RawJson(text.into()))
    }

    /// Encodes a value of a type that JSON can always express.
    pub(crate) fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        Self::encode(value).expect("a wire type is always representable")
    }

    /// Decodes the value into a type.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.0)
    }

    /// Decodes into a type that borrows from the text.
    pub(crate) fn decode_borrowed<'a, T: Deserialize<'a>>(
        &'a self,
    ) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.0)
    }

    /// A part of it that was found by parsing it, without a copy.
    pub(crate) fn part(&self, part: &serde_json::value::RawValue) -> RawJson {
        RawJson(self.0.slice_ref(part.get().as_bytes()))
    }

    /// The JSON text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<Box<serde_json::value::RawValue>> for RawJson {
    fn from(raw: Box<serde_json::value::RawValue>) -> Self {
        RawJson(String::from(Box::<str>::from(raw)).into_bytes().into())
    }
}

impl From<&serde_json::Value> for RawJson {
    fn from(value: &serde_json::Value) -> Self {
        // Quicker than its `Display`, which goes through a formatter.
        RawJson(serde_json::to_vec(value).expect("a value is always representable").into())
    }
}

impl From<serde_json::Value> for RawJson {
    fn from(value: serde_json::Value) -> Self {
        RawJson::from(&value)
    }
}
