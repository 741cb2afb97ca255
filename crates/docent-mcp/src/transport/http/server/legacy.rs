//! Requests of the old era (2025-03-26 to 2025-11-25): a session, and streams that can be resumed.
//!
//! A connection that breaks cancels nothing here: the request goes on, and its answer waits for
//! the client to come back.

use std::sync::Arc;

use http::header::HeaderValue;
use http::request::Parts;
use http::{Response, StatusCode};

use super::doors::only;
use super::events::{Events, Source};
use super::first::{First, first};
use super::incoming::{Accepts, accepts};
use super::modern::not_acceptable;
use super::reply::{self, HttpBody, Refusal};
use super::session::Session;
use super::{Endpoint, Principal};
use crate::jsonrpc::encode::UnknownId;
use crate::jsonrpc::{ErrorObject, Malformed, Message, Notification, Request, Response as Reply};
use crate::session::{Cancel, Entry, Peer, ReplyTo, Role as _, answer_on_stream};
use crate::transport::http::headers::{LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID};
use crate::types::{CancelledNotificationParams, Revision, method, notification};

/// The session that a request names; `None` if it names none.
pub(super) fn session(endpoint: &Endpoint, parts: &Parts) -> Result<Option<Arc<Session>>, Refusal> {
    let Some(id) = only(&parts.headers, &SESSION_ID, "Mcp-Session-Id")? else { return Ok(None) };
    let principal = Principal::of(parts);
    let found = id.to_str().ok().and_then(|id| endpoint.sessions.find(id, principal.as_ref()));
    match found {
        Some(session) => Ok(Some(session)),
        None => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "there is no such session: begin a new one with `initialize`",
        )),
    }
}

pub(super) fn no_session() -> Refusal {
    let message = "the `Mcp-Session-Id` header is missing: send `initialize` first, or a request \
                   with the protocol version in its `_meta`";
    Refusal::new(StatusCode::BAD_REQUEST, message)
}

/// A version that a request names must be one that is spoken here.
pub(super) fn check_version(endpoint: &Endpoint, parts: &Parts) -> Result<(), Refusal> {
    let Some(version) = only(&parts.headers, &PROTOCOL_VERSION, "MCP-Protocol-Version")? else {
        return Ok(());
    };
    let spoken = endpoint.core.config.revisions.legacy();
    let known = version.to_str().ok().and_then(|version| version.trim().parse::<Revision>().ok());
    match known.is_some_and(|revision| spoken.contains(&revision)) {
        true => Ok(()),
        false => Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            format!(
                "`MCP-Protocol-Version` {version:?} is not spoken here; these are: {}",
                endpoint.core.config.revisions
            ),
        )),
    }
}

/// Answers a request.
pub(super) async fn request(
    endpoint: &Endpoint,
    parts: &Parts,
    session: Option<Arc<Session>>,
    request: Request,
) -> Result<Response<HttpBody>, Refusal> {
    let accepts = accepts(&parts.headers);
    if accepts == (Accepts { json: false, events: false }) {
        return Err(not_acceptable());
    }
    match session {
        Some(session) => {
            check_version(endpoint, parts)?;
            let unknown = session.role.unknown_id();
            let peer = session.peer.beside();
            #[cfg(feature = "auth")]
            super::gate::hand_on(parts, &peer);
            let reply_to = ReplyTo::stream(&peer);
            let id = request.id.clone();
            match start(endpoint, &session, &peer, request, reply_to).await {
                Ok(()) => {
                    let response = respond(endpoint, &session, peer.clone(), accepts).await;
                    #[cfg(feature = "auth")]
                    let response = super::gate::challenge(endpoint, &peer, response);
                    Ok(response)
                }
                Err(error) => Ok(reply::error(StatusCode::BAD_REQUEST, Some(&id), unknown, &error)),
            }
        }
        None if endpoint.core.config.revisions.legacy().is_empty() => {
            // The error that names the versions which are spoken.
            let peer = Peer::new(endpoint.limits().clone());
            let refused = endpoint.modern.classify(&request).and_then(|claim| {
                endpoint.modern.context(&request, claim, Cancel::new(), &peer).map(drop)
            });
            let error = refused.err().unwrap_or_else(|| ErrorObject::internal("not legacy"));
            let (id, status) = (Some(&request.id), StatusCode::BAD_REQUEST);
            Ok(reply::error(status, id, UnknownId::Omitted, &error))
        }
        None if request.method == method::INITIALIZE => {
            begin(endpoint, parts, request, accepts).await
        }
        None => Err(no_session()),
    }
}

