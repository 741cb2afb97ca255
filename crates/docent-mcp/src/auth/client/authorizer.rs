//! What stands between an endpoint and its requests: adds the token to each, and answers
//! challenges.
//!
//! Two things happen only once at a time, however many requests need them: renewing a token and
//! getting a new one. Within the program a semaphore sees to that, between programs the lock of
//! the store. Whoever had to wait looks first whether the work is done. A renewal is never left half
//! done, also when the request that caused it is given up: the authorization server would have
//! replaced a refresh token, and nobody would know the new one.

use std::sync::{Arc, Mutex, MutexGuard};

use reqwest::Url;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::challenge::Demand;
use super::dpop::Nonces;
use super::fetch::{Fetch, refused};
use super::hook::Hook;
use super::login::{Active, Login, Origin};
use super::oauth::OAuth;
use super::store::StoreLock;
use crate::error::Result;
use crate::transport::http::{Challenge, HttpEndpoint, RequestHook};

/// The login of one endpoint.
pub(crate) struct Authorizer {
    pub(super) config: OAuth,
    pub(super) server: Url,
    pub(super) fetch: Fetch,
    pub(super) nonces: Nonces,
    current: Mutex<Current>,
    turn: Arc<Semaphore>,
}

/// What whoever changes the login holds meanwhile.
pub(super) struct Held {
    pub(super) _turn: OwnedSemaphorePermit,
    pub(super) _lock: StoreLock,
}

#[derive(Clone, Default)]
enum Current {
    /// The store was not asked yet.
    #[default]
    Unknown,
    None,
    Active(Arc<Active>),
}

impl Authorizer {
    pub(crate) fn hook(endpoint: &HttpEndpoint, config: OAuth) -> impl RequestHook + use<> {
        Hook(Arc::new(Authorizer {
            fetch: Fetch::new(endpoint, config.reach, config.limits.clone()),
            server: endpoint.address().clone(),
            config,
            nonces: Nonces::default(),
            current: Mutex::default(),
            turn: Arc::new(Semaphore::new(1)),
        }))
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().expect("no panic while locked")
    }

    fn active(&self) -> Option<Arc<Active>> {
        match &*self.current() {
            Current::Active(active) => Some(active.clone()),
            Current::None | Current::Unknown => None,
        }
    }

    fn set(&self, active: Option<Arc<Active>>) -> Option<Arc<Active>> {
        *self.current() = active.clone().map_or(Current::None, Current::Active);
        active
    }

    /// The token to send, if there is one.
    pub(super) async fn usable(self: &Arc<Self>) -> Result<Option<Arc<Active>>> {
        let unknown = matches!(&*self.current(), Current::Unknown);
        if unknown {
            let kept = self.load().await?;
            // Another request may have been faster, with something newer.
            if matches!(&*self.current(), Current::Unknown) {
                self.set(kept);
            }
        }
        match self.active() {
            // One that cannot be renewed is the server's to refuse: it may still be good.
            Some(active) if active.login.is_over() && active.login.refresh_token.is_some() => {
                self.renew(active).await
            }
            active => Ok(active),
        }
    }

    /// Another token for one that is over.
    async fn renew(self: &Arc<Self>, old: Arc<Active>) -> Result<Option<Arc<Active>>> {
        let turn = self.turn().await?;
        if let Some(active) = self.newer(&old) {
            return Ok(Some(active));
        }
        let held = self.hold(turn).await?;
        Ok(self.replace(old, held).await?.0)
    }

    /// Puts a newer token in the place of `old`, to the end, whoever waits for it.
    async fn replace(
        self: &Arc<Self>,
        old: Arc<Active>,
        held: Held,
    ) -> Result<(Option<Arc<Active>>, Held)> {
        let this = self.clone();
        let work = async move { Ok((this.adopt_or_refresh(&old).await?, held)) };
        tokio::spawn(work).await.unwrap_or_else(|_| Err(refused("the renewal was given up")))
    }

    /// Takes over what another program got meanwhile, or asks for another token. `None` means that
    /// a new login is needed. The lock of the store has to be held.
    async fn adopt_or_refresh(&self, old: &Active) -> Result<Option<Arc<Active>>> {
        let kept = self.load().await?;
        if let Some(kept) = kept
            .as_ref()
            .filter(|kept| kept.login.access_token != old.login.access_token)
            .filter(|kept| !kept.login.is_over())
        {
            return Ok(self.set(Some(kept.clone())));
        }
        // What was kept last is what the authorization server expects.
        let last = kept.as_deref().unwrap_or(old);
        match self.refresh(last).await? {
            Some(login) => {
                self.keep(&login).await?;
                Ok(self.set(Some(Active::new(login, Origin::Renewal)?)))
            }
            None => {
                self.forget().await?;
                Ok(self.set(None))
            }
        }
    }

