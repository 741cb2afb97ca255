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

/// One listen request on its way through the layers.
pub(crate) struct Listening(Mutex<Stage>);

enum Stage {
    New(Acknowledge),
    Sent(Id),
    Ended,
}

impl Listening {
    pub(crate) fn new(acknowledge: Acknowledge) -> Self {
        Listening(Mutex::new(Stage::New(acknowledge)))
    }

    fn enter(&self, stage: Stage) -> Stage {
        std::mem::replace(&mut *self.0.lock().expect("no panic while locked"), stage)
    }
}

impl Listens {
    fn open(&self) -> MutexGuard<'_, HashMap<Id, Option<Acknowledge>>> {
        self.0.lock().expect("no panic while locked")
    }

    pub(crate) fn has(&self, id: &Id) -> bool {
        self.open().contains_key(id)
    }

    /// A listen request goes out under this id; a layer may make it more than once.
    pub(crate) fn insert(&self, id: &Id, listening: &Listening) {
        let mut open = self.open();
        let waiting = match listening.enter(Stage::Sent(id.clone())) {
            Stage::New(acknowledge) => Some(acknowledge),
            Stage::Sent(before) => open.remove(&before).flatten(),
            Stage::Ended => None,
        };
        open.insert(id.clone(), waiting);
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
    pub(crate) fn remove(&self, listening: &Listening, ended: Result<()>) -> bool {
        let waiting = match listening.enter(Stage::Ended) {
            Stage::New(acknowledge) => Some(acknowledge),
            Stage::Sent(id) => self.open().remove(&id).flatten(),
            Stage::Ended => None,
        };
        let Some(waiting) = waiting else { return true };
        let early = || Error::invalid_response("the server ended the subscription at once");
        let _ = waiting.send(Err(ended.err().unwrap_or_else(early)));
        false
    }
}
