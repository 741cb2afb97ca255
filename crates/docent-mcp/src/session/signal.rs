//! Waiting until something holds.

use tokio::sync::Notify;

/// Wakes those who wait for a condition. Whoever changes what a condition depends on signals
/// afterwards; whoever waits looks again. No change is missed: the waiter is registered before it
/// looks.
#[derive(Default)]
pub(crate) struct Signal(Notify);

impl Signal {
    /// Something changed.
    pub(crate) fn notify(&self) {
        self.0.notify_waiters();
    }

    /// Resolves when `holds` does.
    pub(crate) async fn until(&self, holds: impl Fn() -> bool) {
        self.until_some(|| holds().then_some(())).await;
    }

    /// Resolves when `found` finds something, with that.
    pub(crate) async fn until_some<T>(&self, mut found: impl FnMut() -> Option<T>) -> T {
        loop {
            let changed = self.0.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(found) = found() {
                return found;
            }
            changed.await;
        }
    }
}
