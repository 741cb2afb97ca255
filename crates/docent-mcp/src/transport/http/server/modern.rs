//! Requests of 2026-07-28: each stands alone, and its headers repeat what its body says.
//!
//! The rungs a request climbs, each with a status and a code of its own: what it says about itself,
//! the version header, the version, the method and name headers, the tool's own headers. Only then
//! does it reach the router.

use std::borrow::Cow;
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, HeaderName, Response, StatusCode};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::events::{Events, OpenRequest, Source};
use super::first::{First, first};
use super::incoming::{Accepts, accepts};
use super::reply::{self, HttpBody, Refusal};
use super::{Endpoint, Principal};
use crate::jsonrpc::encode::UnknownId;
use crate::jsonrpc::{ErrorObject, RawJson, Request, code};
use crate::server::Claim;
use crate::session::{Cancel, Entry, Peer, ReplyTo, answer_on_stream};
use crate::transport::http::headers::{self, METHOD, NAME, PROTOCOL_VERSION};
use crate::types::{JsonObject, method};

/// Answers a request that claims a version in its `_meta`.
pub(super) async fn answer(
    endpoint: &Endpoint,
    parts: &Parts,
    request: Request,
    claim: Claim,
) -> Response<HttpBody> {
    let accepts = accepts(&parts.headers);
    if accepts == (Accepts { json: false, events: false }) {
        return not_acceptable().respond();
    }
    let principal = Principal::of(parts);
    let permit = match endpoint.quota.take(principal.as_ref()) {
        Ok(permit) => permit,
        Err(refusal) => return refusal.respond(),
    };
    let peer = Peer::known_as(principal, endpoint.limits().clone());
    #[cfg(feature = "auth")]
    super::gate::hand_on(parts, &peer);
    let cancel = Cancel::new();
    let id = request.id.clone();
    let refuse = |error: &ErrorObject| {
        reply::error(status(error.code), Some(&id), UnknownId::Omitted, error)
    };
    let admitted = check_version(&parts.headers, &claim)
        .and_then(|()| endpoint.modern.context(&request, claim, cancel.clone(), &peer))
        .and_then(|context| {
            compare(&parts.headers, &METHOD, &request.method)?;
            let named = Named::of(request.params.as_ref())?;
            if let Some(name) = named.by(&request.method) {
                compare(&parts.headers, &NAME, &name)?;
                if request.method == method::TOOLS_CALL {
                    check_arguments(endpoint, &parts.headers, &name, named.arguments)?;
                }
            }
            Ok(context)
        });
    let context = match admitted {
        Ok(context) => context,
        // Whatever is wrong on the way to a handler is the client's fault.
        Err(error) => {
            return reply::error(StatusCode::BAD_REQUEST, Some(&id), UnknownId::Omitted, &error);
        }
    };
    let work = endpoint.modern.dispatch(request, context);
    let entry = Entry { cancel, reply_to: ReplyTo::stream(&peer), cancellable: true };
    // From here on, whoever drops this no longer wants the answer.
    let mut open = OpenRequest::new(&peer, &id, permit);
    if let Err(error) = answer_on_stream(&peer, id.clone(), entry, work, &endpoint.ending).await {
        return refuse(&error);
    }
    let limits = &endpoint.limits().http;
    let response = match first(&peer, accepts, &endpoint.alarm).await {
        First::Answer(answer) => match peer.retry_after() {
            Some(wait) => reply::too_early(wait, answer),
            None => reply::json(peer.error_code().map_or(StatusCode::OK, status), answer),
        },
        First::Nothing => reply::empty(StatusCode::ACCEPTED),
        First::Streams(taken) => {
            open.taken = taken;
            reply::events(Events::new(Source::Request(open), limits.keep_alive))
        }
    };
    #[cfg(feature = "auth")]
    let response = super::gate::challenge(endpoint, &peer, response);
    response
}

pub(super) fn not_acceptable() -> Refusal {
    let message = "accept `application/json, text/event-stream`";
    Refusal::new(StatusCode::NOT_ACCEPTABLE, message)
}

