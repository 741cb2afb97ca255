//! One connection to a server over HTTP: many requests, made as if it were one pipe.
//!
//! Frames come from the session and each becomes a task that makes an HTTP request; frames that
//! come back go to the session through one queue. Requests are as many as the session lets wait;
//! everything else that goes out is bounded here.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method};
use reqwest::Url;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::endpoint::HttpEndpoint;
use super::mirror::Mirrored;
use super::outgoing::Outgoing;
use super::pool::Pool;
use super::session::Session;
use crate::error::Result;
use crate::jsonrpc::Id;
use crate::limits::Limits;
use crate::session::Cancel;
use crate::transport::{BoxFuture, FrameReader, FrameWriter, Guard, Incoming, Transport};
use crate::types::notification;

/// Frames that may wait for the session, so that a fast server feels a slow client.
const FRAMES_IN_TRANSIT: usize = 64;
/// Notifications and answers that may be on their way at once.
const TELLING_MAX: u32 = 64;

/// How long a connection that is of no use any more refuses what is still queued, at least.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// How answers come back.
pub(super) enum Way {
    /// As the response to the request.
    Streamable,
    /// On a stream of their own; messages go to the address that it named first (2024-11-05).
    OldSse { post_to: Url },
}

pub(super) struct Connection {
    pub(super) endpoint: HttpEndpoint,
    pub(super) http: Pool,
    pub(super) limits: Limits,
    pub(super) session: Session,
    pub(super) way: Way,
    mirrored: Arc<Mirrored>,
    incoming: mpsc::Sender<Incoming>,
    /// Set when no further frame will come.
    ended: Cancel,
    open: Arc<Mutex<Open>>,
    telling: Arc<Semaphore>,
}

/// The tasks that run.
#[derive(Default)]
struct Open {
    requests: HashMap<Id, Request>,
    /// The streams that belong to no request.
    streams: Vec<AbortHandle>,
}

struct Request {
    task: AbortHandle,
    modern: bool,
}

impl Connection {
    /// The connection, and what it brings.
    pub(super) fn new(
        endpoint: &HttpEndpoint,
        limits: &Limits,
        mirrored: &Arc<Mirrored>,
        way: Way,
    ) -> Result<(Arc<Self>, mpsc::Receiver<Incoming>)> {
        let (incoming, items) = mpsc::channel(FRAMES_IN_TRANSIT);
        let connection = Connection {
            endpoint: endpoint.clone(),
            http: endpoint.pool(limits)?,
            limits: limits.clone(),
            session: Session::default(),
            way,
            mirrored: mirrored.clone(),
            incoming,
            ended: Cancel::new(),
            open: Arc::default(),
            telling: Arc::new(Semaphore::new(TELLING_MAX as usize)),
        };
        Ok((Arc::new(connection), items))
    }

    /// A transport over it.
    pub(super) fn transport(self: Arc<Self>, items: mpsc::Receiver<Incoming>) -> Transport {
        let reader = Reader { items, ended: self.ended.clone() };
        Transport::new(reader, Writer(self.clone())).guarded(End(self))
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().expect("no panic while locked")
    }

    /// Where messages go.
    pub(super) fn target(&self) -> &Url {
        match &self.way {
            Way::Streamable => &self.endpoint.url,
            Way::OldSse { post_to } => post_to,
        }
    }

    /// Hands something to the session, waiting while it is busy.
    pub(super) async fn deliver(&self, item: Incoming) {
        let _ = self.incoming.send(item).await;
    }

    /// No further frame will come.
    pub(super) fn end(&self) {
        self.ended.cancel(None);
    }

    /// A request has its answer, or an error.
    pub(super) fn finished(&self, id: &Id) {
        self.open().requests.remove(id);
    }

    /// The server does not know the session any more, or is another one. Requests that wait get
    /// their own refusals; then the connection ends.
    pub(super) fn retire(&self) {
        if !self.session.lose() {
            return;
        }
        tracing::debug!("the server does not know the connection any more");
        let (ended, open) = (self.ended.clone(), self.open.clone());
        let patience = Instant::now() + self.limits.drain_timeout;
        tokio::spawn(async move {
            let is_idle = || open.lock().expect("no panic while locked").requests.is_empty();
            // What was queued meanwhile is refused too, rather than left without a word. A request
            // that hangs must not keep the others from a new connection.
            loop {
                tokio::time::sleep(LAST_WORDS).await;
                if is_idle() || Instant::now() >= patience {
                    return ended.cancel(None);
                }
            }
        });
    }

