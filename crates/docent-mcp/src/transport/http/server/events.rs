//! A stream of events: messages as they come, and a sign of life when none does.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{BufMut as _, Bytes, BytesMut};
use tokio::time::{Instant, Sleep};

use super::old_sse::Sent;
use super::quota::Permit;
use super::stream::{Next, Reader};
use crate::jsonrpc::Id;
use crate::session::Peer;

/// The events of one answer.
pub(super) struct Events {
    source: Source,
    keep_alive: Duration,
    /// When to say that the stream is alive.
    due: Option<Pin<Box<Sleep>>>,
    ended: bool,
}

pub(super) enum Source {
    /// The answer to one modern request. Whoever drops it no longer wants it.
    Request(OpenRequest),
    /// A stream of a session.
    Session(Reader),
    /// Everything that is sent on a connection of HTTP+SSE.
    Connection(Sent),
}

/// A modern request whose client is still there.
pub(super) struct OpenRequest {
    peer: Arc<Peer>,
    id: Id,
    /// Messages that were taken before it was known that there would be a stream.
    pub(super) taken: Vec<Bytes>,
    /// Given back when the request is over.
    _permit: Permit,
}

impl OpenRequest {
    pub(super) fn new(peer: &Arc<Peer>, id: &Id, permit: Permit) -> Self {
        OpenRequest { peer: peer.clone(), id: id.clone(), taken: Vec::new(), _permit: permit }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let gone = "the client closed the connection".to_owned();
        self.peer.in_flight.cancel(&self.id, Some(gone));
        self.peer.outbox.kill();
    }
}

impl Events {
    pub(super) fn new(source: Source, keep_alive: Duration) -> Self {
        Events { source, keep_alive, due: None, ended: false }
    }

    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let next = match &mut self.source {
            Source::Request(open) => {
                let first = !open.taken.is_empty();
                match first || open.peer.outbox.poll_take(cx, &mut open.taken).is_ready() {
                    false => Poll::Pending,
                    // Nothing was taken: there is nothing more.
                    true if open.taken.is_empty() => Poll::Ready(Next::Last(Bytes::new())),
                    true => Poll::Ready(Next::More(messages(open.taken.drain(..)))),
                }
            }
            Source::Session(reader) => reader.poll_next(cx),
            Source::Connection(sent) => sent.poll_next(cx),
        };
        match next {
            Poll::Ready(Next::More(chunk)) => {
                self.due = None;
                Poll::Ready(Some(chunk))
            }
            Poll::Ready(Next::Last(chunk)) => {
                self.ended = true;
                Poll::Ready((!chunk.is_empty()).then_some(chunk))
            }
            Poll::Pending => self.poll_alive(cx),
        }
    }

    fn poll_alive(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let pause = self.keep_alive;
        let due = self.due.get_or_insert_with(|| Box::pin(tokio::time::sleep(pause)));
        if due.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        due.as_mut().reset(Instant::now() + pause);
        // Registers the timer again; it cannot be due so soon.
        let _ = due.as_mut().poll(cx);
        Poll::Ready(Some(Bytes::from_static(b":\n\n")))
    }
}

/// Messages as events without ids.
fn messages(frames: impl Iterator<Item = Bytes>) -> Bytes {
    let mut chunk = BytesMut::new();
    for frame in frames {
        write_message(&mut chunk, None, &frame);
    }
    chunk.freeze()
}

/// Writes one message as an event. A message is one line: JSON text without line breaks.
pub(super) fn write_message(chunk: &mut BytesMut, id: Option<(u64, u64)>, message: &[u8]) {
    chunk.reserve(message.len() + 64);
    chunk.put_slice(b"event: message\n");
    write_id(chunk, id);
    chunk.put_slice(b"data: ");
    chunk.put_slice(message);
    chunk.put_slice(b"\n\n");
}

/// Writes the id of an event: the stream and the number in it.
pub(super) fn write_id(chunk: &mut BytesMut, id: Option<(u64, u64)>) {
    if let Some((stream, number)) = id {
        chunk.put_slice(format!("id: {stream}-{number}\n").as_bytes());
    }
}
