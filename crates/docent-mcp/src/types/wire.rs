//! How a wire type is declared: one table per type, from which the struct, its encoding, its
//! decoding and its per-revision form all follow.
//!
//! ```text
//! wire! {
//!     /// What it is.
//!     pub struct Prompt {
//!         /// Every field has a kind, a type, its name on the wire and, if it did not always
//!         /// exist, the revisions that have it.
//!         req name: String = "name",
//!         opt title: String = "title" [since V2025_06_18],
//!         list arguments: PromptArgument = "arguments",
//!     }
//! }
//! ```
//!
//! | kind   | field type  | missing when decoding     | encoded              |
//! |--------|-------------|---------------------------|----------------------|
//! | `req`  | `T`         | an error                  | always               |
//! | `def`  | `T`         | `T::default()`, also null | always               |
//! | `opt`  | `Option<T>` | `None`, also null         | when `Some`          |
//! | `any`  | `Option<T>` | `None`; null is `Some`    | when `Some`          |
//! | `list` | `Vec<T>`    | empty, also null          | when not empty       |
//!
//! Decoding is lenient: every revision's fields are understood whatever revision was agreed, and
//! fields nobody knows are kept in `extra` and written back. Encoding is strict: [`Adapt::adapt`]
//! clears what the target revision does not have before anything is serialized. A type whose form
//! changed in more than the presence of fields names a function after `adapt`, which runs first.
//!
//! The code is generated instead of derived because `serde(flatten)`, the usual way to keep
//! unknown fields, buffers every value it decodes, and because the table *is* the revision matrix
//! of the specification: there is no second place where "since" could be wrong.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::revision::Revision;

/// Fields that this crate does not know, kept as they came.
pub type Extra = Map<String, Value>;

/// Brings a value into the form that one protocol revision allows.
pub trait Adapt {
    /// Clears or converts, in place, what `revision` does not have.
    fn adapt(&mut self, revision: Revision);
}

/// A struct declared by `wire!`: it can write its fields into a map that somebody else
/// opened, for example one that already holds a discriminator.
pub trait WireFields {
    /// Writes every present field. An unknown one that is named like the field which the map holds
    /// already, `written`, is left out: no name may stand twice.
    fn serialize_fields<M: SerializeMap>(
        &self,
        map: &mut M,
        written: Option<&str>,
    ) -> Result<(), M::Error>;
}

/// A struct declared by `wire!`: it can read its fields from a map that somebody else opened.
pub(crate) trait WireMembers: Sized {
    /// Reads the fields that are left. The one named `read` was taken already, so that it cannot
    /// stand there again.
    fn read_members<'de, A: serde::de::MapAccess<'de>>(
        map: A,
        read: Option<&'static str>,
    ) -> Result<Self, A::Error>;
}

macro_rules! adapt_unchanged {
    ($($ty:ty),* $(,)?) => { $(impl Adapt for $ty { fn adapt(&mut self, _: Revision) {} })* };
}
pub(crate) use adapt_unchanged;
adapt_unchanged!(String, bool, u32, u64, i64, f64, Value, Extra, Box<RawValue>);

impl<T: Adapt> Adapt for Option<T> {
    fn adapt(&mut self, revision: Revision) {
        if let Some(value) = self {
            value.adapt(revision);
        }
    }
}

impl<T: Adapt> Adapt for Vec<T> {
    fn adapt(&mut self, revision: Revision) {
        for value in self {
            value.adapt(revision);
        }
    }
}

impl<T: Adapt> Adapt for Box<T> {
    fn adapt(&mut self, revision: Revision) {
        (**self).adapt(revision);
    }
}

impl<T: Adapt> Adapt for BTreeMap<String, T> {
    fn adapt(&mut self, revision: Revision) {
        for value in self.values_mut() {
            value.adapt(revision);
        }
    }
}

