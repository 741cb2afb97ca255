//! Resources that clients watch are watched at their servers, once for all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::{Call, Context, TASKS_EXTENSION};
use docent_mcp::types::{SubscriptionFilter, SubscriptionsListenRequestParams, method};
use serde_json::Value;

use super::caller::{Caller, Key};
use super::news::{self, News};
use super::{Shared, reply, tasks};
use crate::error::Result;
use crate::view::Place;

/// Everything that is watched.
#[derive(Default)]
pub(super) struct Watches {
    state: Mutex<State>,
    /// Held while a server is told, so that it hears things in their order. One for each server:
    /// a slow one delays nobody else.
    telling: Mutex<HashMap<usize, Arc<tokio::sync::Mutex<()>>>>,
}

#[derive(Default)]
struct State {
    counts: HashMap<(usize, String), usize>,
    /// What sessions watch, by the number of the connection and the address.
    sessions: HashMap<(u64, String), Watch>,
    /// What each caller watches, as often as it does: at connections of its own as well, since a
    /// server may tell of a change only on the one where it was made.
    callers: HashMap<Key, Vec<Place>>,
}

/// Somebody's interest in a resource; dropping it ends that.
pub(super) struct Watch {
    shared: Arc<Shared>,
    place: Place,
    key: Key,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let (shared, place, key) = (self.shared.clone(), self.place.clone(), self.key.clone());
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move { shared.unwatch(place, &key).await });
    }
}

impl Watches {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    /// What a caller watches at a server.
    pub(super) fn of(&self, key: &Key, number: usize) -> Vec<String> {
        let state = self.state();
        let places = state.callers.get(key).into_iter().flatten();
        places.filter(|place| place.number == number).map(|place| place.uri.clone()).collect()
    }

    fn telling(&self, number: usize) -> Arc<tokio::sync::Mutex<()>> {
        self.telling.lock().expect("no panic while locked").entry(number).or_default().clone()
    }
}

impl State {
    /// A caller watches something once less. Tells whether that was all.
    fn forget(&mut self, key: &Key, place: &Place) -> bool {
        let Some(places) = self.callers.get_mut(key) else { return false };
        if let Some(at) = places.iter().position(|known| known == place) {
            places.swap_remove(at);
        }
        let gone = !places.contains(place);
        if places.is_empty() {
            self.callers.remove(key);
        }
        gone
    }
}

impl Shared {
    /// Watches a resource at its server.
    async fn watch(self: &Arc<Self>, place: Place, key: &Key) -> Result<Watch> {
        let telling = self.watches.telling(place.number);
        let _telling = telling.lock().await;
        let counted = (place.number, place.uri.clone());
        let first = !self.watches.state().counts.contains_key(&counted);
        if first {
            let backend = self.backend(place.number);
            let client = backend.client().await?;
            let subscribed = client.subscribe(&*place.uri).await;
            subscribed.map_err(|error| backend.request_failed(error))?;
        }
        {
            let mut state = self.watches.state();
            *state.counts.entry(counted).or_default() += 1;
            state.callers.entry(key.clone()).or_default().push(place.clone());
        }
        // From here on, whoever gives up takes it back.
        let watch = Watch { shared: self.clone(), place, key: key.clone() };
        for client in self.homes.at(watch.place.number, key) {
            let _ = client.subscribe(&*watch.place.uri).await;
        }
        Ok(watch)
    }

    async fn unwatch(&self, place: Place, key: &Key) {
        let telling = self.watches.telling(place.number);
        let _telling = telling.lock().await;
        let (last, gone) = {
            let mut state = self.watches.state();
            let gone = state.forget(key, &place);
            let counted = (place.number, place.uri.clone());
            let left = state.counts.get_mut(&counted).map(|count| {
                *count -= 1;
                *count
            });
            if left == Some(0) {
                state.counts.remove(&counted);
            }
            (left == Some(0), gone)
        };
        if gone {
            for client in self.homes.at(place.number, key) {
                let _ = client.unsubscribe(&place.uri).await;
            }
        }
        if last && let Ok(client) = self.backend(place.number).client().await {
            let _ = client.unsubscribe(&place.uri).await;
        }
    }
}

