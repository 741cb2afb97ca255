//! HTTP+SSE, the transport of 2024-11-05: one address for a stream of events, and one to post to.
//!
//! A connection is a stream that carries everything the server sends; its first event says where
//! to post. So it is a transport like any other, and the same loop serves it.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use http_body::Body;
use tokio::sync::mpsc;

use super::events::{Events, Source, write_message};
use super::incoming::{self, accepts};
use super::reply::{self, HttpBody, Refusal};
use super::sessions::random_id;
use super::stream::Next;
use super::{Endpoint, Principal};
use crate::server::ServerSession;
use crate::session::{Peer, run};
use crate::transport::{FrameReader, FrameWriter, Incoming, Transport};

/// Messages that may wait between a client and its loop, in each direction.
const QUEUE: usize = 16;

/// The connections that are open.
#[derive(Default)]
pub(super) struct Connections(Mutex<HashMap<Arc<str>, Connection>>);

struct Connection {
    principal: Option<Arc<str>>,
    /// What the token allowed that the connection was opened with.
    #[cfg(feature = "auth")]
    claims: Option<crate::auth::Claims>,
    posted: mpsc::Sender<Bytes>,
}

impl Connections {
    fn open(&self) -> MutexGuard<'_, HashMap<Arc<str>, Connection>> {
        self.0.lock().expect("no panic while locked")
    }

    /// Ends every connection.
    pub(super) fn close(&self) {
        self.open().clear();
    }
}

/// Whether a path is one of the two, and what is asked of it.
pub(super) fn route(path: &str) -> Option<Route> {
    match path.rsplit('/').next() {
        Some("sse") => Some(Route::Stream),
        Some("messages") => Some(Route::Messages),
        _ => None,
    }
}

pub(super) enum Route {
    Stream,
    Messages,
}

pub(super) async fn answer<B>(
    endpoint: &Arc<Endpoint>,
    parts: &Parts,
    route: Route,
    body: B,
) -> Result<Response<HttpBody>, Refusal>
where
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    match (route, &parts.method) {
        (Route::Stream, &Method::GET) => open(endpoint, parts),
        (Route::Messages, &Method::POST) => {
            let posted = find(endpoint, parts)?;
            let message = incoming::read(&parts.headers, body, endpoint.limits()).await?;
            match posted.send(message).await {
                Ok(()) => Ok(reply::empty(StatusCode::ACCEPTED)),
                Err(_) => Err(gone()),
            }
        }
        (Route::Stream, _) => Err(Refusal::method("GET")),
        (Route::Messages, _) => Err(Refusal::method("POST")),
    }
}

fn gone() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "there is no such connection: open the stream first")
}

fn find(endpoint: &Endpoint, parts: &Parts) -> Result<mpsc::Sender<Bytes>, Refusal> {
    let query = parts.uri.query().unwrap_or_default();
    let id = query.split('&').find_map(|pair| pair.strip_prefix("sessionId="));
    let open = endpoint.connections.open();
    let connection = id.and_then(|id| open.get(id));
    let principal = Principal::of(parts);
    connection
        .filter(|connection| connection.principal == principal)
        .filter(|connection| connection.is_covered(parts))
        .map(|connection| connection.posted.clone())
        .ok_or_else(gone)
}

impl Connection {
    /// Whether the token of a message allows all that the connection does: messages are answered
    /// with the claims of the connection.
    #[cfg(feature = "auth")]
    fn is_covered(&self, parts: &Parts) -> bool {
        let sent = parts.extensions.get::<crate::auth::Claims>();
        let needed = self.claims.iter().flat_map(crate::auth::Claims::scopes);
        needed.into_iter().all(|scope| sent.is_some_and(|sent| sent.has_scope(scope)))
    }

    #[cfg(not(feature = "auth"))]
    fn is_covered(&self, _: &Parts) -> bool {
        true
    }
}

/// Opens a connection.
fn open(endpoint: &Arc<Endpoint>, parts: &Parts) -> Result<Response<HttpBody>, Refusal> {
    if !accepts(&parts.headers).events {
        let message = "accept `text/event-stream`";
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, message));
    }
    let limits = endpoint.limits();
    let principal = Principal::of(parts);
    let (posted, to_read) = mpsc::channel(QUEUE);
    let (written, to_send) = mpsc::channel(QUEUE);
    let id = random_id();
    {
        let mut open = endpoint.connections.open();
        if open.len() >= limits.http.sessions_max {
            let message = "too many connections are open: try again later";
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message));
        }
        let connection = Connection {
            principal: principal.clone(),
            #[cfg(feature = "auth")]
            claims: parts.extensions.get().cloned(),
            posted,
        };
        open.insert(id.clone(), connection);
    }
    let peer = Peer::known_as(principal, limits.clone());
    #[cfg(feature = "auth")]
    super::gate::hand_on(parts, &peer);
    let role = ServerSession::new(endpoint.core.clone(), peer.clone());
    let transport = Transport::new(Posted(to_read), Written(written));
    tokio::spawn(run(peer, transport, role));
    // Relative, so that it is right behind every prefix.
    let first = format!("event: endpoint\ndata: messages?sessionId={id}\n\n").into();
    let source = Source::Connection(Sent {
        first: Some(first),
        to_send,
        _open: Open { id, endpoint: endpoint.clone() },
    });
    Ok(reply::events(Events::new(source, limits.http.keep_alive)))
}

/// What the server sends on a connection.
pub(super) struct Sent {
    first: Option<Bytes>,
    to_send: mpsc::Receiver<Bytes>,
    _open: Open,
}

/// Ends a connection when its client is gone: nothing can be posted any more, so the loop ends.
struct Open {
    id: Arc<str>,
    endpoint: Arc<Endpoint>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.endpoint.connections.open().remove(&self.id);
    }
}

impl Sent {
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Next::More(first));
        }
        self.to_send.poll_recv(cx).map(|chunk| match chunk {
            Some(chunk) => Next::More(chunk),
            None => Next::Last(Bytes::new()),
        })
    }
}

struct Posted(mpsc::Receiver<Bytes>);

impl FrameReader for Posted {
    async fn read(&mut self, items: &mut Vec<Incoming>) -> io::Result<()> {
        items.extend(self.0.recv().await.map(Incoming::Frame));
        Ok(())
    }
}

struct Written(mpsc::Sender<Bytes>);

impl FrameWriter for Written {
    async fn write(&mut self, frames: &mut Vec<Bytes>) -> io::Result<()> {
        let mut chunk = BytesMut::new();
        for frame in frames.drain(..) {
            write_message(&mut chunk, None, &frame);
        }
        let sent = self.0.send(chunk.freeze()).await;
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