macro_rules! wire {
    ($(
        $(#[$attr:meta])*
        pub struct $Name:ident {
            $( $(#[$fattr:meta])* $kind:ident $field:ident : $ty:ty = $json:literal $([$($when:tt)*])? ),* $(,)?
        }
        $(adapt $hook:path;)?
    )*) => { $(
        $(#[$attr])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $Name {
            $( $(#[$fattr])* pub $field: $crate::types::wire::wire_type!($kind $ty), )*
            /// Fields that this crate does not know, kept as they came.
            pub extra: $crate::types::wire::Extra,
        }

        impl $crate::types::wire::WireFields for $Name {
            fn serialize_fields<M: serde::ser::SerializeMap>(
                &self,
                map: &mut M,
                written: Option<&str>,
            ) -> Result<(), M::Error> {
                $( $crate::types::wire::wire_encode!($kind map $json &self.$field); )*
                for (key, value) in &self.extra {
                    if Some(key.as_str()) != written {
                        map.serialize_entry(key, value)?;
                    }
                }
                Ok(())
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let mut map = serializer.serialize_map(None)?;
                $crate::types::wire::WireFields::serialize_fields(self, &mut map, None)?;
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl<'de> serde::de::Visitor<'de> for Visitor {
                    type Value = $Name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("a ", stringify!($Name), " object"))
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<$Name, A::Error> {
                        $crate::types::wire::WireMembers::read_members(map, None)
                    }
                }
                deserializer.deserialize_map(Visitor)
            }
        }

        impl $crate::types::wire::WireMembers for $Name {
            fn read_members<'de, A: serde::de::MapAccess<'de>>(
                mut map: A,
                read: Option<&'static str>,
            ) -> Result<Self, A::Error> {
                $( let mut $field = None; )*
                let mut extra = $crate::types::wire::Extra::new();
                while let Some(key) = map.next_key::<$crate::types::wire::Key<'de>>()? {
                    match key.as_str() {
                        $( $json => $field = $crate::types::wire::wire_decode!($kind $ty, map), )*
                        again if Some(again) == read => return Err($crate::types::wire::twice(read)),
                        _ => { extra.insert(key.into_string(), map.next_value()?); }
                    }
                }
                Ok($Name {
                    $( $field: $crate::types::wire::wire_missing!($kind $json $field), )*
                    extra,
                })
            }
        }

        impl $crate::types::wire::Adapt for $Name {
            #[allow(unused_variables, reason = "a type without fields has nothing to adapt")]
            fn adapt(&mut self, revision: $crate::types::Revision) {
                $( $hook(self, revision); )?
                $(
                    $( if !$crate::types::wire::wire_when!(revision $($when)*) { self.$field = Default::default(); } )?
                    $crate::types::wire::Adapt::adapt(&mut self.$field, revision);
                )*
            }
        }

        #[cfg(test)]
        impl $crate::types::sample::Sample for $Name {
            #[allow(unused_variables, reason = "a type without fields has nothing to draw")]
            fn sample(source: &mut $crate::types::sample::Source<'_>) -> Self {
                let mut value = $Name {
                    $( $field: $crate::types::wire::wire_sample!($kind source), )*
                    extra: Default::default(),
                };
                // A type that has rules its fields do not express has a method of this name, which
                // goes before the trait's; the trait's does nothing.
                #[allow(unused_imports, reason = "unused where the type has the method")]
                use $crate::types::sample::Valid as _;
                value.make_valid(source);
                value
            }
        }
    )* };
}

macro_rules! wire_type {
    (req $ty:ty) => { $ty };
    (def $ty:ty) => { $ty };
    (opt $ty:ty) => { Option<$ty> };
    (any $ty:ty) => { Option<$ty> };
    (list $ty:ty) => { Vec<$ty> };
}

macro_rules! wire_encode {
    (req $map:ident $json:literal $value:expr) => {
        $map.serialize_entry($json, $value)?;
    };
    (def $map:ident $json:literal $value:expr) => {
        $map.serialize_entry($json, $value)?;
    };
    (opt $map:ident $json:literal $value:expr) => {
        if let Some(value) = $value {
            $map.serialize_entry($json, value)?;
        }
    };
    (any $map:ident $json:literal $value:expr) => {
        if let Some(value) = $value {
            $map.serialize_entry($json, value)?;
        }
    };
    (list $map:ident $json:literal $value:expr) => {
        if !$value.is_empty() {
            $map.serialize_entry($json, $value)?;
        }
    };
}

macro_rules! wire_decode {
    (req $ty:ty, $map:ident) => {
        Some($map.next_value::<$ty>()?)
    };
    (any $ty:ty, $map:ident) => {
        Some($map.next_value::<$ty>()?)
    };
    (list $ty:ty, $map:ident) => {
        $map.next_value::<Option<Vec<$ty>>>()?
    };
    ($kind:ident $ty:ty, $map:ident) => {
        $map.next_value::<Option<$ty>>()?
    };
}

macro_rules! wire_missing {
    (req $json:literal $field:ident) => {
        $field.ok_or_else(|| serde::de::Error::missing_field($json))?
    };
    (def $json:literal $field:ident) => {
        $field.unwrap_or_default()
    };
    (list $json:literal $field:ident) => {
        $field.unwrap_or_default()
    };
    ($kind:ident $json:literal $field:ident) => {
        $field
    };
}

macro_rules! wire_when {
    ($revision:ident since $first:ident until $last:ident) => {
        ($crate::types::Revision::$first..=$crate::types::Revision::$last).contains(&$revision)
    };
    ($revision:ident since $first:ident) => {
        $revision >= $crate::types::Revision::$first
    };
    ($revision:ident until $last:ident) => {
        $revision <= $crate::types::Revision::$last
    };
}

#[cfg(test)]
macro_rules! wire_sample {
    ($kind:ident $source:ident) => {
        $crate::types::sample::Sample::sample($source)
    };
}

#[cfg(test)]
pub(crate) use wire_sample;
pub(crate) use {wire, wire_decode, wire_encode, wire_missing, wire_type, wire_when};

/// An object key or another short text, borrowed from the input when it holds no escapes.
pub(crate) enum Key<'de> {
    Borrowed(&'de str),
    Owned(String),
}

impl Key<'_> {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Key::Borrowed(key) => key,
            Key::Owned(key) => key,
        }
    }

    pub(crate) fn into_string(self) -> String {
        match self {
            Key::Borrowed(key) => key.to_owned(),
            Key::Owned(key) => key,
        }
    }
}

