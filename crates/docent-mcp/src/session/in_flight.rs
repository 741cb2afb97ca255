//! The peer's requests that we are working on.
//!
//! Taking a request out of this table is what gives the right to answer it. A cancellation takes it
//! out first and the answer finds nothing, or the other way round: either way there is exactly one
//! outcome.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use super::Signal;
use super::cancel::Cancel;
use super::reply_to::ReplyTo;
use crate::jsonrpc::Id;

#[derive(Default)]
pub(crate) struct InFlight {
    /// Requests that will be answered: running or waiting to run.
    entries: Mutex<HashMap<Id, Entry>>,
    /// Handlers that hold resources, including those whose request was cancelled and that have not
    /// noticed yet.
    running: AtomicUsize,
    changed: Signal,
}

pub(crate) struct Entry {
    pub(crate) cancel: Cancel,
    pub(crate) reply_to: ReplyTo,
    /// `initialize` cannot be cancelled.
    pub(crate) cancellable: bool,
}

impl InFlight {
    fn entries(&self) -> MutexGuard<'_, HashMap<Id, Entry>> {
        self.entries.lock().expect("no panic while locked")
    }

    /// Registers a request, unless its id is in use.
    pub(crate) fn insert(&self, id: Id, entry: Entry) -> Result<(), Entry> {
        match self.entries().entry(id) {
            std::collections::hash_map::Entry::Occupied(_) => Err(entry),
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(entry);
                Ok(())
            }
        }
    }

    /// The token of a request that is still to be answered.
    pub(crate) fn cancel_token(&self, id: &Id) -> Option<Cancel> {
        self.entries().get(id).map(|entry| entry.cancel.clone())
    }

    /// Every request that is still to be answered.
    pub(crate) fn ids(&self) -> Vec<Id> {
        self.entries().keys().cloned().collect()
    }

    /// Takes a request out and answers it, in one step: a cancellation that is read at the same
    /// time finds either the request, and no answer is sent, or nothing, and the answer is on its
    /// way before anything that is read later.
    pub(crate) fn answer(&self, id: &Id, answer: impl FnOnce(Entry)) {
        let mut entries = self.entries();
        let Some(entry) = entries.remove(id) else { return };
        answer(entry);
        drop(entries);
        self.changed.notify();
    }

    /// Takes a request out because the peer no longer wants it.
    pub(crate) fn cancel(&self, id: &Id, reason: Option<String>) -> Option<Entry> {
        let mut entries = self.entries();
        if !entries.get(id)?.cancellable {
            return None;
        }
        let entry = entries.remove(id)?;
        drop(entries);
        entry.cancel.cancel(reason);
        self.changed.notify();
        Some(entry)
    }

    /// Takes every request out.
    pub(crate) fn take_all(&self) -> Vec<(Id, Entry)> {
        let all = self.entries().drain().collect();
        self.changed.notify();
        all
    }

    /// How many requests are still to be answered.
    pub(crate) fn len(&self) -> usize {
        self.entries().len()
    }

    /// How many handlers are running.
    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::Acquire)
    }

    pub(super) fn started(&self) {
        self.running.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn stopped(&self) {
        self.running.fetch_sub(1, Ordering::AcqRel);
        self.changed.notify();
    }

    /// Resolves when fewer than `max` handlers are running.
    pub(crate) async fn fewer_running_than(&self, max: usize) {
        self.changed.until(|| self.running() < max).await;
    }

    /// Resolves when fewer than `max` requests are still to be answered.
    pub(crate) async fn len_below(&self, max: usize) {
        self.changed.until(|| self.len() < max).await;
    }
}