/// The status that shows an error outside of the message. Most errors are answers like others.
fn status(code: i64) -> StatusCode {
    match code {
        code::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        code::HEADER_MISMATCH
        | code::MISSING_CLIENT_CAPABILITY
        | code::UNSUPPORTED_PROTOCOL_VERSION => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

fn mismatch(message: impl Into<String>) -> ErrorObject {
    ErrorObject::new(code::HEADER_MISMATCH, message)
}

/// The one value of a header, without the space around it.
fn value<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ErrorObject> {
    let mut all = headers.get_all(name).iter();
    let first = all.next();
    if all.next().is_some() {
        return Err(mismatch(format!("the `{name}` header is there more than once")));
    }
    let Some(first) = first else { return Ok(None) };
    match first.to_str() {
        Ok(text) => Ok(Some(text.trim_matches([' ', '\t']))),
        Err(_) => Err(mismatch(format!("the `{name}` header is not ASCII"))),
    }
}

/// Holds a header against what the body says.
fn compare(headers: &HeaderMap, name: &HeaderName, body: &str) -> Result<(), ErrorObject> {
    let Some(header) = value(headers, name)? else {
        return Err(mismatch(format!("the `{name}` header is missing")));
    };
    let Some(header) = headers::decode(header) else {
        return Err(mismatch(format!("the `{name}` header is not valid Base64")));
    };
    match header == body {
        true => Ok(()),
        false => {
            Err(mismatch(format!("the `{name}` header says {header:?} and the message {body:?}")))
        }
    }
}

fn check_version(headers: &HeaderMap, claim: &Claim) -> Result<(), ErrorObject> {
    match claim.version.as_deref() {
        Some(version) => compare(headers, &PROTOCOL_VERSION, version),
        // What is wrong with the body is said first.
        None => Ok(()),
    }
}

/// The parameters that headers repeat.
#[derive(Deserialize, Default)]
struct Named<'a> {
    #[serde(borrow, default)]
    name: Option<Text<'a>>,
    #[serde(borrow, default)]
    uri: Option<Text<'a>>,
    #[serde(rename = "taskId", borrow, default)]
    task: Option<Text<'a>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// A string, or anything else, which is for the router to refuse.
#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] &'a RawValue);

impl Text<'_> {
    fn read(&self) -> Option<Cow<'_, str>> {
        serde_json::from_str::<Cow<'_, str>>(self.0.get()).ok()
    }
}

impl<'a> Named<'a> {
    /// Reads them. A name that stands there twice is refused: the headers could repeat one of them
    /// and the router believe the other.
    fn of(params: Option<&'a RawJson>) -> Result<Self, ErrorObject> {
        match params.map(RawJson::decode_borrowed) {
            None => Ok(Named::default()),
            Some(Ok(named)) => Ok(named),
            Some(Err(error)) => {
                Err(ErrorObject::invalid_params(format!("`params` cannot be read: {error}")))
            }
        }
    }

    /// The one that a request of this method is known by.
    fn by(&self, method: &str) -> Option<Cow<'_, str>> {
        let name = match method {
            method::TOOLS_CALL | method::PROMPTS_GET => &self.name,
            method::RESOURCES_READ => &self.uri,
            method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL => &self.task,
            _ => &None,
        };
        name.as_ref().and_then(Text::read)
    }
}

/// Holds the headers of a tool against its arguments.
fn check_arguments(
    endpoint: &Endpoint,
    headers: &HeaderMap,
    name: &str,
    arguments: Option<&RawValue>,
) -> Result<(), ErrorObject> {
    let core = &endpoint.core;
    let tool = core.shared.tools.get(name);
    let elsewhere = || core.config.tool_headers.as_ref().and_then(|headers_of| headers_of(name));
    let elsewhere = if tool.is_none() { elsewhere() } else { None };
    let mirrored = match (&tool, &elsewhere) {
        (Some(tool), _) => &tool.headers,
        (None, Some(headers)) => &**headers,
        (None, None) => return Ok(()),
    };
    if mirrored.is_empty() {
        return Ok(());
    }
    let arguments = arguments.map(|arguments| serde_json::from_str(arguments.get()));
    let Ok(arguments) = arguments.unwrap_or_else(|| Ok(JsonObject::new())) else {
        return Ok(());
    };
    for mirrored in mirrored {
        let Ok(name) = HeaderName::try_from(mirrored.header_name()) else { continue };
        let said = value(headers, &name)?;
        let same = match (mirrored.value(&arguments), said) {
            (None, None) => true,
            (Some(argument), Some(said)) => headers::agrees(said, argument, mirrored.value_type),
            _ => false,
        };
        if !same {
            let path = mirrored.path.join(".");
            let message = format!("the `{name}` header does not repeat the argument `{path}`");
            return Err(mismatch(message));
        }
    }
    Ok(())
}

/// A notification: there is nothing that it could be about, because requests end with their
/// connection. Extensions may still want it.
pub(super) fn notice(
    endpoint: &Arc<Endpoint>,
    notification: crate::jsonrpc::Notification,
) -> Response<HttpBody> {
    use crate::session::Role as _;
    if notification.method != crate::types::notification::CANCELLED {
        endpoint.modern.notification(notification);
    }
    reply::empty(StatusCode::ACCEPTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The headers could repeat one of them and the router believe the other.
    #[test]
    fn a_name_that_stands_there_twice_is_refused() {
        for (params, read) in [
            (r#"{"name":"a","arguments":{"name":"b"}}"#, true),
            (r#"{"name":"a","name":"b"}"#, false),
            (r#"{"name":"a","na\u006de":"b"}"#, false),
        ] {
            let params = RawJson::trusted(params.into());
            assert_eq!(Named::of(Some(&params)).is_ok(), read, "{params:?}");
        }
    }
}
