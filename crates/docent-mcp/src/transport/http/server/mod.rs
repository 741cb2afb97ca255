//! A server behind HTTP: one address for both eras, chosen by each message.
//!
//! A request's way: `doors` (who may knock) → `incoming` (its body) → here (what it is) → `modern`
//! (each request for itself) or `legacy` (a `session` of `sessions`) → `first` (what kind of reply
//! it needs) → `reply`, and for streams `events`, `stream` and `store`. `old_sse` is the transport
//! of 2024-11-05. `listener`, with `activity`, is the server for those who have none. `alarm` says when
//! an answer has taken long enough to become a stream.

mod activity;
mod alarm;
mod doors;
mod events;
mod first;
#[cfg(feature = "auth")]
mod gate;
mod incoming;
mod legacy;
mod listener;
mod modern;
mod old_sse;
mod quota;
mod reply;
mod session;
mod sessions;
mod store;
mod stream;

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use tower_service::Service;

pub use listener::HttpServer;
pub use reply::HttpBody;
pub use store::{EventStore, MemoryEvents, StreamKey};

use self::alarm::Alarm;
use self::doors::Doors;
use self::old_sse::Connections;
use self::quota::Quota;
use self::reply::Refusal;
use self::sessions::Sessions;
use super::headers::PROTOCOL_VERSION;
use crate::error::Result;
use crate::jsonrpc::encode::UnknownId;
use crate::jsonrpc::{Decoded, ErrorObject, Message, decode};
use crate::limits::Limits;
use crate::server::{Core, Server, ServerSession};
use crate::session::{Ending, Peer, Role as _};
use crate::transport::BoxFuture;
use crate::types::{Era, Meta};

/// How a server is offered over HTTP.
///
/// Without further settings only this machine is served: a page in a browser that calls itself
/// `localhost` by a trick with DNS is refused, and so is every page of another site.
#[derive(Clone, Default)]
pub struct HttpOptions {
    doors: Doors,
    store: Option<Arc<dyn EventStore>>,
    old_sse: bool,
    #[cfg(feature = "auth")]
    protection: Option<crate::auth::Protection>,
}

impl HttpOptions {
    /// Only this machine, and sessions in memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves requests for this host, as it stands in `Host`: `mcp.example`, or with a port if only
    /// that one is meant.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.doors.hosts.push(host.into().to_ascii_lowercase());
        self
    }

    /// Serves web pages of this origin, and lets them read the answers: `https://app.example`.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.doors.origins.push(origin.into());
        self
    }

    /// Serves clients of 2024-11-05 as well, at the paths `/sse` and `/messages`.
    #[must_use]
    pub fn old_sse(mut self) -> Self {
        self.old_sse = true;
        self
    }

    /// Takes only requests with a valid token. The metadata that leads clients to one is served
    /// too, below `/.well-known/oauth-protected-resource`.
    #[cfg(feature = "auth")]
    #[must_use]
    pub fn protect(mut self, protection: crate::auth::Protection) -> Self {
        self.protection = Some(protection);
        self
    }

    /// Keeps what was sent to sessions somewhere else than in memory.
    #[must_use]
    pub fn event_store(mut self, store: impl EventStore) -> Self {
        self.store = Some(Arc::new(store));
        self
    }
}

impl std::fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpOptions").field("doors", &self.doors).finish_non_exhaustive()
    }
}

/// Who was authenticated, for whoever puts a layer around an [`HttpService`]: insert it into the
/// extensions of the request, and handlers find it as
/// [`Context::principal`](crate::server::Context::principal).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal(Arc<str>);

impl Principal {
    /// A principal by its name, which must be the same in every request of the same user.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Principal(name.into())
    }

    fn of(parts: &Parts) -> Option<Arc<str>> {
        parts.extensions.get::<Principal>().map(|principal| principal.0.clone())
    }
}

/// A server as a [`tower` service](Service) for HTTP requests, of both eras.
///
/// It fits into every server of the hyper family; in axum, for example, with
/// `Router::new().route_service("/mcp", service)`. Clones are handles to the same service.
#[derive(Clone)]
pub struct HttpService {
    endpoint: Arc<Endpoint>,
}

/// What all requests share.
pub(super) struct Endpoint {
    core: Arc<Core>,
    doors: Doors,
    /// Serves every modern request; nothing of any of them is kept in it.
    modern: Arc<ServerSession>,
    sessions: Arc<Sessions>,
    /// Those of HTTP+SSE, if that is served.
    connections: Connections,
    old_sse: bool,
    quota: Quota,
    #[cfg(feature = "auth")]
    gate: Option<crate::auth::Gate>,
    ending: Arc<Ending>,
    /// Rings for requests whose answers take long enough to become streams.
    alarm: Arc<Alarm>,
}

impl Server {
    /// This server as a service for HTTP requests.
    pub fn http_service(self, options: HttpOptions) -> Result<HttpService> {
        self.check()?;
        let core = Arc::new(Core::new(self));
        let limits = core.config.limits.clone();
        let store = options.store.unwrap_or_else(|| Arc::new(MemoryEvents::new(&limits.http)));
        #[cfg(feature = "auth")]
        let gate = options.protection.map(crate::auth::Protection::build).transpose()?;
        let modern = ServerSession::of_many(core.clone(), Peer::new(limits.clone()));
        Ok(HttpService {
            endpoint: Arc::new(Endpoint {
                doors: options.doors,
                modern,
                sessions: Sessions::new(limits.clone(), store),
                connections: Connections::default(),
                old_sse: options.old_sse,
                quota: Quota::new(limits.http.in_flight_per_principal_max),
                #[cfg(feature = "auth")]
                gate,
                ending: Arc::default(),
                alarm: Alarm::new(limits.http.stream_after),
                core,
            }),
        })
    }
}

