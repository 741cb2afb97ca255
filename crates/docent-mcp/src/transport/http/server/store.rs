//! Events that were sent, kept so that a client whose connection broke can have them again.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use bytes::Bytes;

use crate::limits::HttpLimits;

/// Which stream an event belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StreamKey {
    /// The session. Nobody else can guess it.
    pub session: std::sync::Arc<str>,
    /// The stream within the session.
    pub stream: u64,
}

/// Keeps what was sent to the streams of sessions (2025-03-26 to 2025-11-25).
///
/// Called while a stream is written: an implementation that stores elsewhere answers from memory
/// and writes behind.
pub trait EventStore: Send + Sync + 'static {
    /// Keeps an event. The numbers of a stream grow by one.
    fn append(&self, key: &StreamKey, number: u64, event: &Bytes);
    /// The events after `number`, oldest first; `None` if some of them are no longer kept.
    fn after(&self, key: &StreamKey, number: u64) -> Option<Vec<(u64, Bytes)>>;
    /// Forgets a stream.
    fn forget(&self, key: &StreamKey);
}

/// An [`EventStore`] in memory, bounded by bytes for each stream and for all of them.
pub struct MemoryEvents {
    kept: Mutex<Kept>,
    stream_bytes_max: usize,
    streams_bytes_max: usize,
}

#[derive(Default)]
struct Kept {
    streams: HashMap<StreamKey, Log>,
    bytes: usize,
}

#[derive(Default)]
struct Log {
    /// The number of the first event that is kept.
    first: u64,
    events: VecDeque<Bytes>,
    bytes: usize,
}

/// What an event costs beside its own bytes.
const OVERHEAD: usize = 64;

impl MemoryEvents {
    /// An empty store with these bounds.
    pub fn new(limits: &HttpLimits) -> Self {
        MemoryEvents {
            kept: Mutex::default(),
            stream_bytes_max: limits.stream_bytes_max,
            streams_bytes_max: limits.streams_bytes_max,
        }
    }
}

impl Log {
    /// Drops the oldest event. Returns what that freed.
    fn shift(&mut self) -> usize {
        let Some(event) = self.events.pop_front() else { return 0 };
        self.first += 1;
        let freed = event.len() + OVERHEAD;
        self.bytes -= freed;
        freed
    }
}

impl EventStore for MemoryEvents {
    fn append(&self, key: &StreamKey, number: u64, event: &Bytes) {
        let mut kept = self.kept.lock().expect("no panic while locked");
        let cost = event.len() + OVERHEAD;
        let full = kept.bytes + cost > self.streams_bytes_max;
        let log = kept.streams.entry(key.clone()).or_default();
        if log.events.is_empty() {
            log.first = number;
        }
        log.events.push_back(event.clone());
        log.bytes += cost;
        let mut freed = 0;
        while log.bytes > self.stream_bytes_max {
            freed += log.shift();
        }
        // When all streams together keep too much, the one that grows gives way.
        while full && freed < cost && !log.events.is_empty() {
            freed += log.shift();
        }
        kept.bytes = kept.bytes + cost - freed;
    }

    fn after(&self, key: &StreamKey, number: u64) -> Option<Vec<(u64, Bytes)>> {
        let kept = self.kept.lock().expect("no panic while locked");
        let log = kept.streams.get(key)?;
        let next = number.checked_add(1)?;
        let skip = next.checked_sub(log.first)?;
        let skip = usize::try_from(skip).ok().filter(|skip| *skip <= log.events.len())?;
        Some((next..).zip(log.events.iter().skip(skip).cloned()).collect())
    }

    fn forget(&self, key: &StreamKey) {
        let mut kept = self.kept.lock().expect("no panic while locked");
        if let Some(log) = kept.streams.remove(key) {
            kept.bytes -= log.bytes;
        }
    }
}

impl std::fmt::Debug for MemoryEvents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryEvents").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(session: &str) -> StreamKey {
        StreamKey { session: session.into(), stream: 1 }
    }

    fn numbers(store: &MemoryEvents, session: &str, after: u64) -> Option<Vec<u64>> {
        let events = store.after(&key(session), after)?;
        Some(events.into_iter().map(|(number, _)| number).collect())
    }

    #[test]
    fn what_is_kept_is_bounded_and_gaps_are_said() {
        let limits = HttpLimits {
            stream_bytes_max: 3 * (OVERHEAD + 10),
            streams_bytes_max: 5 * (OVERHEAD + 10),
            ..HttpLimits::default()
        };
        let store = MemoryEvents::new(&limits);
        let event = Bytes::from_static(b"0123456789");
        for number in 0..5 {
            store.append(&key("a"), number, &event);
        }
        assert_eq!(numbers(&store, "a", 1), Some(vec![2, 3, 4]));
        assert_eq!(numbers(&store, "a", 0), None, "event 1 is gone");
        assert_eq!(numbers(&store, "a", 4), Some(vec![]));
        assert_eq!(numbers(&store, "a", 5), None, "an event that never was");
        assert_eq!(numbers(&store, "a", u64::MAX), None);
        for number in 0..3 {
            store.append(&key("b"), number, &event);
        }
        assert_eq!(numbers(&store, "b", 0), Some(vec![1, 2]), "full: the one that grows gives way");
        assert_eq!(numbers(&store, "a", 1), Some(vec![2, 3, 4]));
        store.forget(&key("a"));
        assert_eq!(numbers(&store, "a", 3), None);
        store.forget(&key("b"));
        assert_eq!(store.kept.lock().unwrap().bytes, 0);
    }
}
