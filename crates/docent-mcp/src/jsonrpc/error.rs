//! The error object of a JSON-RPC response, and the codes that MCP gives a meaning.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::types::{ElicitRequestParams, ElicitRequestUrlParams, UrlElicitationRequiredData};

/// Error codes with a meaning in JSON-RPC or MCP.
pub mod code {
    use crate::types::Revision;

    /// The text is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a request that could be taken.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method does not exist for this peer.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters do not fit; also an unknown tool, prompt or cursor.
    pub const INVALID_PARAMS: i64 = -32602;
    /// Something failed that is not the caller's fault.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// A resource does not exist (up to 2025-11-25; later `INVALID_PARAMS`).
    pub const RESOURCE_NOT_FOUND: i64 = -32002;
    /// Headers contradict the body (2026-07-28, HTTP).
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The request needs a client capability that it did not declare (2026-07-28).
    pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
    /// The requested protocol revision is not spoken here (2026-07-28).
    pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;
    /// The user has to visit URLs first (2025-11-25).
    pub const URL_ELICITATION_REQUIRED: i64 = -32042;

    /// Whether `revision` lets a peer send this code. Codes from −32768 to −32000 belong to JSON-RPC
    /// and MCP; all others are free for meanings of your own.
    pub fn is_permitted(code: i64, revision: Revision) -> bool {
        match code {
            PARSE_ERROR | INVALID_REQUEST | METHOD_NOT_FOUND | INVALID_PARAMS | INTERNAL_ERROR => {
                true
            }
            RESOURCE_NOT_FOUND => !revision.is_modern(),
            URL_ELICITATION_REQUIRED => revision == Revision::V2025_11_25,
            HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY | UNSUPPORTED_PROTOCOL_VERSION => {
                revision.is_modern()
            }
            // Legacy servers used these as they liked.
            -32019..=-32000 => !revision.is_modern(),
            -32768..=-32020 => false,
            _ => true,
        }
    }
}

/// A JSON-RPC error object: what a peer answers instead of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// What kind of error; see [`code`].
    pub code: i64,
    /// One sentence for people.
    pub message: String,
    /// Details for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl ErrorObject {
    /// An error with a code of the caller's choosing. Codes from −32768 to −32000 belong to
    /// JSON-RPC and MCP: use others for meanings of your own.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        ErrorObject { code, message: message.into(), data: None }
    }

    /// Adds details for programs.
    #[must_use]
    pub fn with_data(mut self, data: impl Into<Value>) -> Self {
        self.data = Some(data.into());
        self
    }

    /// The text is not JSON (−32700).
    pub fn parse_error(message: impl Into<String>) -> Self {
        Self::new(code::PARSE_ERROR, message)
    }

    /// Not a request that could be taken (−32600).
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_REQUEST, message)
    }

    /// No such method for this peer (−32601).
    pub fn method_not_found(method: &str) -> Self {
        Self::new(code::METHOD_NOT_FOUND, format!("method not found: {method}"))
    }

    /// The parameters do not fit (−32602).
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    /// The user has to visit these pages before the request can succeed (−32042). For 2025-11-25;
    /// in other revisions, ask with [`Context::elicit_url`](crate::server::Context::elicit_url).
    pub fn url_elicitation_required(
        message: impl Into<String>,
        pages: impl IntoIterator<Item = ElicitRequestUrlParams>,
    ) -> Self {
        let elicitations = pages.into_iter().map(ElicitRequestParams::Url).collect();
        let data = UrlElicitationRequiredData { elicitations, ..Default::default() };
        let data = serde_json::to_value(data).expect("a wire type is always representable");
        Self::new(code::URL_ELICITATION_REQUIRED, message).with_data(data)
    }

    /// A failure that is not the caller's fault (−32603).
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(code::INTERNAL_ERROR, message)
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for ErrorObject {}
