//! JSON text that was checked once and is parsed into a type only when that type is known.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A JSON value as text: parameters on their way to a handler, a result on its way to the wire.
///
/// A value that came from a peer shares the memory of the message it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        RawJson(value.to_string().into_bytes().into())
    }
}
