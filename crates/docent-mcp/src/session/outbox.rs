//! Frames on their way to the peer.
//!
//! Answers are pushed without waiting: their number is bounded by the requests in flight.
//! Everything a handler sends on its own account waits while too many bytes are queued, so a peer
//! that does not read slows its own requests down and nobody else's. Notifications that only say
//! "something changed" are queued once, however often it changes before the peer reads.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
#[cfg(feature = "http")]
use std::time::Duration;

use bytes::Bytes;

use super::Signal;
use crate::error::{Error, Result};

pub(crate) struct Outbox {
    state: Mutex<State>,
    drained: Signal,
    bytes_max: usize,
}

#[derive(Default)]
struct State {
    frames: Vec<Bytes>,
    queued_bytes: usize,
    /// Bytes that the writer took and has not reported as written.
    taken_bytes: usize,
    /// How often the writer took something.
    batches: u64,
    /// Keys of queued notifications that need not be queued again.
    once: HashSet<String>,
    writer: Option<Waker>,
    phase: Phase,
    /// Set when the reader should go and come back after this time.
    #[cfg(feature = "http")]
    interrupted: Option<Duration>,
}

#[derive(Default, PartialEq, Clone, Copy)]
enum Phase {
    #[default]
    Open,
    /// Nothing more is accepted; what is queued is still written.
    Finishing,
    /// The peer is out of reach.
    Dead,
}

impl Outbox {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Outbox { state: Mutex::default(), drained: Signal::default(), bytes_max }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    /// Queues a frame at once. Returns whether it was accepted.
    pub(crate) fn push(&self, frame: Bytes) -> bool {
        let mut state = self.state();
        if state.phase != Phase::Open {
            return false;
        }
        state.queue(frame);
        true
    }

    /// Queues the last frame there will be. Whoever takes it sees that it is the last.
    pub(crate) fn push_last(&self, frame: Option<Bytes>) {
        let mut state = self.state();
        if state.phase != Phase::Open {
            return;
        }
        state.phase = Phase::Finishing;
        match frame {
            Some(frame) => state.queue(frame),
            None => state.wake(),
        }
        drop(state);
        self.drained.notify();
    }

    /// Whether everything there will ever be was taken.
    #[cfg(feature = "http")]
    pub(crate) fn is_exhausted(&self) -> bool {
        let state = self.state();
        state.phase != Phase::Open && state.frames.is_empty()
    }

    /// Sends the reader away, to come back after `pause`.
    #[cfg(feature = "http")]
    pub(crate) fn interrupt(&self, pause: Duration) {
        let mut state = self.state();
        state.interrupted = Some(pause);
        state.wake();
    }

    /// Whether the reader should go.
    #[cfg(feature = "http")]
    pub(crate) fn is_interrupted(&self) -> bool {
        self.state().interrupted.is_some()
    }

    /// For the reader: whether to go, and after what time to come back.
    #[cfg(feature = "http")]
    pub(crate) fn take_interrupt(&self) -> Option<Duration> {
        self.state().interrupted.take()
    }

    /// Queues a frame unless one with the same key is still queued.
    pub(crate) fn push_once(&self, key: &str, frame: Bytes) {
        let mut state = self.state();
        if state.phase == Phase::Open && state.once.insert(key.to_owned()) {
            state.queue(frame);
        }
    }

    /// Queues a frame once there is room for it.
    pub(crate) async fn send(&self, frame: Bytes) -> Result<()> {
        let queued = self.drained.until_some(|| {
            let mut state = self.state();
            if state.phase != Phase::Open {
                return Some(Err(Error::closed()));
            }
            let room = state.queued_bytes + state.taken_bytes < self.bytes_max;
            room.then(|| {
                state.queue(frame.clone());
                Ok(())
            })
        });
        queued.await
    }

    /// Whether so much is queued that no new work should be started.
    pub(crate) fn is_full(&self) -> bool {
        let state = self.state();
        state.queued_bytes + state.taken_bytes >= self.bytes_max.saturating_mul(4)
    }

    /// Resolves when the outbox is no longer [full](Outbox::is_full), or closed.
    pub(crate) async fn not_full(&self) {
        self.drained.until(|| !self.is_full()).await;
    }

    /// Accepts nothing more; the writer ends when everything is written.
    pub(crate) fn finish(&self) {
        self.end(Phase::Finishing);
    }