/// `resources/subscribe` and `resources/unsubscribe`.
pub(super) async fn subscribe(shared: Arc<Shared>, call: Call) -> Result<Call, ErrorObject> {
    let params = reply::object(call.params.clone())?;
    let (Ok(Some(uri)), Some(connection)) =
        (params.read::<String>("uri"), call.context.connection())
    else {
        return Ok(call);
    };
    let key = (connection, uri.clone());
    if call.method == method::RESOURCES_UNSUBSCRIBE {
        let watch = shared.watches.state().sessions.remove(&key);
        drop(watch);
        return Ok(call);
    }
    let Some(place) = shared.place(&uri).await else {
        return Err(ErrorObject::invalid_params("no server has this resource"));
    };
    let caller = Caller::of(&call.context);
    let watch = shared.watch(place, &caller.key).await.map_err(|error| error.to_rpc())?;
    let (first, before) = {
        let mut state = shared.watches.state();
        let first = !state.sessions.keys().any(|(one, _)| *one == connection);
        (first, state.sessions.insert(key, watch))
    };
    // Dropped without the lock.
    drop(before);
    if first {
        tokio::spawn(forget_session(shared, call.context.beyond(), connection));
    }
    Ok(call)
}

/// Ends what a session watches when it is over.
async fn forget_session(shared: Arc<Shared>, context: Context, connection: u64) {
    context.disconnected().await;
    let gone: Vec<_> = {
        let mut state = shared.watches.state();
        state.sessions.extract_if(|(one, _), _| *one == connection).collect()
    };
    drop(gone);
}

/// `subscriptions/listen`: watches what can be watched, and asks for that only.
pub(super) async fn listen(
    shared: Arc<Shared>,
    mut call: Call,
) -> Result<(Call, Vec<Watch>, News), ErrorObject> {
    let mut wanted: SubscriptionsListenRequestParams = reply::typed(call.params.clone())?;
    let filter: &mut SubscriptionFilter = &mut wanted.notifications;
    let mut watches = Vec::new();
    let mut honored = Vec::new();
    let mut asking = tokio::task::JoinSet::new();
    let caller = Caller::of(&call.context);
    for uri in std::mem::take(&mut filter.resource_subscriptions) {
        let (shared, key) = (shared.clone(), caller.key.clone());
        asking.spawn(async move {
            let place = shared.place(&uri).await?;
            let patience = shared.host.inner.settings.limits.list_patience;
            let watching = tokio::time::timeout(patience, shared.watch(place, &key)).await;
            Some((uri, watching.ok()?.ok()?))
        });
    }
    while let Some(asked) = asking.join_next().await {
        if let Ok(Some((uri, watch))) = asked {
            honored.push(uri);
            watches.push(watch);
        }
    }
    honored.sort();
    filter.resource_subscriptions = honored;
    let mut foreign = std::mem::take(&mut filter.extra);
    let tasks = foreign.remove("taskIds");
    let (honored, news) = news::listen(&shared, &call.context, foreign).await;
    filter.extra = honored;
    if call.context.declares(TASKS_EXTENSION)
        && let Some(Value::Array(ids)) = tasks
    {
        let known = tasks::listen(&shared, &call.context, ids).await;
        filter.extra.insert("taskIds".to_owned(), Value::Array(known));
    }
    let params = serde_json::to_value(&wanted).expect("a wire type is always representable");
    call.params = Some(RawJson::from(&params));
    Ok((call, watches, news))
}

/// `logging/setLevel`: servers that log for this caller alone are told as well.
pub(super) async fn set_level(shared: Arc<Shared>, call: &Call) {
    let params = reply::object(call.params.clone()).unwrap_or_default();
    let Ok(Some(level)) = params.read("level") else { return };
    let caller = Caller::of(&call.context);
    for home in shared.homes.of(&caller.key) {
        if let Some(client) = home.client().cloned() {
            home.set_level(&client, level).await;
        }
    }
    for client in shared.owned_by(&caller.key) {
        let _ = client.set_log_level(level).await;
    }
}
