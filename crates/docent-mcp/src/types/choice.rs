//! How a field that takes one of a few words is declared: `choice!` lists the words once.
//!
//! A closed choice refuses a word it does not know, for fields where guessing would be wrong (a
//! log level, the user's decision). An `open` one keeps the word in `Other`, for fields that only
//! advise, so that a newer peer's word does not make a whole list unreadable.

use std::fmt;

/// A word that is none of those a field allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue {
    pub(crate) found: String,
    pub(crate) expected: &'static [&'static str],
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is none of {}", self.found, self.expected.join(", "))
    }
}

impl std::error::Error for UnknownValue {}

macro_rules! choice {
    (
        $(#[$attr:meta])*
        pub enum $Name:ident { $( $(#[$vattr:meta])* $Variant:ident = $word:literal, )* }
    ) => {
        $(#[$attr])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub enum $Name { $( $(#[$vattr])* $Variant, )* }

        impl $Name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [$Name] = &[ $( $Name::$Variant, )* ];

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $( $Name::$Variant => $word, )* }
            }
        }

        impl std::str::FromStr for $Name {
            type Err = $crate::types::choice::UnknownValue;
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $( $word => Ok($Name::$Variant), )*
                    _ => Err($crate::types::choice::UnknownValue {
                        found: word.to_owned(),
                        expected: &[ $( $word, )* ],
                    }),
                }
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = $crate::types::wire::Key::deserialize(deserializer)?;
                word.as_str().parse().map_err(serde::de::Error::custom)
            }
        }

        impl $crate::types::wire::Adapt for $Name {
            fn adapt(&mut self, _: $crate::types::Revision) {}
        }

        #[cfg(test)]
        impl $crate::types::sample::Sample for $Name {
            fn sample(source: &mut $crate::types::sample::Source<'_>) -> Self {
                source.pick($Name::ALL)
            }
        }
    };
    (
        $(#[$attr:meta])*
        pub open enum $Name:ident { $( $(#[$vattr:meta])* $Variant:ident = $word:literal, )* }
    ) => {
        $(#[$attr])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
        pub enum $Name {
            $( $(#[$vattr])* $Variant, )*
            /// A word this crate does not know, kept as it came.
            Other(String),
        }

        impl $Name {
            /// The word on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $( $Name::$Variant => $word, )*
                    $Name::Other(word) => word,
                }
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let word = $crate::types::wire::Key::deserialize(deserializer)?;
                Ok(match word.as_str() {
                    $( $word => $Name::$Variant, )*
                    _ => $Name::Other(word.into_string()),
                })
            }
        }

        impl $crate::types::wire::Adapt for $Name {
            fn adapt(&mut self, _: $crate::types::Revision) {}
        }

        #[cfg(test)]
        impl $crate::types::sample::Sample for $Name {
            fn sample(source: &mut $crate::types::sample::Source<'_>) -> Self {
                source.pick(&[ $( $Name::$Variant, )* ])
            }
        }
    };
}
pub(crate) use choice;