/// The handshake.
async fn begin(
    endpoint: &Endpoint,
    parts: &Parts,
    request: Request,
    accepts: Accepts,
) -> Result<Response<HttpBody>, Refusal> {
    let session = endpoint.sessions.begin(&endpoint.core, Principal::of(parts))?;
    let peer = session.peer.beside();
    #[cfg(feature = "auth")]
    super::gate::hand_on(parts, &peer);
    let reply_to = ReplyTo::stream(&peer);
    let started = start(endpoint, &session, &peer, request, reply_to).await;
    let mut response = respond(endpoint, &session, peer, accepts).await;
    if started.is_err() || session.role.agreed().is_none() {
        endpoint.sessions.end(&session);
        return Ok(response);
    }
    let id = HeaderValue::from_str(&session.id).expect("an id is visible ASCII");
    response.headers_mut().insert(SESSION_ID, id);
    Ok(response)
}

/// Starts to answer a request of a session.
async fn start(
    endpoint: &Endpoint,
    session: &Session,
    peer: &Arc<Peer>,
    request: Request,
    reply_to: ReplyTo,
) -> Result<(), ErrorObject> {
    let max = peer.limits.in_flight_max;
    if peer.in_flight.len() >= max {
        let message = format!("{max} requests of this session are running: wait for one to end");
        return Err(ErrorObject::invalid_request(message));
    }
    let cancel = Cancel::new();
    let id = request.id.clone();
    let cancellable = request.method != method::INITIALIZE;
    let work = session.role.request(request, cancel.clone(), peer);
    let entry = Entry { cancel, reply_to, cancellable };
    answer_on_stream(peer, id, entry, work, &endpoint.ending).await
}

async fn respond(
    endpoint: &Endpoint,
    session: &Session,
    peer: Arc<Peer>,
    accepts: Accepts,
) -> Response<HttpBody> {
    let limits = &endpoint.limits().http;
    match first(&peer, accepts, &endpoint.alarm).await {
        First::Answer(answer) => reply::json(StatusCode::OK, answer),
        First::Nothing => reply::empty(StatusCode::ACCEPTED),
        First::Streams(taken) => {
            let reader = session.open(peer, taken, limits);
            reply::events(Events::new(Source::Session(reader), limits.keep_alive))
        }
    }
}

/// Takes a notification.
pub(super) fn notice(session: &Session, notification: Notification) -> Response<HttpBody> {
    match notification.method.as_str() {
        notification::CANCELLED => cancel(session, &notification),
        _ => session.role.notification(notification),
    }
    reply::empty(StatusCode::ACCEPTED)
}

fn cancel(session: &Session, notification: &Notification) {
    let params = notification.params.as_ref().map(|params| params.decode());
    if let Some(Ok(CancelledNotificationParams { request_id: Some(id), reason, .. })) = params
        && let Some(entry) = session.peer.in_flight.cancel(&id, reason)
    {
        entry.reply_to.deliver(&session.peer.outbox, None);
    }
}

/// Takes an answer to a question of this server.
pub(super) fn reply(
    session: Option<&Session>,
    reply: Reply,
) -> Result<Response<HttpBody>, Refusal> {
    let session = session.ok_or_else(no_session)?;
    if let Some(id) = reply.id {
        session.peer.pending.complete(&id, reply.outcome.into());
    }
    Ok(reply::empty(StatusCode::ACCEPTED))
}

