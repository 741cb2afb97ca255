//! The end of a server's patience: whatever is still running then is answered with an error.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Signal;

#[derive(Default)]
pub(crate) struct Ending {
    ended: AtomicBool,
    changed: Signal,
}

impl Ending {
    /// Ends what is running, and everything that would have to wait from now on.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.changed.notify();
    }

    /// Resolves when [`Ending::end`] was called.
    pub(crate) async fn ended(&self) {
        self.changed.until(|| self.ended.load(Ordering::Acquire)).await;
    }
}
