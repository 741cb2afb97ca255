//! Why a schema cannot be used: the errors of compiling one.
//!
//! Fed by `derive`, `document`, `compile`, and `keywords`. Shown to whoever wrote the schema:
//! the author of a tool at registration, or the user of a client that met a foreign one.

use std::fmt;

/// Why a schema was refused. Nothing was fetched and no value was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaError {
    /// `$schema` names a dialect other than 2020-12 and draft-07.
    Dialect {
        /// The value of `$schema`.
        dialect: String,
    },
    /// A reference leads outside the document, or to nothing inside it.
    Unresolved {
        /// JSON pointer to the schema that holds the reference.
        at: String,
        /// The reference as written.
        reference: String,
    },
    /// A regular expression is invalid, or needs more than linear-time matching.
    Pattern {
        /// JSON pointer to the schema that holds the pattern.
        at: String,
        /// The pattern as written, cut when long.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A keyword has a value that the dialect does not allow.
    Malformed {
        /// JSON pointer to the schema that holds the keyword.
        at: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The schema exceeds one of the [`SchemaLimits`](super::SchemaLimits).
    TooLarge {
        /// The name of the limit.
        limit: &'static str,
        /// Its value.
        max: usize,
    },
    /// Tool arguments are JSON objects, but this type is not one.
    NotAnObject {
        /// The Rust type, as its schema names it.
        type_name: String,
        /// What its schema allows instead.
        found: String,
    },
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dialect { dialect } => write!(
                f,
                "unsupported JSON Schema dialect {dialect:?}: \
                 only 2020-12 (the default) and draft-07 are supported"
            ),
            Self::Unresolved { at, reference } => write!(
                f,
                "{}: `$ref` {reference:?} leads to nothing inside this schema \
                 (references are never fetched)",
                Place(at)
            ),
            Self::Pattern { at, pattern, reason } => {
                write!(f, "{}: pattern {pattern:?}: {reason}", Place(at))
            }
            Self::Malformed { at, reason } => write!(f, "{}: {reason}", Place(at)),
            Self::TooLarge { limit, max } => {
                write!(f, "the schema exceeds the limit `{limit}` of {max}")
            }
            Self::NotAnObject { type_name, found } => write!(
                f,
                "tool arguments are JSON objects, but `{type_name}` is {found}: \
                 wrap it in a struct with a named field"
            ),
        }
    }
}

impl std::error::Error for SchemaError {}

/// A JSON pointer for people: the empty one reads as "schema root".
struct Place<'a>(&'a str);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("schema root") } else { write!(f, "schema {}", self.0) }
    }
}