    /// Drops everything: the peer is out of reach.
    pub(crate) fn kill(&self) {
        let mut state = self.state();
        state.frames.clear();
        state.queued_bytes = 0;
        state.taken_bytes = 0;
        drop(state);
        self.end(Phase::Dead);
    }

    fn end(&self, phase: Phase) {
        let mut state = self.state();
        if state.phase != Phase::Dead {
            state.phase = phase;
        }
        if let Some(writer) = state.writer.take() {
            writer.wake();
        }
        drop(state);
        self.drained.notify();
    }

    /// How often the writer took something: a measure of its progress.
    pub(crate) fn batches(&self) -> u64 {
        self.state().batches
    }

    /// Resolves when nothing more is accepted.
    pub(crate) async fn finished(&self) {
        self.drained.until(|| self.state().phase != Phase::Open).await;
    }

    /// For the writer: the frames that are queued, or `false` when there will be no more. The
    /// previous ones count as written.
    pub(crate) fn poll_take(&self, cx: &mut Context<'_>, frames: &mut Vec<Bytes>) -> Poll<bool> {
        let mut state = self.state();
        let written = std::mem::take(&mut state.taken_bytes);
        let next = if !state.frames.is_empty() {
            std::mem::swap(&mut state.frames, frames);
            state.taken_bytes = std::mem::take(&mut state.queued_bytes);
            state.batches += 1;
            state.once.clear();
            Poll::Ready(true)
        } else if state.phase != Phase::Open {
            Poll::Ready(false)
        } else {
            if !state.writer.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                state.writer = Some(cx.waker().clone());
            }
            Poll::Pending
        };
        drop(state);
        if written > 0 {
            self.drained.notify();
        }
        next
    }
}

impl State {
    fn queue(&mut self, frame: Bytes) {
        self.queued_bytes += frame.len();
        self.frames.push(frame);
        // The waker stays: the writer is woken at most once per poll, and re-registering costs
        // more than a wake of a task that is running already.
        if self.frames.len() == 1 {
            self.wake();
        }
    }

    fn wake(&self) {
        if let Some(writer) = &self.writer {
            writer.wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::*;

    fn take(outbox: &Outbox) -> Option<Vec<Bytes>> {
        let mut frames = Vec::new();
        let mut context = Context::from_waker(Waker::noop());
        match outbox.poll_take(&mut context, &mut frames) {
            Poll::Ready(true) => Some(frames),
            _ => None,
        }
    }

    /// Up to the limit there is room for one more frame; at the limit a sender waits until what
    /// the writer took was written.
    #[tokio::test]
    async fn senders_wait_at_the_limit_and_answers_do_not() {
        let outbox = Outbox::new(10);
        outbox.send(Bytes::from_static(b"123456789")).await.unwrap();
        outbox.send(Bytes::from_static(b"0")).await.unwrap();
        let mut waiting = std::pin::pin!(outbox.send(Bytes::from_static(b"next")));
        let mut context = Context::from_waker(Waker::noop());
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        assert!(outbox.push(Bytes::from_static(b"an answer")));
        assert_eq!(take(&outbox).unwrap().len(), 3);
        assert!(waiting.as_mut().poll(&mut context).is_pending(), "taken, but not written yet");
        assert_eq!(take(&outbox), None);
        waiting.await.unwrap();
        assert_eq!(take(&outbox).unwrap(), ["next"]);
    }

    #[tokio::test]
    async fn the_same_change_is_queued_once_until_it_is_taken() {
        let outbox = Outbox::new(1000);
        for _ in 0..3 {
            outbox.push_once("tools", Bytes::from_static(b"tools changed"));
            outbox.push_once("prompts", Bytes::from_static(b"prompts changed"));
        }
        assert_eq!(take(&outbox).unwrap().len(), 2);
        outbox.push_once("tools", Bytes::from_static(b"tools changed"));
        assert_eq!(take(&outbox).unwrap().len(), 1);
    }

    #[tokio::test]
    async fn nothing_is_accepted_after_the_end_but_what_is_queued_is_delivered() {
        let outbox = Outbox::new(1000);
        outbox.push(Bytes::from_static(b"last"));
        outbox.finish();
        assert!(!outbox.push(Bytes::from_static(b"late")));
        assert!(outbox.send(Bytes::from_static(b"late")).await.unwrap_err().is_closed());
        assert_eq!(take(&outbox).unwrap(), ["last"]);
        assert_eq!(take(&outbox), None);
    }
}
