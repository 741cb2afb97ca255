//! The listen requests that are open on one connection (2026-07-28), by id.
//!
//! Everything that a server sends for a listen request names it, so that several can be open at
//! once and a late message of one that was ended is told apart.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use tokio::sync::oneshot;

use crate::error::{Error, Result};
use crate::jsonrpc::Id;
use crate::types::{Meta, SubscriptionFilter, SubscriptionsAcknowledgedNotificationParams};

/// Told what the server will tell, or why it will not.
pub(crate) type Acknowledge = oneshot::Sender<Result<SubscriptionFilter>>;

/// Each with who waits for its acknowledgment, until it came.
#[derive(Default)]
pub(crate) struct Listens(Mutex<HashMap<Id, Option<Acknowledge>>>);

impl Listens {
    fn open(&self) -> MutexGuard<'_, HashMap<Id, Option<Acknowledge>>> {
        self.0.lock().expect("no panic while locked")
    }

    pub(crate) fn insert(&self, id: Id, acknowledge: Acknowledge) {
        self.open().insert(id, Some(acknowledge));
    }

    pub(crate) fn has(&self, id: &Id) -> bool {
        self.open().contains_key(id)
    }

    /// The server takes a listen request up. One that does not say which means the one that waits.
    pub(crate) fn acknowledge(&self, params: SubscriptionsAcknowledgedNotificationParams) {
        let mut open = self.open();
        let waiting = match params.meta.as_ref().and_then(Meta::subscription_id) {
            Some(id) => open.get_mut(&id).and_then(Option::take),
            None => open.values_mut().find_map(Option::take),
        };
        drop(open);
        if let Some(waiting) = waiting {
            let _ = waiting.send(Ok(params.notifications));
        }
    }

    /// A listen request has ended. Returns whether it was ever acknowledged.
    pub(crate) fn remove(&self, id: &Id, ended: Result<()>) -> bool {
        let Some(Some(waiting)) = self.open().remove(id) else { return true };
        let early = || Error::invalid_response("the server ended the subscription at once");
        let _ = waiting.send(Err(ended.err().unwrap_or_else(early)));
        false
    }
}
