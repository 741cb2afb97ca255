//! One timer for all that wait equally long.
//!
//! Nearly every request is answered long before it has to become a stream. A timer for each would be
//! the next one due whenever a request comes, so that the runtime, which is about to sleep until a
//! later one, had to be woken for it: two system calls for nothing. This one is set when it rang last
//! or nobody was waiting, and looks then who is still there.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;

/// Rings for each who waits, `patience` after the wait began.
pub(super) struct Alarm {
    patience: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Who waits, in the order in which they are due. The number tells those apart who are due at once.
    waiting: BTreeMap<(Instant, u64), Waker>,
    next: u64,
    /// Whether a task waits for the first of them, or for one that is gone.
    is_set: bool,
}

/// A wait. Dropping it ends it.
pub(super) struct Ring<'a> {
    alarm: &'a Arc<Alarm>,
    key: Option<(Instant, u64)>,
}

impl Alarm {
    pub(super) fn new(patience: Duration) -> Arc<Self> {
        Arc::new(Alarm { patience, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    /// Resolves after the patience; it begins with the first poll.
    pub(super) fn ring(self: &Arc<Self>) -> Ring<'_> {
        Ring { alarm: self, key: None }
    }

    /// Wakes those who are due. Returns when the next one is.
    fn wake_due(&self) -> Option<Instant> {
        let now = Instant::now();
        loop {
            let mut state = self.state();
            let Some(first) = state.waiting.first_entry() else {
                state.is_set = false;
                return None;
            };
            let due = first.key().0;
            if due > now {
                return Some(due);
            }
            let waker = first.remove();
            drop(state);
            waker.wake();
        }
    }
}

/// Waits for whoever is due next, until nobody is left.
struct Watch(Option<Arc<Alarm>>);

impl Watch {
    async fn run(mut self, mut due: Instant) {
        while let Some(alarm) = &self.0 {
            tokio::time::sleep_until(due).await;
            match alarm.wake_due() {
                Some(next) => due = next,
                None => self.0 = None,
            }
        }
    }
}

impl Drop for Watch {
    /// Its runtime ended. The service may live on in another, where the alarm is set anew.
    fn drop(&mut self) {
        let Some(alarm) = &self.0 else { return };
        let mut state = alarm.state();
        state.is_set = false;
        let left = std::mem::take(&mut state.waiting);
        drop(state);
        // They look again, and set it.
        left.into_values().for_each(Waker::wake);
    }
}

impl Future for Ring<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let alarm = self.alarm;
        let mut state = alarm.state();
        let key = match self.key {
            Some(key) if key.0 <= Instant::now() => return Poll::Ready(()),
            Some(key) => key,
            None => {
                state.next += 1;
                (Instant::now() + alarm.patience, state.next)
            }
        };
        match state.waiting.get_mut(&key) {
            Some(waker) => waker.clone_from(cx.waker()),
            None => drop(state.waiting.insert(key, cx.waker().clone())),
        }
        let set = std::mem::replace(&mut state.is_set, true);
        drop(state);
        if !set {
            tokio::spawn(Watch(Some(alarm.clone())).run(key.0));
        }
        self.key = Some(key);
        Poll::Pending
    }
}

impl Drop for Ring<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.alarm.state().waiting.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(2);

    #[tokio::test(start_paused = true)]
    async fn it_rings_for_each_in_its_time() {
        let alarm = Alarm::new(PATIENCE);
        let started = Instant::now();
        let rung = |delay: u64| {
            let alarm = alarm.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(delay)).await;
                alarm.ring().await;
                started.elapsed().as_millis()
            }
        };
        let (a, b, c) = tokio::join!(rung(0), rung(500), rung(500));
        assert_eq!((a, b, c), (2_000, 2_500, 2_500));
        // Nobody waits, so nothing does; and it can be set again.
        assert!(!alarm.state().is_set && alarm.state().waiting.is_empty());
        alarm.ring().await;
        assert_eq!(started.elapsed().as_millis(), 4_500);
    }

    /// Who leaves early leaves nothing behind, and does not make it ring too early for the next.
    #[tokio::test(start_paused = true)]
    async fn waits_that_end_early_cost_the_others_nothing() {
        let alarm = Alarm::new(PATIENCE);
        let started = Instant::now();
        for _ in 0..100 {
            let quick = tokio::time::timeout(Duration::from_millis(30), alarm.ring());
            assert!(quick.await.is_err());
            assert!(alarm.state().waiting.is_empty());
        }
        assert_eq!(started.elapsed().as_secs(), 3);
        alarm.ring().await;
        assert_eq!(started.elapsed().as_secs(), 5);
    }

    /// A service may outlive the runtime that its alarm was set in.
    #[test]
    fn it_is_set_anew_in_another_runtime() {
        let alarm = Alarm::new(Duration::from_millis(20));
        let runtime = || {
            let mut builder = tokio::runtime::Builder::new_current_thread();
            builder.enable_time().start_paused(true).build().unwrap()
        };
        runtime().block_on(async {
            let mut ring = std::pin::pin!(alarm.ring());
            assert!(polled(ring.as_mut()).await.is_pending());
        });
        assert!(!alarm.state().is_set);
        runtime().block_on(alarm.ring());
    }

    async fn polled(ring: Pin<&mut Ring<'_>>) -> Poll<()> {
        let mut ring = Some(ring);
        std::future::poll_fn(|cx| Poll::Ready(ring.take().expect("polled once").poll(cx))).await
    }
}
