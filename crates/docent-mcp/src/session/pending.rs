//! Our requests that the peer is working on.
//!
//! A request ends by its answer, by its deadline, by [`CallOptions::cancel`], by dropping its
//! future or by the end of the connection. In all but the first case the peer is told to stop, and
//! a late answer finds no entry and is dropped.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::{Cancel, Peer, RequestParams};
use crate::error::{Error, ErrorKind, Fate, Result};
use crate::jsonrpc::{Id, RawJson, encode};
use crate::types::{CancelledNotificationParams, ProgressNotificationParams, notification};

/// Called for each progress report of one request.
pub(crate) type ProgressHandler = Arc<dyn Fn(ProgressNotificationParams) + Send + Sync>;

/// How one request of ours is made.
#[derive(Clone, Default)]
pub(crate) struct CallOptions {
    /// Time to the answer or the next progress report.
    pub(crate) timeout: Option<Duration>,
    /// Ends the request early.
    pub(crate) cancel: Option<Cancel>,
    /// Asks for progress reports.
    pub(crate) progress: Option<ProgressHandler>,
    /// The protocol forbids to cancel this one.
    pub(crate) uncancellable: bool,
    /// The request stays open until the peer ends it.
    pub(crate) endless: bool,
}

#[derive(Default)]
pub(crate) struct Pending {
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    by_id: HashMap<Id, Entry>,
    /// Set when no answer can come any more, with the reason.
    ended: Option<String>,
}

struct Entry {
    answer: oneshot::Sender<Result<RawJson>>,
    progress: Option<ProgressHandler>,
    reported: Arc<Notify>,
    /// The request waits for something else than the peer.
    held: Arc<AtomicBool>,
}

impl Pending {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().expect("no panic while locked")
    }

    /// Hands an answer to whoever waits for it. Returns whether somebody did.
    pub(crate) fn complete(&self, id: &Id, outcome: Result<RawJson>) -> bool {
        let Some(entry) = self.entries().by_id.remove(id) else { return false };
        entry.answer.send(outcome).is_ok()
    }

    /// Passes a progress report on. Returns whether its request is still open and wanted reports.
    pub(crate) fn progress(&self, report: ProgressNotificationParams) -> bool {
        let Some((handler, reported)) = self
            .entries()
            .by_id
            .get(&report.progress_token)
            .and_then(|entry| Some((entry.progress.clone()?, entry.reported.clone())))
        else {
            return false;
        };
        reported.notify_one();
        handler(report);
        true
    }

    /// Stops the time of a request, or lets it start anew.
    pub(crate) fn hold(&self, id: &Id, held: bool) {
        if let Some(entry) = self.entries().by_id.get(id) {
            entry.held.store(held, Ordering::Release);
            entry.reported.notify_one();
        }
    }

    /// Fails every request: no answer can come any more.
    pub(crate) fn end(&self, reason: &str) {
        let mut entries = self.entries();
        entries.ended.get_or_insert_with(|| reason.to_owned());
        let all: Vec<_> = entries.by_id.drain().collect();
        drop(entries);
        for (_, entry) in all {
            let _ = entry.answer.send(Err(Error::new(ErrorKind::Closed, reason)));
        }
    }

    fn insert(&self, id: Id, entry: Entry, max: usize) -> Result<()> {
        let mut entries = self.entries();
        if let Some(reason) = &entries.ended {
            return Err(Error::new(ErrorKind::Closed, reason).with_fate(Fate::NotExecuted));
        }
        if entries.by_id.len() >= max {
            let message = format!("{max} requests already wait for an answer from this peer");
            return Err(Error::new(ErrorKind::Limit, message));
        }
        entries.by_id.insert(id, entry);
        Ok(())
    }
}

/// Sends one request and waits for its end.
pub(super) async fn call(
    peer: &Arc<Peer>,
    method: &str,
    params: RequestParams,
    options: CallOptions,
) -> Result<RawJson> {
    let id = Id::from(peer.next_id());
    let params = params(&id)?;
    let (answer, answered) = oneshot::channel();
    let reported = Arc::new(Notify::new());
    let held = Arc::new(AtomicBool::new(false));
    let entry = Entry {
        answer,
        progress: options.progress.clone(),
        reported: reported.clone(),
        held: held.clone(),
    };
    peer.pending.insert(id.clone(), entry, peer.limits.pending_max)?;
    let mut open = OpenRequest {
        peer: peer.clone(),
        id,
        tell_peer: false,
        cancellable: !options.uncancellable,
        reason: "the request was dropped",
    };
    let sending = peer.outbox.send(encode::request(&open.id, method, params.as_ref()));

    let limits = &peer.limits;
    let patience = options.timeout.unwrap_or(limits.request_timeout);
    let started = Instant::now();
    let last = started + limits.request_timeout_max.max(patience);
    let mut deadline = started + patience;
    let cancelled = async {
        match &options.cancel {
            Some(cancel) => cancel.cancelled().await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(sending, answered, cancelled);
    loop {
        let end = if held.load(Ordering::Acquire) { last } else { deadline };
        tokio::select! {
            biased;
            sent = &mut sending, if !open.tell_peer => {
                // Nothing has left yet.
                sent.map_err(|error| error.with_fate(Fate::NotExecuted))?;
                open.tell_peer = true;
            }
            answer = &mut answered => {
                return answer.unwrap_or_else(|_| Err(Error::closed()));
            }
            () = &mut cancelled => {
                open.reason = "the request was cancelled";
                return Err(Error::new(ErrorKind::Cancelled, format!("{method} was cancelled")));
            }
            () = reported.notified() => deadline = (Instant::now() + patience).min(last),
            () = tokio::time::sleep_until(end), if !options.endless => {
                open.reason = "the request took too long";
                let waited = started.elapsed().as_millis();
                let message = format!("{method} was not answered within {waited} ms");
                return Err(Error::new(ErrorKind::Timeout, message));
            }
        }
    }
}

/// A request on its way. Dropping it before the answer takes it back.
struct OpenRequest {
    peer: Arc<Peer>,
    id: Id,
    tell_peer: bool,
    cancellable: bool,
    reason: &'static str,
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let open = self.peer.pending.entries().by_id.remove(&self.id).is_some();
        if open && self.tell_peer && self.cancellable {
            let params = CancelledNotificationParams {
                request_id: Some(self.id.clone()),
                reason: Some(self.reason.to_owned()),
                ..Default::default()
            };
            let params = RawJson::encode(&params).expect("ids and strings always encode");
            self.peer.notify_now(notification::CANCELLED, Some(&params));
        }
    }
}
