//! The listen requests that are open on one connection (2026-07-28), by id.
//!
//! Everything that a server sends for a listen request names it, so that several can be open at
//! once and a late message of one that was ended is told apart.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::oneshot;

use crate::error::{Error, Result};
use crate::jsonrpc::{Id, RawJson};
use crate::types::{Meta, SubscriptionFilter, SubscriptionsAcknowledgedNotificationParams};

/// Told what the server will tell, or why it will not.
pub(crate) type Acknowledge = oneshot::Sender<Result<SubscriptionFilter>>;

/// Told what comes for one listen request that is not known here.
pub(crate) type Tell = Arc<dyn Fn(&str, Option<&RawJson>) + Send + Sync>;

#[derive(Default)]
pub(crate) struct Listens(Mutex<HashMap<Id, Open>>);

#[derive(Default)]
struct Open {
    /// Who waits for the acknowledgment, until it came.
    waiting: Option<Acknowledge>,
    /// Who hears what comes, if that is not everybody.
    told: Option<Tell>,
}

/// One listen request on its way through the layers.
pub(crate) struct Listening {
    stage: Mutex<Stage>,
    told: Option<Tell>,
}

enum Stage {
    New(Acknowledge),
    Sent(Id),
    Ended,
}

impl Listening {
    pub(crate) fn new(acknowledge: Acknowledge, told: Option<Tell>) -> Self {
        Listening { stage: Mutex::new(Stage::New(acknowledge)), told }
    }

    fn enter(&self, stage: Stage) -> Stage {
        std::mem::replace(&mut *self.stage.lock().expect("no panic while locked"), stage)
    }
}

impl Listens {
    fn open(&self) -> MutexGuard<'_, HashMap<Id, Open>> {
        self.0.lock().expect("no panic while locked")
    }

    pub(crate) fn has(&self, id: &Id) -> bool {
        self.open().contains_key(id)
    }

    /// Who alone hears what comes for a listen request.
    pub(crate) fn told(&self, id: &Id) -> Option<Tell> {
        self.open().get(id)?.told.clone()
    }

    /// A listen request goes out under this id; a layer may make it more than once.
    pub(crate) fn insert(&self, id: &Id, listening: &Listening) {
        let mut open = self.open();
        let waiting = match listening.enter(Stage::Sent(id.clone())) {
            Stage::New(acknowledge) => Some(acknowledge),
            Stage::Sent(before) => open.remove(&before).and_then(|open| open.waiting),
            Stage::Ended => None,
        };
        open.insert(id.clone(), Open { waiting, told: listening.told.clone() });
    }

    /// The server takes a listen request up. One that does not say which means the one that waits.
    pub(crate) fn acknowledge(&self, params: SubscriptionsAcknowledgedNotificationParams) {
        let mut open = self.open();
        let waiting = match params.meta.as_ref().and_then(Meta::subscription_id) {
            Some(id) => open.get_mut(&id).and_then(|open| open.waiting.take()),
            None => open.values_mut().find_map(|open| open.waiting.take()),
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
            Stage::Sent(id) => self.open().remove(&id).and_then(|open| open.waiting),
            Stage::Ended => None,
        };
        let Some(waiting) = waiting else { return true };
        let early = || Error::invalid_response("the server ended the subscription at once");
        let _ = waiting.send(Err(ended.err().unwrap_or_else(early)));
        false
    }
}
