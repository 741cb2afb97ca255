//! What an HTTP status other than success means to whoever made the request.

use http::StatusCode;
use http::header::LOCATION;
use reqwest::Response;

use super::body::{self, Body};
use super::connection::Connection;
use crate::error::{Error, ErrorKind, Fate};
use crate::jsonrpc::{ErrorObject, Id, Outcome, code};

/// What the request was that the server refused.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Refused<'a> {
    /// A request that said itself which revision it is of.
    Modern(&'a Id),
    /// One of a session, with its id.
    InSession,
    /// Anything else.
    Plain,
}

impl Connection {
    /// The error that a refusal is. One that shows that the connection is of no use any more ends
    /// it.
    pub(super) async fn refusal(&self, mut response: Response, refused: Refused<'_>) -> Error {
        let status = response.status();
        let moved = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).map(origin_of);
        let body = match body::read(&mut response, self.limits.http.refusal_bytes_max).await {
            Ok(Body::Whole(body) | Body::Cut(body)) => body,
            Err(_) => bytes::Bytes::new(),
        };
        let rpc = error_object(&body, &self.limits);
        let stale = is_stale(status.as_u16(), rpc.as_ref(), refused);
        let error = match rpc {
            Some((_, rpc)) => Error::from(rpc),
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
fn is_stale(status: u16, rpc: Option<&(Option<Id>, ErrorObject)>, refused: Refused<'_>) -> bool {
    match (refused, rpc) {
        // Some servers put it like this when they know the session, but not the method.
        (Refused::InSession, Some((_, rpc))) if rpc.code == code::METHOD_NOT_FOUND => false,
        (Refused::InSession, _) => status == 404,
        // A modern server says which request it refuses, unless it could not read it.
        (Refused::Modern(id), Some((of, rpc))) => {
            let unread = rpc.code == code::PARSE_ERROR || (-32099..=-32020).contains(&rpc.code);
            matches!(status, 400 | 404 | 405) && of.as_ref() != Some(id) && !unread
        }
        // And it always says so: this is no MCP server, or an older one.
        (Refused::Modern(_), None) => matches!(status, 404 | 405 | 422),
        (Refused::Plain, _) => false,
    }
}

/// The error object in a body, if it is an answer of JSON-RPC, with the id it is for.
pub(super) fn error_object(
    body: &bytes::Bytes,
    limits: &crate::Limits,
) -> Option<(Option<Id>, ErrorObject)> {
    use crate::jsonrpc::{Decoded, Message, decode};
    match decode(body, false, limits) {
        Decoded::Single(Ok(Message::Response(response))) => match response.outcome {
            Outcome::Error(error) => Some((response.id, error)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_that_end_a_connection() {
        let ours = Id::from(7);
        let rpc = |id: Option<i64>, code| Some((id.map(Id::from), ErrorObject::new(code, "no")));
        for (status, refused, rpc, expected) in [
            (404, Refused::InSession, None, true),
            (404, Refused::InSession, rpc(None, -32001), true),
            (404, Refused::InSession, rpc(Some(7), -32601), false),
            (400, Refused::InSession, rpc(None, -32000), false),
            (404, Refused::Plain, None, false),
            // As old servers put it.
            (400, Refused::Modern(&ours), rpc(None, -32000), true),
            (400, Refused::Modern(&ours), rpc(None, -32600), true),
            (404, Refused::Modern(&ours), rpc(None, -32001), true),
            (422, Refused::Modern(&ours), None, true),
            (404, Refused::Modern(&ours), None, true),
            (405, Refused::Modern(&ours), None, true),
            // As modern ones do, and what stands before them.
            (404, Refused::Modern(&ours), rpc(Some(7), -32601), false),
            (400, Refused::Modern(&ours), rpc(Some(7), -32602), false),
            (400, Refused::Modern(&ours), rpc(None, -32700), false),
            (400, Refused::Modern(&ours), rpc(None, -32020), false),
            (400, Refused::Modern(&ours), None, false),
            (403, Refused::Modern(&ours), None, false),
            (500, Refused::Modern(&ours), rpc(None, -32603), false),
        ] {
            assert_eq!(is_stale(status, rpc.as_ref(), refused), expected, "{status} {rpc:?}");
        }
    }
}
