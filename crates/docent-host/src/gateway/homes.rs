//! Connections to servers of a legacy era that belong to one caller.
//!
//! Such a connection declares once what its client can be asked, and its questions do not say which
//! call they are for. So a caller that can be asked something gets a connection of its own to each
//! of these servers, which all of its calls share. Callers that cannot be told apart, because each
//! of their requests stands alone and nobody is authenticated, get one for each call instead.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use docent_mcp::Client;
use docent_mcp::server::Context;
use docent_mcp::types::LoggingLevel;
use tokio::sync::{Notify, OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::caller::{Caller, Key};
use super::desk::Desk;
use crate::error::{Error, Result};
use crate::limits::HostLimits;
use crate::supervise::Backend;

/// Every such connection.
#[derive(Clone, Default)]
pub(super) struct Homes(Arc<Mutex<HashMap<Address, Arc<Home>>>>);

/// The server, the caller, and which of several.
type Address = (usize, Key, usize);

pub(super) struct Home {
    address: Address,
    client: OnceCell<Client>,
    pub(super) desk: Arc<Desk>,
    calls: Arc<Semaphore>,
    room: usize,
    /// Whether the server was told what the caller watches.
    watching: AtomicBool,
    /// Told when it must not be used again.
    spoiled: Notify,
    used: Mutex<Instant>,
    level: Mutex<Option<LoggingLevel>>,
}

/// The use of such a connection by one call.
pub(super) struct Lease {
    homes: Homes,
    home: Arc<Home>,
    _permit: OwnedSemaphorePermit,
}

impl Lease {
    /// Whether this is the first call over the connection.
    pub(super) fn is_first(&self) -> bool {
        !self.home.watching.swap(true, Ordering::AcqRel)
    }

    /// The call was taken back. A connection that callers take turns on is not used again: the next
    /// one would be asked and told what was for this one.
    pub(super) fn taken_back(&self) {
        if self.home.room == 1 {
            self.homes.forget(&self.home);
            self.home.calls.close();
            self.home.spoiled.notify_one();
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        *self.home.used.lock().expect("no panic while locked") = Instant::now();
    }
}

impl Homes {
    fn homes(&self) -> MutexGuard<'_, HashMap<Address, Arc<Home>>> {
        self.0.lock().expect("no panic while locked")
    }

    /// A connection for a call of this caller.
    pub(super) async fn lease(
        &self,
        backend: &Arc<Backend>,
        caller: &Caller,
        context: &Context,
    ) -> Result<(Client, Arc<Desk>, Lease)> {
        let (home, permit) = loop {
            let (home, permit) = self.find(backend, caller, context)?;
            let permit = match permit {
                Some(permit) => Some(permit),
                None => home.calls.clone().acquire_owned().await.ok(),
            };
            // It may have been given up while it was waited for.
            if let Some(permit) = permit {
                break (home, permit);
            }
        };
        let lease = Lease { homes: self.clone(), home: home.clone(), _permit: permit };
        let role = home.desk.role(Some(caller.questions.clone()));
        let client = home.client.get_or_try_init(|| backend.connect(role)).await?.clone();
        if let Some(level) = context.log_level() {
            home.set_level(&client, level).await;
        }
        Ok((client, home.desk.clone(), lease))
    }

    /// A connection, and a place in it if there is one free: taken while it cannot be ended.
    fn find(
        &self,
        backend: &Arc<Backend>,
        caller: &Caller,
        context: &Context,
    ) -> Result<(Arc<Home>, Option<OwnedSemaphorePermit>)> {
        let limits = &backend.settings.limits;
        let one = caller.key.is_one();
        let mut homes = self.homes();
        let mut slot = 0;
        loop {
            let address = (backend.number, caller.key.clone(), slot);
            let Some(home) = homes.get(&address) else { break };
            let permit = home.calls.clone().try_acquire_owned().ok();
            if one || permit.is_some() {
                return Ok((home.clone(), permit));
            }
            slot += 1;
        }
        let held = homes.keys().filter(|(number, _, _)| *number == backend.number).count();
        if held >= limits.homes_per_server_max {
            // Those who cannot be told apart wait for each other.
            if let Some(home) = homes.get(&(backend.number, caller.key.clone(), 0)) {
                return Ok((home.clone(), None));
            }
            let message = format!("server `{}` has too many callers: try later", backend.name());
            return Err(Error::blocked(backend.name(), message));
        }
        let room = if one { limits.calls_per_home_max } else { 1 };
        let address = (backend.number, caller.key.clone(), slot);
        let home = Arc::new(Home {
            address: address.clone(),
            client: OnceCell::new(),
            desk: Desk::new(backend.name(), limits, one),
            calls: Arc::new(Semaphore::new(room)),
            room,
            watching: AtomicBool::new(false),
            spoiled: Notify::new(),
            used: Mutex::new(Instant::now()),
            level: Mutex::default(),
        });
        homes.insert(address, home.clone());
        tokio::spawn(keep(self.clone(), home.clone(), context.beyond(), limits.clone()));
        let permit = home.calls.clone().try_acquire_owned().ok();
        Ok((home, permit))
    }

    /// Has a connection used by no further call.
    fn forget(&self, home: &Arc<Home>) {
        let mut homes = self.homes();
        // Another one may have its address by now.
        if homes.get(&home.address).is_some_and(|known| Arc::ptr_eq(known, home)) {
            homes.remove(&home.address);
        }
    }

    /// The open connections of a caller.
    pub(super) fn of(&self, key: &Key) -> Vec<Arc<Home>> {
        let homes = self.homes();
        let theirs = homes.iter().filter(|((_, one, _), _)| one == key);
        theirs.map(|(_, home)| home.clone()).collect()
    }

    /// The open connections of a caller to one server.
    pub(super) fn at(&self, number: usize, key: &Key) -> Vec<Client> {
        let theirs = self.of(key).into_iter().filter(|home| home.address.0 == number);
        theirs.filter_map(|home| home.client.get().cloned()).collect()
    }

    /// The open connections of whoever is at the other end of a connection.
    pub(super) fn of_connection(&self, connection: u64) -> Vec<(usize, Client)> {
        let homes = self.homes();
        let theirs = homes.iter().filter(|((_, key, _), _)| key.is_connection(connection));
        let open = theirs.filter_map(|((number, ..), home)| Some((*number, home.client.get()?)));
        open.map(|(number, client)| (number, client.clone())).collect()
    }

    /// Ends all of them.
    pub(super) async fn close(&self) {
        let homes: Vec<_> = self.homes().drain().map(|(_, home)| home).collect();
        let closing = homes.into_iter().map(|home| async move { home.close().await });
        closing.collect::<JoinSet<()>>().join_all().await;
    }
}

impl Home {
    /// The connection, if it is open.
    pub(super) fn client(&self) -> Option<&Client> {
        self.client.get()
    }

    /// Has the server log from this level on, if it can and does not do so yet.
    pub(super) async fn set_level(&self, client: &Client, level: LoggingLevel) {
        let before = self.level.lock().expect("no panic while locked").replace(level);
        if before != Some(level) && client.server().capabilities.logging.is_some() {
            let _ = client.set_log_level(level).await;
        }
    }

    fn is_idle(&self) -> bool {
        self.calls.available_permits() == self.room
    }

    async fn close(&self) {
        if let Some(client) = self.client.get() {
            client.clone().close().await;
        }
    }
}

/// Ends a connection when its caller is gone, or has not used it for long.
async fn keep(homes: Homes, home: Arc<Home>, context: Context, limits: HostLimits) {
    let unused = async {
        loop {
            let used = *home.used.lock().expect("no panic while locked");
            let due = used + limits.home_idle_timeout;
            {
                let mut known = homes.homes();
                if home.is_idle() && due <= Instant::now() {
                    known.remove(&home.address);
                    return;
                }
            }
            let soonest = Instant::now() + limits.home_idle_timeout / 4;
            tokio::time::sleep_until(due.max(soonest)).await;
        }
    };
    tokio::select! {
        () = context.disconnected() => {}
        () = unused => {}
        () = home.spoiled.notified() => {}
    }
    homes.forget(&home);
    home.close().await;
}
