//! When a server ends unexpectedly: start it again and renew what was watched.
//!
//! Requests that were open get an error, because nobody knows what became of them. The next
//! request, or a watched resource, starts the server again; after several failures in a row it
//! stays down for a growing time, so a server that dies at once costs next to nothing.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::connect::{self, Connected};
use super::link::Link;
use super::{Client, Inner, ServerEvent};
use crate::error::{Error, Result};
use crate::session::{Role as _, Signal};

/// The longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// What lasted this long clears the record.
const SETTLED: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(crate) struct Supervisor {
    closing: AtomicBool,
    /// How many connections' loops are running: one that is of no use any more may still be
    /// ending while the next one is open.
    running: AtomicUsize,
    changed: Signal,
    /// Held while the server is started again, so that it happens once for all who wait.
    restarting: tokio::sync::Mutex<()>,
    attempts: Mutex<Attempts>,
}

impl Supervisor {
    /// No connection is opened any more. Resolves when none is being opened.
    pub(crate) async fn close(&self) {
        self.close_now();
        drop(self.restarting.lock().await);
    }

    pub(crate) fn close_now(&self) {
        self.closing.store(true, Ordering::Release);
        self.changed.notify();
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    async fn closing(&self) {
        self.changed.until(|| self.is_closing()).await;
    }

    /// Resolves when the connection and all behind it are gone.
    pub(crate) async fn ended(&self) {
        self.changed.until(|| self.running.load(Ordering::Acquire) == 0).await;
    }

    fn due(&self) -> Instant {
        self.attempts.lock().expect("no panic while locked").due()
    }
}

impl Client {
    /// An open connection, made anew if need be and possible.
    pub(super) async fn link(&self) -> Result<Arc<Link>> {
        let link = self.current();
        match link.is_open() {
            true => Ok(link),
            false => self.reopen().await,
        }
    }

    /// Watches a connection until it ends.
    pub(super) fn supervise(&self, connected: Connected) -> Arc<Link> {
        self.inner.supervisor.running.fetch_add(1, Ordering::AcqRel);
        let (link, running) = connected.release();
        // Only a weak hold: a client that nobody uses any more is dropped, and that closes it.
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn({
            let link = link.clone();
            async move {
                let ended = running.await;
                tracing::debug!(?ended, "a connection ended");
                // A loop that panicked, because its transport did, could tell nobody.
                link.input_ended();
                link.peer.pending.end("the connection failed unexpectedly");
                let Some(inner) = inner.upgrade() else { return };
                let client = Client { inner };
                client.inner.supervisor.running.fetch_sub(1, Ordering::AcqRel);
                client.inner.supervisor.changed.notify();
                if !client.inner.watched.is_empty() {
                    keep_watching(client).await;
                }
            }
        });
        link
    }

    fn can_reopen(&self) -> bool {
        let Inner { supervisor, settings, source, .. } = &*self.inner;
        !supervisor.is_closing() && settings.restart && source.is_reusable()
    }

    /// Connects again, unless it is too early for that.
    async fn reopen(&self) -> Result<Arc<Link>> {
        let inner = &self.inner;
        let supervisor = &inner.supervisor;
        let restarting = supervisor.restarting.lock().await;
        if !self.can_reopen() {
            return Err(Error::closed());
        }
        let current = self.current();
        if current.is_open() {
            return Ok(current);
        }
        let attempt = supervisor.attempts.lock().expect("no panic while locked").start();
        if attempt.is_err() {
            let message = "the server keeps ending and is not started again yet";
            return Err(Error::new(crate::ErrorKind::Closed, message));
        }
        inner.cache.clear();
        let connected = tokio::select! {
            biased;
            () = supervisor.closing() => return Err(Error::closed()),
            connected = connect::connect(&inner.settings, &inner.source, &inner.cache) => connected?,
        };
        supervisor.attempts.lock().expect("no panic while locked").succeeded();
        let link = self.supervise(connected);
        *inner.link.write().expect("no panic while locked") = link.clone();
        drop(restarting);
        // In a task, because whoever called may lose patience, and what is watched is everybody's.
        let renewing = {
            let (client, link) = (self.clone(), link.clone());
            async move {
                client.renew(&link).await;
                client.inner.settings.handlers.tell(ServerEvent::Restarted);
            }
        };
        let _ = tokio::spawn(renewing).await;
        Ok(link)
    }
}

/// Connects again for the sake of what is watched, however often that takes, as long as somebody
/// holds the client.
async fn keep_watching(client: Client) {
    let inner: Weak<Inner> = Arc::downgrade(&client.inner);
    let mut client = Some(client);
    while let Some(client) = client.take().or_else(|| inner.upgrade().map(|inner| Client { inner }))
    {
        if !client.can_reopen() || client.current().is_open() || client.reopen().await.is_ok() {
            return;
        }
        let due = client.inner.supervisor.due();
        drop(client);
        tokio::time::sleep_until(due).await;
    }
}

/// How often something was tried in a row, and when it may be tried again.
#[derive(Default)]
pub(crate) struct Attempts {
    count: u32,
    last: Option<Instant>,
    succeeded: bool,
}

impl Attempts {
    /// Counts an attempt, or says when the next one is due.
    pub(crate) fn start(&mut self) -> Result<(), Instant> {
        let due = self.due();
        if due > Instant::now() {
            return Err(due);
        }
        *self = Attempts { count: self.count + 1, last: Some(Instant::now()), succeeded: false };
        Ok(())
    }

    pub(crate) fn succeeded(&mut self) {
        self.succeeded = true;
    }

    /// When the next attempt is due.
    pub(crate) fn due(&mut self) -> Instant {
        let now = Instant::now();
        let Some(last) = self.last else { return now };
        if self.succeeded && last.elapsed() > SETTLED {
            *self = Attempts::default();
            return now;
        }
        last + pause(self.count)
    }

    /// How many attempts were made in a row.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }
}

/// How long to wait before the next attempt: not at all after the first one, then doubling.
fn pause(attempts: u32) -> Duration {
    match attempts {
        0 | 1 => Duration::ZERO,
        attempts => {
            (Duration::from_millis(100) * 2u32.saturating_pow(attempts.min(10))).min(PAUSE_MAX)
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

    #[tokio::test(start_paused = true)]
    async fn attempts_can_go_on_for_days() {
        let mut attempts = Attempts::default();
        for n in 0..10_000 {
            assert_eq!(attempts.count(), n);
            attempts.start().unwrap();
            tokio::time::advance(PAUSE_MAX).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_lasted_clears_the_record() {
        let mut attempts = Attempts::default();
        let mut failed = |seconds| {
            attempts.start().unwrap();
            attempts.succeeded = seconds > 0;
            seconds
        };
        for _ in 0..2 {
            tokio::time::advance(Duration::from_secs(failed(0))).await;
        }
        assert_eq!(attempts.start(), Err(Instant::now() + pause(2)));
        tokio::time::advance(2 * SETTLED).await;
        attempts.start().unwrap();
        assert_eq!(attempts.count(), 3, "a failure is no connection that lasted");
        attempts.succeeded();
        tokio::time::advance(2 * SETTLED).await;
        attempts.start().unwrap();
        assert_eq!(attempts.count(), 1);
    }
}
