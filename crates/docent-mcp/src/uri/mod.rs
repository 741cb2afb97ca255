//! Resource URIs and URI templates: written, read back, checked, and turned into paths.
//!
//! Fed by what servers register (`docs://{package}/{+path}`) and by what clients ask for. A
//! [`UriTemplate`] is parsed once, then [expands](UriTemplate::expand) variables into a URI
//! (RFC 6570, all four levels) and [matches](UriTemplate::matches) a URI back into variables.
//! [`check_uri`] says whether a string is a URI at all (RFC 3986). [`file_path`],
//! [`join_inside`] and [`contained`] keep a server of files inside its folder.
//!
//! ```
//! use docent_mcp::uri::{UriTemplate, Variables};
//!
//! let template = UriTemplate::new("docs://{package}/{+path}{?line}")?;
//!
//! let found = template.matches("docs://serde/src/de/mod.rs?line=12").unwrap();
//! assert_eq!(found.get("package"), Some("serde"));
//! assert_eq!(found.get("path"), Some("src/de/mod.rs"));
//! assert_eq!(found.get("line"), Some("12"));
//!
//! let variables = Variables::new().with("package", "serde").with("path", "Cargo.toml");
//! assert_eq!(template.expand(&variables)?, "docs://serde/Cargo.toml");
//! # Ok::<(), docent_mcp::uri::UriTemplateError>(())
//! ```
//!
//! A matched value is *decoded data*: never decode it again, and never join it to a path
//! without [`join_inside`]. A URI stays a string; nothing here normalizes one, because two
//! spellings that a normalizer calls equal can be two resources to a server.

mod bind;
mod bits;
mod characters;
mod check;
mod error;
mod escape;
mod expand;
mod files;
mod limits;
mod matching;
mod pairs;
mod parse;
mod program;
mod template;
mod variables;

#[cfg(test)]
mod tests;

pub use check::{check_uri, check_uri_within, is_safe_segment};
pub use error::{UriError, UriTemplateError};
pub use files::{contained, file_path, join_inside};
pub use limits::UriLimits;
pub use template::{Specificity, UriTemplate};
pub use variables::{UriValue, Variables};