impl HttpService {
    /// Takes no new sessions and ends what only waits: subscriptions, and the streams of sessions.
    /// What is running is still answered.
    pub fn shut_down(&self) {
        self.endpoint.modern.input_ended();
        self.endpoint.sessions.close();
        self.endpoint.connections.close();
    }

    /// Answers whatever is still running with an error; for when a server has waited long enough
    /// after [`HttpService::shut_down`].
    pub fn give_up(&self) {
        self.endpoint.ending.end();
    }

    /// Whether something else than the server itself is at a path: HTTP+SSE, or metadata.
    fn has(&self, path: &str) -> bool {
        #[cfg(feature = "auth")]
        if self.endpoint.gate.as_ref().is_some_and(|gate| gate.has_metadata_at(path)) {
            return true;
        }
        self.endpoint.old_sse && old_sse::route(path).is_some()
    }

    fn limits(&self) -> &Limits {
        self.endpoint.limits()
    }

    /// Answers a request.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<HttpBody>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        #[cfg_attr(not(feature = "auth"), expect(unused_mut, reason = "the gate changes them"))]
        let (mut parts, body) = request.into_parts();
        let page = match self.endpoint.doors.check(&parts) {
            Ok(page) => page,
            Err(refusal) => return refusal.respond(),
        };
        let answered = match (&parts.method, &page) {
            (&Method::OPTIONS, Some(_)) => {
                let mut response = reply::empty(StatusCode::NO_CONTENT);
                doors::preflight(&parts, response.headers_mut());
                Ok(response)
            }
            #[cfg(feature = "auth")]
            _ => match gate::pass(&self.endpoint, &mut parts).await {
                Ok(()) => self.endpoint.answer(&parts, body).await,
                Err(refused) => Ok(refused),
            },
            #[cfg(not(feature = "auth"))]
            _ => self.endpoint.answer(&parts, body).await,
        };
        let mut response = answered.unwrap_or_else(Refusal::respond);
        if let Some(page) = page {
            doors::open(response.headers_mut(), page);
        }
        response
    }
}

impl Endpoint {
    fn limits(&self) -> &Arc<Limits> {
        &self.core.config.limits
    }

    async fn answer<B>(
        self: &Arc<Self>,
        parts: &Parts,
        body: B,
    ) -> Result<Response<HttpBody>, Refusal>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if let Some(route) = old_sse::route(parts.uri.path()).filter(|_| self.old_sse) {
            return old_sse::answer(self, parts, route, body).await;
        }
        let legacy = !self.core.config.revisions.legacy().is_empty();
        match parts.method {
            Method::POST => {
                let frame = incoming::read(&parts.headers, body, self.limits()).await?;
                self.post(parts, frame).await
            }
            Method::GET if legacy => legacy::listen(self, parts),
            Method::DELETE if legacy => legacy::end(self, parts),
            _ if legacy => Err(Refusal::method("GET, POST, DELETE")),
            _ => Err(Refusal::method("POST")),
        }
    }

    /// Takes a message, or a batch of them, by the era it is of.
    async fn post(
        self: &Arc<Self>,
        parts: &Parts,
        frame: Bytes,
    ) -> Result<Response<HttpBody>, Refusal> {
        // A modern request may carry the header of a session that it does not know: it is ignored.
        let session = legacy::session(self, parts);
        let batches = session.as_ref().ok().and_then(Option::as_ref);
        let batches = batches.is_some_and(|session| session.role.has_batches());
        let message = match decode(&frame, batches, self.limits()) {
            Decoded::Single(Ok(message)) => message,
            Decoded::Single(Err(malformed)) => {
                let unknown = match &session {
                    Ok(Some(session)) => session.role.unknown_id(),
                    _ => UnknownId::Omitted,
                };
                let (id, error) = (malformed.id.as_ref(), &malformed.error);
                return Ok(reply::error(StatusCode::BAD_REQUEST, id, unknown, error));
            }
            Decoded::Batch(messages) => {
                let session = session?.expect("only a session has batches");
                return legacy::batch(self, parts, session, messages).await;
            }
        };
        match message {
            Message::Request(request) => {
                let bad = |error: &ErrorObject| {
                    let (id, status) = (Some(&request.id), StatusCode::BAD_REQUEST);
                    Ok(reply::error(status, id, UnknownId::Omitted, error))
                };
                match self.modern.classify(&request) {
                    Err(error) => bad(&error),
                    Ok(claim) if claim.era == Era::Modern => {
                        Ok(modern::answer(self, parts, request, claim).await)
                    }
                    Ok(_) if self.claims_modern(parts) => bad(&ErrorObject::invalid_params(
                        format!("`_meta[\"{}\"]` is missing", Meta::PROTOCOL_VERSION),
                    )),
                    Ok(_) => legacy::request(self, parts, session?, request).await,
                }
            }
            Message::Notification(notification) => match session? {
                Some(session) => Ok(legacy::notice(&session, notification)),
                None if self.claims_modern(parts) => Ok(modern::notice(self, notification)),
                None => Err(legacy::no_session()),
            },
            Message::Response(response) => legacy::reply(session?.as_deref(), response),
        }
    }

    /// Whether the headers say that the message is of the modern era.
    fn claims_modern(&self, parts: &Parts) -> bool {
        let version = parts.headers.get(PROTOCOL_VERSION).and_then(|value| value.to_str().ok());
        let version = version.and_then(|version| version.trim().parse().ok());
        version.is_some_and(|version| self.core.config.revisions.modern().contains(&version))
    }
}

impl<B> Service<Request<B>> for HttpService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<HttpBody>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.answer(request).await) })
    }
}

impl std::fmt::Debug for HttpService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpService").finish_non_exhaustive()
    }
}
