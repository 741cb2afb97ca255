//! A small JSON value of unknown type, read in one step: the `id`, `method` and `jsonrpc` of a
//! message, which should be strings and numbers but may be anything.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::types::wire::Key;

/// A string, a 64-bit integer, or words for what is there instead.
pub(super) enum Scalar<'a> {
    Number(Number),
    String(Key<'a>),
    Other(&'static str),
}

impl Scalar<'_> {
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Scalar::String(text) => Some(text.as_str()),
            _ => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ScalarVisitor;
        impl<'de> Visitor<'de> for ScalarVisitor {
            type Value = Scalar<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_i64<E>(self, number: i64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Number(number.into()))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Number(number.into()))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Other("a number that is not a 64-bit integer"))
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Scalar<'de>, E> {
                Ok(Scalar::String(Key::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Scalar<'de>, E> {
                Ok(Scalar::String(Key::Owned(text.to_owned())))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Other("a boolean"))
            }

            fn visit_unit<E: Error>(self) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Other("null"))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar<'de>, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Scalar::Other("an array"))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar<'de>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Scalar::Other("an object"))
            }
        }
        deserializer.deserialize_any(ScalarVisitor)
    }
}
