//! Who is told when something changes.
//!
//! One broker per server, whatever the connections: legacy sessions that watch lists and
//! resources, and modern `subscriptions/listen` requests. Telling never waits: a change is queued
//! once per listener until that listener reads.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::context::Scope;
use crate::jsonrpc::{Id, RawJson, encode};
use crate::session::{Cancel, Peer, Signal};
use crate::types::{JsonObject, Meta, SubscriptionFilter, notification};

/// Something that listeners may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Tools,
    Prompts,
    Resources,
    Resource(String),
    /// A change of an extension: told to those whose filter has `value` under `field`.
    Extension {
        field: String,
        value: String,
        method: String,
        params: JsonObject,
    },
}

impl Change {
    fn method(&self) -> &str {
        match self {
            Change::Tools => notification::TOOLS_LIST_CHANGED,
            Change::Prompts => notification::PROMPTS_LIST_CHANGED,
            Change::Resources => notification::RESOURCES_LIST_CHANGED,
            Change::Resource(_) => notification::RESOURCES_UPDATED,
            Change::Extension { method, .. } => method,
        }
    }

    fn params(&self) -> JsonObject {
        match self {
            Change::Resource(uri) => {
                JsonObject::from_iter([("uri".to_owned(), uri.clone().into())])
            }
            Change::Extension { params, .. } => params.clone(),
            _ => JsonObject::new(),
        }
    }

    /// Changes that say the same, so that one of them is enough while it is not read. An
    /// extension's may carry news each time.
    fn key(&self) -> Option<String> {
        match self {
            Change::Resource(uri) => Some(format!("{} {uri}", self.method())),
            Change::Extension { .. } => None,
            _ => Some(self.method().to_owned()),
        }
    }
}

#[derive(Default)]
pub(crate) struct Broker {
    listeners: Mutex<BTreeMap<u64, Listener>>,
    registered: Signal,
    next: AtomicU64,
}

struct Listener {
    peer: Arc<Peer>,
    wants: Wants,
}

enum Wants {
    /// A legacy session: every list, and the resources it subscribed to.
    Session(HashSet<String>),
    /// A modern listen request: what its filter says.
    Listen { id: Id, filter: SubscriptionFilter, uris: HashSet<String>, cancel: Cancel },
}

impl Wants {
    fn includes(&self, change: &Change) -> bool {
        match (self, change) {
            // Cancelled, but its task has not noticed yet.
            (Wants::Listen { cancel, .. }, _) if cancel.is_cancelled() => false,
            (Wants::Session(uris), Change::Resource(uri)) => uris.contains(uri),
            (Wants::Session(_), Change::Extension { .. }) => false,
            (Wants::Session(_), _) => true,
            (Wants::Listen { filter, .. }, Change::Tools) => {
                filter.tools_list_changed == Some(true)
            }
            (Wants::Listen { filter, .. }, Change::Prompts) => {
                filter.prompts_list_changed == Some(true)
            }
            (Wants::Listen { filter, .. }, Change::Resources) => {
                filter.resources_list_changed == Some(true)
            }
            (Wants::Listen { uris, .. }, Change::Resource(uri)) => uris.contains(uri),
            (Wants::Listen { filter, .. }, Change::Extension { field, value, .. }) => {
                match filter.extra.get(field) {
                    Some(Value::Array(wanted)) => wanted.iter().any(|wanted| wanted == value),
                    Some(Value::Bool(all)) => *all,
                    _ => false,
                }
            }
        }
    }
}

/// Keeps a listener registered; dropping it ends that.
pub(crate) struct Subscription {
    broker: Arc<Broker>,
    number: u64,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.broker.listeners.lock().expect("no panic while locked").remove(&self.number);
    }
}

impl Subscription {
    /// Adds a resource to what a legacy session watches. Returns `false` at `max`.
    pub(crate) fn watch(&self, uri: &str, max: usize) -> bool {
        self.with_uris(|uris| {
            let room = uris.len() < max || uris.contains(uri);
            if room {
                uris.insert(uri.to_owned());
            }
            room
        })
    }

    /// Removes a resource from what a legacy session watches.
    pub(crate) fn unwatch(&self, uri: &str) {
        self.with_uris(|uris| uris.remove(uri));
    }

    fn with_uris<T: Default>(&self, change: impl FnOnce(&mut HashSet<String>) -> T) -> T {
        let mut listeners = self.broker.listeners.lock().expect("no panic while locked");
        match listeners.get_mut(&self.number).map(|listener| &mut listener.wants) {
            Some(Wants::Session(uris)) => change(uris),
            _ => T::default(),
        }
    }
}

impl Broker {
    /// Registers a legacy session.
    pub(crate) fn session(self: &Arc<Self>, peer: &Arc<Peer>) -> Subscription {
        self.register(peer, Wants::Session(HashSet::new()))
    }

    /// Registers a modern listen request with the filter that was acknowledged.
    pub(crate) fn listen(
        self: &Arc<Self>,
        scope: &Scope,
        filter: SubscriptionFilter,
    ) -> Subscription {
        let uris = filter.resource_subscriptions.iter().cloned().collect();
        let (id, cancel) = (scope.request_id.clone(), scope.cancel.clone());
        self.register(&scope.peer, Wants::Listen { id, filter, uris, cancel })
    }

    fn register(self: &Arc<Self>, peer: &Arc<Peer>, wants: Wants) -> Subscription {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let listener = Listener { peer: peer.clone(), wants };
        self.listeners.lock().expect("no panic while locked").insert(number, listener);
        self.registered.notify();
        Subscription { broker: self.clone(), number }
    }

    /// Resolves when a listen request is registered, and so was acknowledged before.
    pub(crate) async fn registered(&self, scope: &Scope) {
        let is_it = |listener: &Listener| match &listener.wants {
            Wants::Listen { id, .. } => {
                *id == scope.request_id && Arc::ptr_eq(&listener.peer, &scope.peer)
            }
            Wants::Session(_) => false,
        };
        let listeners = || self.listeners.lock().expect("no panic while locked");
        self.registered.until(|| listeners().values().any(is_it)).await;
    }

    /// Tells everybody who wants to know.
    pub(crate) fn publish(&self, change: &Change) {
        let listeners = self.listeners.lock().expect("no panic while locked");
        for (number, listener) in listeners.iter() {
            if !listener.wants.includes(change) {
                continue;
            }
            let mut params = change.params();
            if let Wants::Listen { id, .. } = &listener.wants {
                let mut meta = Meta::new();
                meta.set_subscription_id(id);
                params.insert("_meta".to_owned(), Value::Object(meta.into_inner()));
            }
            let params = (!params.is_empty()).then(|| RawJson::from(&Value::Object(params)));
            let frame = encode::notification(change.method(), params.as_ref());
            match change.key() {
                Some(key) => listener.peer.outbox.push_once(&format!("{number} {key}"), frame),
                None => drop(listener.peer.outbox.push(frame)),
            }
        }
    }
}
