//! JSON Schema: derived from Rust types, checked against values, bounded.
//!
//! The promise: a schema from anyone can be compiled, and a value from anyone checked against
//! it, without network or file access, without unbounded time, memory, or stack, and with
//! messages that tell a language model what to correct.
//!
//! - [`arguments_schema`] and [`result_schema`] describe a Rust type to a client.
//! - [`Validator`] checks values: 2020-12 in full, and draft-07 where `$schema` says so.
//! - [`mirrored_headers`] reads the `x-mcp-header` annotations of a tool.
//! - [`flat_form`], [`form_schema`], and [`fill_defaults`] serve elicitation forms.
//!
//! In reading order: `document` measures a schema and finds its names, `compile` turns it
//! into a flat list of nodes with the help of `keywords`, `validate` holds that list, and
//! `walk` applies it to a value.

mod compile;
mod derive;
mod dialect;
mod document;
mod elicitation;
mod equal;
mod error;
mod format;
mod headers;
mod keywords;
mod limits;
mod marks;
mod node;
mod number;
mod pattern;
mod preview;
mod uri;
mod validate;
mod violation;
mod walk;

#[cfg(test)]
mod tests;

pub use derive::{ResultSchema, arguments_schema, has_object_root, result_schema};
pub use elicitation::{FormError, fill_defaults, flat_form, form_schema};
pub use error::SchemaError;
pub use headers::{HeaderRuleError, HeaderType, MirroredHeader, mirrored_headers};
pub use limits::SchemaLimits;
pub use validate::Validator;
pub use violation::Violation;
