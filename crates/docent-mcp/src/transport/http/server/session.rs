//! One session of the old era (2025-03-26 to 2025-11-25): who it belongs to, its streams, its end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use tokio::time::Instant;

use super::store::{EventStore, StreamKey};
use super::stream::{Reader, Stream};
use crate::limits::HttpLimits;
use crate::server::ServerSession;
use crate::session::{Peer, Role as _};

pub(super) struct Session {
    /// Nobody can guess it.
    pub(super) id: Arc<str>,
    pub(super) role: Arc<ServerSession>,
    /// Its outbox holds what belongs to no request.
    pub(super) peer: Arc<Peer>,
    store: Arc<dyn EventStore>,
    state: Mutex<State>,
}

struct State {
    /// When the client was last heard of.
    touched: Instant,
    streams: BTreeMap<u64, Arc<Stream>>,
    next_stream: u64,
}

/// The stream of what belongs to no request.
const GENERAL: u64 = 0;

impl Session {
    pub(super) fn new(
        id: Arc<str>,
        role: Arc<ServerSession>,
        peer: Arc<Peer>,
        store: Arc<dyn EventStore>,
    ) -> Arc<Self> {
        let state =
            State { touched: Instant::now(), streams: BTreeMap::new(), next_stream: GENERAL + 1 };
        Arc::new(Session { id, role, peer, store, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    pub(super) fn touch(&self) {
        self.state().touched = Instant::now();
    }

    fn stream(&self, number: u64, peer: Arc<Peer>) -> Arc<Stream> {
        let key = StreamKey { session: self.id.clone(), stream: number };
        Stream::new(key, peer, self.store.clone())
    }

    /// A stream for the answer to a request, which begins with `taken`.
    pub(super) fn open(&self, peer: Arc<Peer>, taken: Vec<Bytes>, limits: &HttpLimits) -> Reader {
        let mut state = self.state();
        let number = state.next_stream;
        state.next_stream += 1;
        let stream = self.stream(number, peer);
        state.streams.insert(number, stream.clone());
        forget_excess(&mut state, limits.streams_kept_max);
        drop(state);
        // An event without a message confuses clients of the revisions that do not know it.
        let primed = self.role.agreed() >= Some(crate::types::Revision::V2025_11_25);
        stream.open(primed, taken)
    }

    /// The stream of what belongs to no request; `None` while somebody reads it.
    pub(super) fn open_general(&self) -> Option<Reader> {
        let mut state = self.state();
        if state.streams.get(&GENERAL).is_some_and(|stream| stream.is_attached()) {
            return None;
        }
        let stream = state
            .streams
            .entry(GENERAL)
            .or_insert_with(|| self.stream(GENERAL, self.peer.clone()))
            .clone();
        drop(state);
        Some(stream.open(false, Vec::new()))
    }

    /// Goes on with a stream after the event of this id; `None` if that is not possible.
    pub(super) fn resume(&self, last_event: &str) -> Option<Reader> {
        let (stream, event) = last_event.split_once('-')?;
        let stream = self.state().streams.get(&stream.parse().ok()?)?.clone();
        stream.resume(event.parse().ok()?)
    }

    /// Forgets streams that nobody came back for. Returns whether the session itself was left
    /// alone for too long.
    pub(super) fn sweep(&self, limits: &HttpLimits) -> bool {
        let mut state = self.state();
        state.streams.retain(|_, stream| {
            let left = stream.left_since();
            left.is_none_or(|left| left.elapsed() < limits.resume_timeout)
        });
        let watched = state.streams.values().any(|stream| stream.is_attached());
        !watched && state.touched.elapsed() >= limits.session_idle_timeout
    }

    /// Tells the client that nothing more will come of itself. What is running is still answered.
    pub(super) fn wind_down(&self) {
        self.role.input_ended();
        self.peer.outbox.finish();
    }

    /// Ends everything that belongs to the session.
    pub(super) fn end(&self) {
        self.role.input_ended();
        for (_, entry) in self.peer.in_flight.take_all() {
            entry.cancel.cancel(Some("the session ended".to_owned()));
            entry.reply_to.deliver(&self.peer.outbox, None);
        }
        let streams = std::mem::take(&mut self.state().streams);
        for stream in streams.into_values() {
            stream.peer.outbox.finish();
        }
        self.peer.outbox.finish();
    }
}

/// Forgets the streams that were left first, when there are too many.
fn forget_excess(state: &mut State, max: usize) {
    // Every call whose answer is a stream comes here, and one stream at most is too many then.
    while state.streams.len() > max {
        let (mut left, mut first) = (0, None);
        for (number, stream) in &state.streams {
            let Some(since) = stream.left_since() else { continue };
            left += 1;
            if first.is_none_or(|(earliest, _)| since < earliest) {
                first = Some((since, *number));
            }
        }
        let Some((_, number)) = first.filter(|_| left > max) else { return };
        if let Some(stream) = state.streams.remove(&number) {
            stream.peer.outbox.kill();
        }
    }
}
