//! The gateway: all servers of a host, served as one.
//!
//! A request's way: the SDK's own server (era, context, layers) → `layer`, which answers for the
//! servers behind → `forward` (calls, reads, prompts), `lists`, `watch` (subscriptions), `tasks`,
//! `skills` or other `extensions`, whose notifications are `news`.
//! `forward` takes a connection (`homes`) and a `seat` at its `desk`, and lets the request run
//! (`running`) until there is a result, which `reply` translates, or a question that only another
//! request can answer; then the call is `held`. `caller` says who may share a connection with whom,
//! `rate` how often they may call, `record` writes down that they did, and `trace` tells collectors.

mod caller;
mod desk;
mod extensions;
mod forward;
mod held;
mod homes;
mod layer;
mod lists;
mod news;
mod rate;
mod record;
mod reply;
mod running;
mod seat;
mod serve;
mod skills;
mod tasks;
mod trace;
mod watch;

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard};

use docent_mcp::Client;
use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::Context;

pub use serve::{Gateway, GatewayBuilder};

use self::caller::{Caller, Key};
use self::desk::Desk;
use self::held::Held;
use self::homes::{Homes, Lease};
use self::news::Outgoing;
use self::rate::Rate;
use self::record::Record;
use self::watch::Watches;
use crate::error::Result;
use crate::host::Host;
use crate::supervise::{Backend, State};
use crate::telemetry::Telemetry;
use crate::view::Place;

type Answer = Result<RawJson, ErrorObject>;

/// What all requests share.
pub(crate) struct Shared {
    host: Host,
    homes: Homes,
    held: Held,
    watches: Watches,
    rate: Option<Rate>,
    record: Option<Record>,
    telemetry: Option<Telemetry>,
    outgoing: Outgoing,
    /// Where each server's shared connection brings what it tells.
    desks: Vec<Arc<Desk>>,
    /// Whose the shared connections are, if there is only one client, and which of them.
    owner: Mutex<Option<(Key, Vec<usize>)>>,
    /// Whether there is only one client.
    single: bool,
    /// Whether somebody has seen a list, and so may want to know that it changed.
    seen: AtomicBool,
    /// Addresses that results named and no list has, with the servers they came from.
    links: Mutex<HashMap<String, usize>>,
    /// Tasks that are listened for: the name here, by server and its own name.
    told: Mutex<HashMap<(usize, String), String>>,
}

/// The way to a server for one request.
struct Line {
    client: Client,
    desk: Arc<Desk>,
    lease: Option<Lease>,
}

impl Shared {
    fn backend(&self, number: usize) -> &Arc<Backend> {
        &self.host.inner.backends[number]
    }

    fn rounds_max(&self) -> u32 {
        self.host.inner.settings.limits.connection.input_rounds_max
    }

    fn told_tasks(&self) -> MutexGuard<'_, HashMap<(usize, String), String>> {
        self.told.lock().expect("no panic while locked")
    }

    /// The connection that fits a caller: the shared one, unless the server is of a legacy era and
    /// would ask, or log, without saying whom.
    async fn line(&self, number: usize, caller: &Caller, context: &Context) -> Result<Line> {
        let backend = self.backend(number);
        let client = backend.client().await?;
        let shared = |client| Line { client, desk: self.desks[number].clone(), lease: None };
        if client.revision().is_modern() || self.owns(&caller.key, number) {
            return Ok(shared(client));
        }
        let wants_logs =
            context.log_level().is_some() && client.server().capabilities.logging.is_some();
        if !caller.can_be_asked() && !wants_logs {
            return Ok(shared(client));
        }
        // In a box: most calls need no such connection, and opening one is much to keep room for.
        Box::pin(self.own_line(backend, caller, context)).await
    }

    /// A connection of the caller's own.
    async fn own_line(
        &self,
        backend: &Arc<Backend>,
        caller: &Caller,
        context: &Context,
    ) -> Result<Line> {
        let (client, desk, lease) = self.homes.lease(backend, caller, context).await?;
        if lease.is_first() {
            for uri in self.watches.of(&caller.key, backend.number) {
                // One that cannot be watched here may be watched at the shared connection.
                let _ = client.subscribe(uri).await;
            }
        }
        Ok(Line { client, desk, lease: Some(lease) })
    }

    /// Makes the only client the owner of the shared connections that are not open yet.
    fn adopt(&self, caller: impl FnOnce() -> Caller) {
        if !self.single {
            return;
        }
        let mut owner = self.owner.lock().expect("no panic while locked");
        if owner.is_some() {
            return;
        }
        let caller = caller();
        let backends = self.host.inner.backends.iter().zip(&self.desks);
        let questions = caller.can_be_asked().then(|| caller.questions.clone());
        let adopted = backends
            .filter(|(backend, desk)| backend.play(desk.role(questions.clone())))
            .map(|(backend, desk)| {
                desk.make_private();
                backend.number
            })
            .collect();
        *owner = Some((caller.key, adopted));
    }

    fn owns(&self, key: &Key, number: usize) -> bool {
        let owner = self.owner.lock().expect("no panic while locked");
        owner.as_ref().is_some_and(|(owner, adopted)| owner == key && adopted.contains(&number))
    }

    /// The connections that belong to whoever is at the other end of one, with their servers.
    fn of_session(&self, connection: u64) -> Vec<(usize, Client)> {
        let owner = self.owner.lock().expect("no panic while locked");
        let owner = owner.as_ref().filter(|(key, _)| key.is_connection(connection));
        let adopted = owner.map(|(_, adopted)| adopted.clone()).unwrap_or_default();
        let owned = adopted
            .into_iter()
            .filter_map(|number| Some((number, self.backend(number).open_client()?)));
        self.homes.of_connection(connection).into_iter().chain(owned).collect()
    }

    /// The shared connections that are a caller's own.
    fn owned_by(&self, key: &Key) -> Vec<Client> {
        let ready = |backend: &&Arc<Backend>| matches!(backend.state(), State::Ready(_));
        let backends = self.host.inner.backends.iter().filter(ready);
        let owned = backends.filter(|backend| self.owns(key, backend.number));
        owned.filter_map(|backend| backend.open_client()).collect()
    }

    /// Where a resource is: listed, matched, named by a result, or at the only server that has any.
    async fn place(&self, uri: &str) -> Option<Place> {
        let place = |number: usize| Place { number, uri: uri.to_owned() };
        if let Some(found) = self.host.inner.view().place(uri) {
            return Some(found);
        }
        if let Some(number) = self.links.lock().expect("no panic while locked").get(uri) {
            return Some(place(*number));
        }
        if let Ok(found) = self.host.inner.find_place(uri).await {
            return Some(found);
        }
        let has_resources = |backend: &&Arc<Backend>| match backend.state() {
            State::Ready(server) => server.capabilities.resources.is_some(),
            _ => false,
        };
        let mut with = self.host.inner.backends.iter().filter(has_resources);
        match (with.next(), with.next()) {
            (Some(only), None) => Some(place(only.number)),
            _ => None,
        }
    }

    /// The address here of a resource that a server named.
    fn address(&self, number: usize, uri: &str) -> String {
        let view = self.host.inner.view();
        if view.place(uri).is_none() {
            let mut links = self.links.lock().expect("no panic while locked");
            match links.get(uri) {
                Some(of) if *of != number => return view.qualified(number, uri),
                Some(_) => {}
                None => {
                    if links.len() >= self.host.inner.settings.limits.links_max {
                        links.clear();
                    }
                    links.insert(uri.to_owned(), number);
                }
            }
        }
        view.address(number, uri)
    }
}