impl<'de: 'a, 'a> serde::Deserialize<'de> for Key<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object key")
            }
            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key::Borrowed(key))
            }
            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key::Owned(key.to_owned()))
            }
            fn visit_string<E>(self, key: String) -> Result<Key<'de>, E> {
                Ok(Key::Owned(key))
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

/// The error for a discriminator that stands there twice: readers could differ in which they believe.
pub(crate) fn twice<E: serde::de::Error>(name: Option<&'static str>) -> E {
    E::duplicate_field(name.unwrap_or_default())
}

/// An enum of wire structs told apart by a string field. Where that comes first, as nearly everybody
/// writes it, the struct is read as it comes; else everything has to be kept until it is found.
///
/// Decoding goes by the discriminator alone, so a variant is never guessed from the fields that
/// happen to fit; a discriminator nobody knows gives `Unknown`, which is written back as it came.
macro_rules! tagged {
    (
        $(#[$attr:meta])*
        pub enum $Name:ident by $tag:literal {
            $( $(#[$vattr:meta])* $Variant:ident($ty:ty) = $value:literal, )*
        }
    ) => {
        $(#[$attr])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $Name {
            $( $(#[$vattr])* $Variant($ty), )*
            /// A kind that this crate does not know, kept as it came.
            Unknown($crate::types::wire::Extra),
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                match self {
                    $( $Name::$Variant(value) => {
                        let mut map = serializer.serialize_map(None)?;
                        map.serialize_entry($tag, $value)?;
                        $crate::types::wire::WireFields::serialize_fields(value, &mut map, Some($tag))?;
                        map.end()
                    } )*
                    $Name::Unknown(fields) => fields.serialize(serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                use $crate::types::wire::{Extra, Key, WireMembers, twice};
                struct Visitor;
                impl<'de> serde::de::Visitor<'de> for Visitor {
                    type Value = $Name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("a ", stringify!($Name), " object"))
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$Name, A::Error> {
                        use serde::de::Error as _;
                        let mut fields = Extra::new();
                        let first = map.next_key::<Key<'de>>()?;
                        let tagged = first.as_ref().is_some_and(|key| key.as_str() == $tag);
                        if tagged {
                            let tag = map.next_value::<Key<'de>>()?;
                            match tag.as_str() {
                                $( $value => {
                                    let read = WireMembers::read_members(map, Some($tag));
                                    return read.map($Name::$Variant);
                                } )*
                                _ => fields.insert($tag.to_owned(), tag.into_string().into()),
                            };
                        } else if let Some(first) = first {
                            fields.insert(first.into_string(), map.next_value()?);
                        }
                        while let Some(key) = map.next_key::<Key<'de>>()? {
                            if key.as_str() == $tag && fields.contains_key($tag) {
                                return Err(twice(Some($tag)));
                            }
                            fields.insert(key.into_string(), map.next_value()?);
                        }
                        let Some(tag) = fields.get($tag).and_then(|tag| tag.as_str()) else {
                            return Err(A::Error::missing_field($tag));
                        };
                        match tag {
                            $( $value => {
                                fields.remove($tag);
                                let value = serde_json::Value::Object(fields);
                                serde_json::from_value(value).map($Name::$Variant).map_err(A::Error::custom)
                            } )*
                            _ => Ok($Name::Unknown(fields)),
                        }
                    }
                }
                deserializer.deserialize_map(Visitor)
            }
        }

        $( impl From<$ty> for $Name {
            fn from(value: $ty) -> Self {
                $Name::$Variant(value)
            }
        } )*
    };
}
pub(crate) use tagged;
