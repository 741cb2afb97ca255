//! When a server ends unexpectedly: start it again and renew what was watched.
//!
//! Requests that were open get an error, because nobody knows what became of them. The next
//! request, or a watched resource, starts the server again; after several failures in a row it
//! stays down for a growing time, so a server that dies at once costs next to nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::link::Link;
use super::{Client, ServerEvent, connect};
use crate::error::{Error, Result};

/// The longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// A connection that lasted this long clears the record.
const SETTLED: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(crate) struct Supervisor {
    closing: AtomicBool,
    /// True while a connection's loop is running.
    running: AtomicBool,
    changed: Notify,
    /// Held while the server is started again, so that it happens once for all who wait.
    restarting: tokio::sync::Mutex<Record>,
}

/// How restarting went so far.
#[derive(Default)]
struct Record {
    failures: u32,
    opened_at: Option<Instant>,
}

impl Supervisor {
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Release);
        self.changed.notify_waiters();
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Resolves when the connection and all behind it are gone.
    pub(crate) async fn ended(&self) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if !self.running.load(Ordering::Acquire) {
                return;
            }
            changed.await;
        }
    }
}

impl Client {
    /// An open connection, made anew if need be and possible.
    pub(super) async fn link(&self) -> Result<Arc<Link>> {
        let link = self.current();
        match link.is_open() {
            true => Ok(link),
            false => self.reopen(true).await,
        }
    }

    /// Watches a connection until it ends.
    pub(super) fn supervise(&self, running: JoinHandle<Result<()>>) {
        self.inner.supervisor.running.store(true, Ordering::Release);
        // Only a weak hold: a client that nobody uses any more is dropped, and that closes it.
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            let ended = running.await;
            let Some(inner) = inner.upgrade() else { return };
            let client = Client { inner };
            client.inner.supervisor.running.store(false, Ordering::Release);
            client.inner.supervisor.changed.notify_waiters();
            tracing::debug!(?ended, "a connection ended");
            if !client.inner.watched.is_empty() {
                while !client.inner.supervisor.is_closing() && client.reopen(false).await.is_err() {
                }
            }
        });
    }

    /// Connects again. With `at_once`, an attempt that is not due yet is refused instead of
    /// awaited.
    async fn reopen(&self, at_once: bool) -> Result<Arc<Link>> {
        let inner = &self.inner;
        if inner.supervisor.is_closing() || !inner.settings.restart || !inner.source.is_reusable() {
            return Err(Error::closed());
        }
        let mut record = inner.supervisor.restarting.lock().await;
        let current = self.current();
        if current.is_open() {
            return Ok(current);
        }
        if record.opened_at.is_some_and(|opened_at| opened_at.elapsed() > SETTLED) {
            record.failures = 0;
        }
        let due = record.opened_at.map(|opened_at| opened_at + pause(record.failures));
        if let Some(due) = due.filter(|due| *due > Instant::now()) {
            if at_once {
                let message = "the server keeps ending and is not started again yet";
                return Err(Error::new(crate::ErrorKind::Closed, message));
            }
            tokio::select! {
                () = tokio::time::sleep_until(due) => {}
                () = inner.supervisor.changed.notified() => return Err(Error::closed()),
            }
        }
        record.opened_at = Some(Instant::now());
        record.failures += 1;
        inner.cache.clear();
        let connected = connect::connect(&inner.settings, &inner.source, &inner.cache).await?;
        let link = connected.link.clone();
        *inner.link.write().expect("no panic while locked") = link.clone();
        self.supervise(connected.running);
        drop(record);
        self.renew_subscriptions(&link).await;
        inner.settings.handlers.tell(ServerEvent::Restarted);
        Ok(link)
    }
}

/// How long to wait before the next attempt: none after the first failure, then doubling.
fn pause(failures: u32) -> Duration {
    match failures {
        0 | 1 => Duration::ZERO,
        failures => {
            (Duration::from_millis(100) * 2u32.saturating_pow(failures.min(10))).min(PAUSE_MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_stop_growing() {
        assert_eq!(pause(1), Duration::ZERO);
        assert!(pause(2) < pause(3));
        assert_eq!(pause(u32::MAX), PAUSE_MAX);
    }
}