    /// The token that took the place of `old` already.
    fn newer(&self, old: &Active) -> Option<Arc<Active>> {
        let newer = |active: &Arc<Active>| active.login.access_token != old.login.access_token;
        self.active().filter(newer).filter(|active| !active.login.is_over())
    }

    /// Whether a request can be made again.
    pub(super) async fn answer(self: &Arc<Self>, challenge: &Challenge) -> Result<bool> {
        if let Some(peer) = challenge.peer {
            self.fetch.pool.came_from(peer);
        }
        let demand = Demand::read(challenge);
        let new_nonce = self.nonces.take(&challenge.url, &challenge.headers);
        if demand.is("use_dpop_nonce") {
            return Ok(new_nonce && self.active().is_some_and(|active| active.key.is_some()));
        }
        if challenge.status == 403 && !demand.is("insufficient_scope") {
            return Ok(false);
        }
        let turn = self.turn().await?;
        let used = self.active();
        let sent = challenge.authorization.as_ref();
        if let Some(active) = &used
            && Some(&active.header()?) != sent
        {
            // Another request was refused the same way, and this has been seen to.
            return Ok(true);
        }
        match challenge.status {
            403 if used.is_some() => self.step_up(&demand, used.as_deref(), turn).await,
            _ => self.log_in(&demand, used.as_deref(), challenge.attempt, turn).await,
        }
    }

    /// The server does not take the token, or there is none.
    async fn log_in(
        self: &Arc<Self>,
        demand: &Demand,
        used: Option<&Active>,
        attempt: u32,
        turn: OwnedSemaphorePermit,
    ) -> Result<bool> {
        let origin = used.map(|active| active.origin);
        if attempt > 1 && origin == Some(Origin::Grant) {
            tracing::warn!("the server does not take the token that was made for it");
            return Ok(false);
        }
        let mut held = self.hold(turn).await?;
        let kept = self.load().await?;
        if let Some(kept) = &kept {
            let known = used.is_some_and(|used| used.login.access_token == kept.login.access_token);
            if !known && !kept.login.is_over() {
                // Another program has logged in.
                self.set(Some(kept.clone()));
                return Ok(true);
            }
        }
        let place = self.locate(demand).await?;
        let before = kept.filter(|before| place.is_of(&before.login));
        if let Some(before) = &before
            // A renewed token that is refused at once would be refused again.
            && (attempt == 1 || origin != Some(Origin::Renewal))
            && before.login.refresh_token.is_some()
        {
            let (renewed, still_held) = self.replace(before.clone(), held).await?;
            if renewed.is_some() {
                return Ok(true);
            }
            held = still_held;
        }
        let granted = self.grant(demand, &place, before.as_ref().map(|one| &one.login)).await;
        drop(held);
        granted
    }

    /// The token is good, but not for this.
    async fn step_up(
        &self,
        demand: &Demand,
        used: Option<&Active>,
        turn: OwnedSemaphorePermit,
    ) -> Result<bool> {
        let Some(used) = used else { return Ok(false) };
        let wanted = demand.scopes.as_deref().unwrap_or_default();
        if used.login.has(wanted) {
            // Asking for what was given already would bring the same again.
            tracing::warn!("the server wants scopes that the token has: {wanted:?}");
            return Ok(false);
        }
        if let Some(only) = &self.config.only_scopes
            && let Some(more) = wanted.iter().find(|scope| !only.contains(scope))
        {
            return Err(refused(format!(
                "the server wants the scope `{more}`, but only `{}` may be asked for",
                only.join(" ")
            )));
        }
        let _held = self.hold(turn).await?;
        let place = self.locate(demand).await?;
        let before = Some(&used.login).filter(|before| place.is_of(before));
        self.grant(demand, &place, before).await
    }

    async fn grant(
        &self,
        demand: &Demand,
        place: &super::flow::Place,
        before: Option<&Login>,
    ) -> Result<bool> {
        let login = self.obtain(demand, place, before).await?;
        self.keep(&login).await?;
        self.set(Some(Active::new(login, Origin::Grant)?));
        Ok(true)
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit> {
        self.turn.clone().acquire_owned().await.map_err(|_| refused("the login was given up"))
    }
}
