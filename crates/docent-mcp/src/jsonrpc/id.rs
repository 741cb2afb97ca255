//! Request ids, which keep their JSON type: `92` and `"92"` are two different requests.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::{Serialize, Serializer};
use serde_json::Number;

/// A request id or a progress token: an integer or a string, never null.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// An integer, kept with its sign and full 64-bit range.
    Number(Number),
    /// A string.
    String(String),
}

impl Id {
    /// Reads an id out of a JSON value, or says what it is instead.
    pub fn from_value(value: &serde_json::Value) -> Result<Id, &'static str> {
        match value {
            serde_json::Value::Number(number) if number.is_i64() || number.is_u64() => {
                Ok(Id::Number(number.clone()))
            }
            serde_json::Value::String(text) => Ok(Id::String(text.clone())),
            serde_json::Value::Number(_) => Err("a number that is not a 64-bit integer"),
            serde_json::Value::Null => Err("null"),
            serde_json::Value::Bool(_) => Err("a boolean"),
            serde_json::Value::Array(_) => Err("an array"),
            serde_json::Value::Object(_) => Err("an object"),
        }
    }
}

impl Default for Id {
    fn default() -> Self {
        Id::from(0)
    }
}

impl From<i64> for Id {
    fn from(number: i64) -> Self {
        Id::Number(number.into())
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Id::Number(number.into())
    }
}

impl From<i32> for Id {
    fn from(number: i32) -> Self {
        Id::Number(number.into())
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Id::String(text.to_owned())
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        Id::String(text)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(number) => number.fmt(f),
            Id::String(text) => write!(f, "{text:?}"),
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Id::Number(number) => number.serialize(serializer),
            Id::String(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdVisitor;
        impl Visitor<'_> for IdVisitor {
            type Value = Id;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer or a string")
            }
            fn visit_i64<E>(self, number: i64) -> Result<Id, E> {
                Ok(Id::from(number))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Id, E> {
                Ok(Id::from(number))
            }
            fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Id, E> {
                Err(E::custom("a number that is not a 64-bit integer"))
            }
            fn visit_str<E>(self, text: &str) -> Result<Id, E> {
                Ok(Id::from(text))
            }
            fn visit_string<E>(self, text: String) -> Result<Id, E> {
                Ok(Id::String(text))
            }
        }
        deserializer.deserialize_any(IdVisitor).map_err(D::Error::custom)
    }
}
