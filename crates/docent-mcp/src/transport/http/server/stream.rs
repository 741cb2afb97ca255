//! A stream of a session: numbered events, and a client that may lose it and take it up again.
//!
//! What a request sends waits in its outbox until a reader takes it. Taking gives it a number and
//! puts it into the store, so a client whose connection broke comes back with the number of the
//! last event it has seen, and a new reader goes on from there. Only the newest reader of a stream
//! is served. While there is none, nothing is lost: it waits, and so does whoever sends too much.

use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};

use bytes::{BufMut as _, Bytes, BytesMut};
use tokio::time::Instant;

use super::events::{write_id, write_message};
use super::store::{EventStore, StreamKey};
use crate::session::Peer;

pub(super) struct Stream {
    pub(super) key: StreamKey,
    pub(super) peer: Arc<Peer>,
    store: Arc<dyn EventStore>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Which reader is served.
    reader: u64,
    /// Whether it is still there.
    attached: bool,
    /// When the last reader went.
    left: Option<Instant>,
    next_event: u64,
}

/// What a reader gets.
pub(super) enum Next {
    More(Bytes),
    Last(Bytes),
}

impl Stream {
    pub(super) fn new(key: StreamKey, peer: Arc<Peer>, store: Arc<dyn EventStore>) -> Arc<Self> {
        Arc::new(Stream { key, peer, store, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    /// Whether somebody reads it.
    pub(super) fn is_attached(&self) -> bool {
        self.state().attached
    }

    /// Since when nobody reads it.
    pub(super) fn left_since(&self) -> Option<Instant> {
        let state = self.state();
        state.left.filter(|_| !state.attached)
    }

    /// The first reader. It begins with `taken`, which left the outbox before there was a stream.
    /// `primed` readers first get an event without a message, so that they know where to resume.
    pub(super) fn open(self: &Arc<Self>, primed: bool, taken: Vec<Bytes>) -> Reader {
        let number = self.attach();
        let mut ready = BytesMut::new();
        if primed {
            let mut state = self.state();
            let event = state.next_event;
            state.next_event += 1;
            drop(state);
            self.store.append(&self.key, event, &Bytes::new());
            self.write(&mut ready, event, &Bytes::new());
        }
        self.number(&mut ready, taken);
        Reader { stream: self.clone(), number, ready, taken: Vec::new() }
    }

    /// A reader that goes on after an event; `None` if that is no longer possible.
    pub(super) fn resume(self: &Arc<Self>, after: u64) -> Option<Reader> {
        let missed = self.store.after(&self.key, after)?;
        let number = self.attach();
        let mut ready = BytesMut::new();
        for (event, message) in missed {
            self.write(&mut ready, event, &message);
        }
        Some(Reader { stream: self.clone(), number, ready, taken: Vec::new() })
    }

    fn attach(&self) -> u64 {
        let mut state = self.state();
        state.reader += 1;
        state.attached = true;
        state.reader
    }

    /// Gives messages their numbers, keeps them and writes them.
    fn number(&self, chunk: &mut BytesMut, messages: Vec<Bytes>) {
        let first = {
            let mut state = self.state();
            let first = state.next_event;
            state.next_event += messages.len() as u64;
            first
        };
        for (event, message) in (first..).zip(&messages) {
            self.store.append(&self.key, event, message);
            self.write(chunk, event, message);
        }
    }

    fn write(&self, chunk: &mut BytesMut, event: u64, message: &Bytes) {
        let id = Some((self.key.stream, event));
        match message.is_empty() {
            true => {
                write_id(chunk, id);
                chunk.put_slice(b"data: \n\n");
            }
            false => write_message(chunk, id, message),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.store.forget(&self.key);
    }
}

/// The one who reads a stream.
pub(super) struct Reader {
    stream: Arc<Stream>,
    number: u64,
    ready: BytesMut,
    taken: Vec<Bytes>,
}

impl Reader {
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        if !self.ready.is_empty() {
            return Poll::Ready(Next::More(self.ready.split().freeze()));
        }
        if self.stream.state().reader != self.number {
            return Poll::Ready(Next::Last(Bytes::new()));
        }
        let outbox = &self.stream.peer.outbox;
        if let Poll::Ready(more) = outbox.poll_take(cx, &mut self.taken) {
            if !more {
                return Poll::Ready(Next::Last(Bytes::new()));
            }
            let mut chunk = BytesMut::new();
            self.stream.number(&mut chunk, std::mem::take(&mut self.taken));
            return Poll::Ready(Next::More(chunk.freeze()));
        }
        match outbox.take_interrupt() {
            Some(pause) => {
                let pause = format!("retry: {}\n\n", pause.as_millis());
                Poll::Ready(Next::Last(pause.into()))
            }
            None => Poll::Pending,
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.stream.state();
        if state.reader == self.number {
            state.attached = false;
            state.left = Some(Instant::now());
        }
    }
}