/// Answers a batch (2025-03-26): its requests together, everything else with nothing.
pub(super) async fn batch(
    endpoint: &Endpoint,
    parts: &Parts,
    session: Arc<Session>,
    messages: Vec<Result<Message, Box<Malformed>>>,
) -> Result<Response<HttpBody>, Refusal> {
    check_version(endpoint, parts)?;
    let accepts = accepts(&parts.headers);
    let is_answered = |message: &&Result<Message, Box<Malformed>>| {
        !matches!(message, Ok(Message::Notification(_) | Message::Response(_)))
    };
    let answered = messages.iter().filter(is_answered).count();
    let peer = session.peer.beside();
    #[cfg(feature = "auth")]
    super::gate::hand_on(parts, &peer);
    let reply_to = ReplyTo::stream(&peer).batch(answered);
    for message in messages {
        let refused = match message {
            Ok(Message::Notification(notification)) => {
                notice(&session, notification);
                continue;
            }
            Ok(Message::Response(response)) => {
                reply(Some(&session), response)?;
                continue;
            }
            Ok(Message::Request(request)) => {
                let id = request.id.clone();
                match in_batch(endpoint, &session, &peer, request, reply_to.clone()).await {
                    Ok(()) => continue,
                    Err(error) => Malformed { id: Some(id), error },
                }
            }
            Err(malformed) => *malformed,
        };
        let unknown = session.role.unknown_id();
        let error = crate::jsonrpc::encode::error(refused.id.as_ref(), unknown, &refused.error);
        reply_to.deliver(&peer.outbox, Some(error));
    }
    match answered {
        0 => Ok(reply::empty(StatusCode::ACCEPTED)),
        _ => Ok(respond(endpoint, &session, peer, accepts).await),
    }
}

async fn in_batch(
    endpoint: &Endpoint,
    session: &Session,
    peer: &Arc<Peer>,
    request: Request,
    reply_to: ReplyTo,
) -> Result<(), ErrorObject> {
    if request.method == method::INITIALIZE {
        return Err(ErrorObject::invalid_request("`initialize` cannot be in a batch"));
    }
    if session.role.classify(&request)?.era == crate::types::Era::Modern {
        let message = "a request that names its version cannot be in a batch";
        return Err(ErrorObject::invalid_request(message));
    }
    start(endpoint, session, peer, request, reply_to).await
}

/// Opens the stream of what belongs to no request, or takes up one that broke.
pub(super) fn listen(endpoint: &Endpoint, parts: &Parts) -> Result<Response<HttpBody>, Refusal> {
    if !accepts(&parts.headers).events {
        let message = "accept `text/event-stream`";
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, message));
    }
    let session = session(endpoint, parts)?.ok_or_else(no_session)?;
    check_version(endpoint, parts)?;
    let reader = match only(&parts.headers, &LAST_EVENT_ID, "Last-Event-ID")? {
        None => session.open_general().ok_or_else(|| {
            let message = "the stream of this session is open already";
            Refusal::new(StatusCode::CONFLICT, message)
        })?,
        Some(event) => {
            let reader = event.to_str().ok().and_then(|event| session.resume(event));
            reader.ok_or_else(|| {
                let message = "what followed this event is no longer kept: open a new stream \
                               without `Last-Event-ID`";
                Refusal::new(StatusCode::BAD_REQUEST, message)
            })?
        }
    };
    let keep_alive = endpoint.limits().http.keep_alive;
    Ok(reply::events(Events::new(Source::Session(reader), keep_alive)))
}

/// Ends a session.
pub(super) fn end(endpoint: &Endpoint, parts: &Parts) -> Result<Response<HttpBody>, Refusal> {
    let session = session(endpoint, parts)?.ok_or_else(no_session)?;
    endpoint.sessions.end(&session);
    Ok(reply::empty(StatusCode::NO_CONTENT))
}
