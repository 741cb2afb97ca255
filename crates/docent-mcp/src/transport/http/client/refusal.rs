//! What an HTTP status other than success means to whoever made the request.

use http::StatusCode;
use http::header::LOCATION;
use reqwest::Response;

use super::body::{self, Body};
use super::connection::Connection;
use crate::error::{Error, ErrorKind, Fate};
use crate::jsonrpc::{ErrorObject, Outcome, code};

/// What the request was that the server refused.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Refused {
    /// A request that said itself which revision it is of.
    Modern,
    /// One of a session, with its id.
    InSession,
    /// Anything else.
    Plain,
}

impl Connection {
    /// The error that a refusal is. One that shows that the connection is of no use any more ends
    /// it.
    pub(super) async fn refusal(&self, mut response: Response, refused: Refused) -> Error {
        let status = response.status();
        let moved = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).map(origin_of);
        let body = match body::read(&mut response, self.limits.http.refusal_bytes_max).await {
            Ok(Body::Whole(body) | Body::Cut(body)) => body,
            Err(_) => bytes::Bytes::new(),
        };
        let rpc = error_object(&body, &self.limits);
        let stale = is_stale(status, rpc.as_ref(), refused);
        let error = match rpc {
            Some(rpc) => Error::from(rpc),
            None => {
                let mut message = format!(
                    "{} answered HTTP {}: {}",
                    self.endpoint.origin(),
                    status.as_u16(),
                    advice(status, moved)
                );
                let excerpt = body::excerpt(&body);
                if !excerpt.is_empty() {
                    message = format!("{message} ({excerpt})");
                }
                Error::new(ErrorKind::Http, message)
            }
        };
        let error = error.with_http_status(status.as_u16());
        if stale {
            self.retire();
            return error.with_fate(Fate::NotExecuted);
        }
        error
    }
}

/// Whether a refusal shows that the server is not the one that the connection was opened to: it
/// has lost the session, or it is of another era.
fn is_stale(status: StatusCode, rpc: Option<&ErrorObject>, refused: Refused) -> bool {
    match refused {
        Refused::InSession => status == StatusCode::NOT_FOUND,
        // A modern server refuses with an error object of the protocol.
        Refused::Modern => {
            let known = rpc.is_some_and(|rpc| {
                matches!(rpc.code, code::PARSE_ERROR | code::INTERNAL_ERROR..=code::INVALID_REQUEST)
                    || matches!(rpc.code, -32099..=code::HEADER_MISMATCH)
                    || !(-32768..=-32000).contains(&rpc.code)
            });
            matches!(status.as_u16(), 400 | 404 | 405) && !known
        }
        Refused::Plain => false,
    }
}

/// The error object in a body, if it is an answer of JSON-RPC, whoever it is for.
pub(super) fn error_object(body: &bytes::Bytes, limits: &crate::Limits) -> Option<ErrorObject> {
    use crate::jsonrpc::{Decoded, Message, decode};
    match decode(body, false, limits) {
        Decoded::Single(Ok(Message::Response(response))) => match response.outcome {
            Outcome::Error(error) => Some(error),
            _ => None,
        },
        _ => None,
    }
}

fn advice(status: StatusCode, moved: Option<String>) -> String {
    match status.as_u16() {
        300..=399 => match moved {
            Some(origin) => format!(
                "it sends us to {origin}, which is not followed; if you trust it, use that address"
            ),
            None => "it sends us elsewhere, which is not followed".to_owned(),
        },
        401 => "it wants to know who is asking; give the endpoint a token or a hook".to_owned(),
        403 => "it does not allow this; check the rights of the token".to_owned(),
        404 => "there is nothing at this address; check its path".to_owned(),
        405 => "there is no MCP endpoint at this address; check its path".to_owned(),
        408 | 504 => "it took too long; try again".to_owned(),
        413 => "the message is too large for it".to_owned(),
        429 => "it wants fewer requests; try again later".to_owned(),
        500.. => "it failed; try again later".to_owned(),
        _ => "it does not take the message".to_owned(),
    }
}

/// Scheme, host and port of an address: the rest may hold secrets.
fn origin_of(address: &str) -> String {
    match reqwest::Url::parse(address) {
        Ok(url) => url.origin().ascii_serialization(),
        Err(_) => "another page".to_owned(),
    }
}