    fn start(self: &Arc<Self>, outgoing: Outgoing<'_>, id: Id, frame: Bytes) {
        let asked = outgoing.asked(id.clone(), &self.mirrored);
        let modern = asked.modern;
        let connection = self.clone();
        // Locked while it is spawned: it removes itself when it ends.
        let mut open = self.open();
        let task = tokio::spawn(connection.exchange(asked, frame));
        open.requests.insert(id, Request { task: task.abort_handle(), modern });
    }

    /// Keeps a stream that belongs to no request.
    pub(super) fn keep(&self, stream: AbortHandle) {
        self.open().streams.push(stream);
    }

    /// Sends what nobody waits for.
    async fn start_telling(self: &Arc<Self>, frame: Bytes, then: impl FnOnce() + Send + 'static) {
        let permit = self.telling.clone().acquire_owned().await;
        let connection = self.clone();
        tokio::spawn(async move {
            connection.tell(frame).await;
            drop(permit);
            then();
        });
    }

    /// Takes a request back. In a modern exchange, closing the stream says it all; a session wants
    /// to be told, and nobody reads the stream any longer.
    async fn cancel(self: &Arc<Self>, id: Option<Id>, frame: Bytes) {
        let request = id.and_then(|id| self.open().requests.remove(&id));
        match request {
            Some(Request { task, modern: true }) => task.abort(),
            Some(Request { task, .. }) => self.start_telling(frame, move || task.abort()).await,
            None if self.session.exists() || matches!(self.way, Way::OldSse { .. }) => {
                self.start_telling(frame, || ()).await;
            }
            // A modern request that is over: there is nothing to take back.
            None => {}
        }
    }

    async fn write(self: &Arc<Self>, frame: Bytes) {
        let Some(outgoing) = Outgoing::read(&frame) else {
            return self.start_telling(frame, || ()).await;
        };
        match (outgoing.method(), outgoing.id.clone()) {
            (Some(_), Some(id)) => self.start(outgoing, id, frame.clone()),
            (Some(notification::CANCELLED), None) => {
                let id = outgoing.cancelled();
                self.cancel(id, frame.clone()).await;
            }
            // Everything after this one counts on the server having it.
            (Some(notification::INITIALIZED), None) => {
                self.tell(frame.clone()).await;
                if matches!(self.way, Way::Streamable) {
                    let (opening, opened) = oneshot::channel();
                    let listening = tokio::spawn(self.clone().listen(opening));
                    self.keep(listening.abort_handle());
                    // What the server asks during the first call may come by that stream.
                    let _ =
                        tokio::time::timeout(self.limits.http.stream_open_timeout, opened).await;
                }
            }
            _ => self.start_telling(frame.clone(), || ()).await,
        }
    }

    /// Stops everything that runs.
    fn stop(&self) {
        let open = std::mem::take(&mut *self.open());
        for task in open.requests.into_values().map(|request| request.task).chain(open.streams) {
            task.abort();
        }
    }
}

struct Reader {
    items: mpsc::Receiver<Incoming>,
    ended: Cancel,
}

impl FrameReader for Reader {
    async fn read(&mut self, items: &mut Vec<Incoming>) -> io::Result<()> {
        tokio::select! {
            biased;
            item = self.items.recv() => items.extend(item),
            () = self.ended.cancelled() => {}
        }
        while let Ok(item) = self.items.try_recv() {
            items.push(item);
        }
        Ok(())
    }
}

struct Writer(Arc<Connection>);

impl FrameWriter for Writer {
    async fn write(&mut self, frames: &mut Vec<Bytes>) -> io::Result<()> {
        for frame in frames.drain(..) {
            self.0.write(frame).await;
        }
        Ok(())
    }

    async fn close(&mut self) -> io::Result<()> {
        // Whoever holds all permits knows that nothing is on its way.
        let _ = self.0.telling.acquire_many(TELLING_MAX).await;
        Ok(())
    }
}

/// Ends the connection with the session of the protocol, also when its task was dropped.
struct End(Arc<Connection>);

impl Guard for End {
    fn end(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.0.stop();
            if self.0.session.needs_end() {
                let mut headers = HeaderMap::new();
                self.0.session.apply(&mut headers);
                let url = &self.0.endpoint.url;
                let leaving = self.0.send(None, Method::DELETE, url, &headers, None);
                // Not every server lets clients end sessions, and none has to hear of it.
                let left = tokio::time::timeout(self.0.limits.flush_timeout, leaving).await;
                tracing::debug!(?left, "left the session");
            }
        })
    }

    fn explain(&self) -> Option<String> {
        self.0.session.is_gone().then(|| "the server has lost the session".to_owned())
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.0.stop();
    }
}
