//! `x-mcp-header`: tool arguments that clients repeat as HTTP headers.
//!
//! Fed by a tool's `inputSchema`: on the server at registration, on the client when tools are
//! listed. Feeds the HTTP transport, which writes and compares `Mcp-Param-…` headers. From
//! revision 2026-07-28 on; a tool that breaks the rules is refused or dropped as a whole.

use super::dialect::{Dialect, Inner, Token};
use super::preview;
use serde_json::{Map, Value};
use std::fmt;

/// An argument that is repeated as a header.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirroredHeader {
    /// The annotation: the header name after `Mcp-Param-`.
    pub name: String,
    /// Property names from the arguments object down to the value.
    pub path: Vec<String>,
    /// The declared type of the value.
    pub value_type: HeaderType,
}

/// The types a repeated argument can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderType {
    /// Sent as it is, or encoded when a header cannot carry it.
    String,
    /// Compared as a number; at most 2^53 − 1 in size.
    Integer,
    /// Sent as `true` or `false`.
    Boolean,
}

impl MirroredHeader {
    /// The whole header name: `Mcp-Param-` and the annotation.
    pub fn header_name(&self) -> String {
        format!("Mcp-Param-{}", self.name)
    }

    /// The value in `arguments`, unless it is absent or null: then there is no header.
    pub fn value<'a>(&self, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
        let (last, parents) = self.path.split_last()?;
        let mut object = arguments;
        for name in parents {
            object = object.get(name)?.as_object()?;
        }
        object.get(last).filter(|value| !value.is_null())
    }
}

/// A schema breaks a rule for `x-mcp-header`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderRuleError {
    /// JSON pointer to the annotated schema.
    pub at: String,
    /// The rule it breaks.
    pub reason: String,
}

impl fmt::Display for HeaderRuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`x-mcp-header` at {}: {}", self.at, self.reason)
    }
}

impl std::error::Error for HeaderRuleError {}

const KEYWORD: &str = "x-mcp-header";

/// No HTTP server takes many more headers than this.
const HEADERS_MAX: usize = 64;

/// The arguments of a tool that are repeated as headers, in the order of the schema.
///
/// ```
/// use docent_mcp::schema::mirrored_headers;
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
/// });
/// let headers = mirrored_headers(&schema)?;
/// assert_eq!(headers[0].header_name(), "Mcp-Param-Region");
/// # Ok::<(), docent_mcp::schema::HeaderRuleError>(())
/// ```
///
/// # Errors
///
/// When a name is empty, is not an HTTP token, or is used twice without regard to case; when
/// the type is not string, integer, or boolean (or one of them with null); or when the value
/// is not reached through nested `properties` alone, such as inside `items` or `anyOf`.
pub fn mirrored_headers(schema: &Value) -> Result<Vec<MirroredHeader>, HeaderRuleError> {
    let declared = schema.as_object().and_then(|root| Dialect::declared(root).ok().flatten());
    let dialect = declared.unwrap_or(Dialect::Draft202012);
    let mut headers: Vec<MirroredHeader> = Vec::new();
    let mut spots = vec![Spot { schema, from: None }];
    let mut pending = vec![0];
    while let Some(spot) = pending.pop() {
        let Some(object) = spots[spot].schema.as_object() else { continue };
        if let Some(annotation) = object.get(KEYWORD) {
            let error = |reason| HeaderRuleError { at: pointer(&spots, spot), reason };
            let (name, value_type) = annotated(object, annotation).map_err(error)?;
            let path = path(&spots, spot).ok_or_else(|| {
                error("only values reached through nested `properties` can be repeated".to_owned())
            })?;
            if headers.iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
                return Err(error(format!("the name {} is used twice", preview::quoted(name))));
            }
            if headers.len() == HEADERS_MAX {
                return Err(error(format!("more than {HEADERS_MAX} arguments are annotated")));
            }
            headers.push(MirroredHeader { name: name.to_owned(), path, value_type });
        }
        let children = spots.len();
        dialect.each_subschema(object, |token, schema| {
            spots.push(Spot { schema, from: Some((spot, token)) });
        });
        // The last one is taken first: in reverse, the order of the schema is kept.
        pending.extend((children..spots.len()).rev());
    }
    Ok(headers)
}

/// A subschema, and the one it was found in.
struct Spot<'s> {
    schema: &'s Value,
    from: Option<(usize, Token<'s>)>,
}

/// JSON pointer to a spot.
fn pointer(spots: &[Spot<'_>], mut spot: usize) -> String {
    let mut tokens = Vec::new();
    while let Some((parent, token)) = spots[spot].from {
        tokens.push(token.to_string());
        spot = parent;
    }
    tokens.reverse();
    tokens.concat()
}

/// Property names down to a spot; `None` for the root and where other keywords led there.
fn path(spots: &[Spot<'_>], mut spot: usize) -> Option<Vec<String>> {
    let mut names = Vec::new();
    while let Some((parent, token)) = spots[spot].from {
        match token {
            Token { keyword: "properties", inner: Inner::Key(name) } => names.push(name.to_owned()),
            _ => return None,
        }
        spot = parent;
    }
    names.reverse();
    Some(names).filter(|names| !names.is_empty())
}

/// The header name and the type of an annotated schema.
fn annotated<'s>(
    schema: &Map<String, Value>,
    annotation: &'s Value,
) -> Result<(&'s str, HeaderType), String> {
    let Some(name) = annotation.as_str() else {
        return Err(format!("expected a string, found {}", preview::describe(annotation)));
    };
    if name.is_empty() {
        return Err("the name is empty".to_owned());
    }
    if !name.bytes().all(is_token_byte) {
        return Err(format!("{} is not an HTTP header name", preview::quoted(name)));
    }
    let value_type = match schema.get("type") {
        Some(Value::String(name)) => HeaderType::named(name),
        Some(Value::Array(names)) => {
            let mut names = names.iter().filter(|name| *name != "null");
            let only = names.next().and_then(Value::as_str);
            only.filter(|_| names.next().is_none()).and_then(HeaderType::named)
        }
        _ => None,
    };
    value_type.map(|value_type| (name, value_type)).ok_or_else(|| {
        let found = schema.get("type").map_or("none".to_owned(), preview::literal);
        format!("the type must be string, integer, or boolean, found {found}")
    })
}

impl HeaderType {
    fn named(name: &str) -> Option<Self> {
        match name {
            "string" => Some(Self::String),
            "integer" => Some(Self::Integer),
            "boolean" => Some(Self::Boolean),
            _ => None,
        }
    }
}

/// RFC 9110 `tchar`.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
