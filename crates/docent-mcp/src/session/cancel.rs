//! A request's "stop": heard by its handler, which may tidy up, and by its job, which then drops
//! the handler whether it listens or not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use super::Signal;

/// Tells whether a request was cancelled. Clones are the same request's.
#[derive(Clone, Default)]
pub struct Cancel(Arc<State>);

#[derive(Default)]
struct State {
    cancelled: AtomicBool,
    reason: Mutex<Option<String>>,
    waiting: Signal,
    job: Mutex<Option<Waker>>,
}

impl Cancel {
    /// A request that was not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels, with an optional reason for people.
    pub fn cancel(&self, reason: Option<String>) {
        *self.0.reason.lock().expect("no panic while locked") = reason;
        self.0.cancelled.store(true, Ordering::Release);
        self.0.waiting.notify();
        if let Some(job) = self.0.job.lock().expect("no panic while locked").take() {
            job.wake();
        }
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// The reason that was given, if any.
    pub fn reason(&self) -> Option<String> {
        self.0.reason.lock().expect("no panic while locked").clone()
    }

    /// Resolves when it is cancelled.
    pub async fn cancelled(&self) {
        self.0.waiting.until(|| self.is_cancelled()).await;
    }

    /// [`Cancel::cancelled`] for the job, without an allocation per request.
    pub(super) fn poll_job(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut job = self.0.job.lock().expect("no panic while locked");
        if self.is_cancelled() {
            return Poll::Ready(());
        }
        if !job.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            *job = Some(cx.waker().clone());
        }
        Poll::Pending
    }
}

impl std::fmt::Debug for Cancel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cancel").field("cancelled", &self.is_cancelled()).finish()
    }
}
