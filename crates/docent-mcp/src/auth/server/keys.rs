//! The keys of an authorization server: fetched when they are needed, kept for a while.
//!
//! A token that names an unknown key may be the first one after a rotation, or made up. So keys are
//! fetched for it, but seldom; once for all who wait; and to the end, even if whoever asked is gone,
//! or clients that hang up could keep the keys from ever arriving.

use std::sync::{Arc, Mutex, MutexGuard};

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::TokenError;
use super::fetch::{Fetch, Way};
use super::jwk::{Algorithm, Jwk};
use crate::limits::VerifierLimits;

/// Where keys come from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// They were given.
    Fixed,
    /// This address.
    Url(String),
    /// Wherever the metadata of this issuer says.
    Issuer(String),
}

pub(super) struct Keys {
    source: Source,
    limits: VerifierLimits,
    way: Way,
    state: Mutex<State>,
    /// One fetch at a time.
    turn: Semaphore,
}

#[derive(Default)]
struct State {
    keys: Arc<[Jwk]>,
    fetched: Option<Instant>,
    tried: Option<Instant>,
    /// How many fetches came to an end, well or not.
    attempts: u64,
}

/// A set of keys (RFC 7517), with whatever it holds.
#[derive(Deserialize)]
struct Set {
    keys: Vec<Value>,
}

impl Keys {
    pub(super) fn new(source: Source, limits: VerifierLimits, way: Way) -> Arc<Keys> {
        let (state, turn) = (Mutex::default(), Semaphore::new(1));
        Arc::new(Keys { source, limits, way, state, turn })
    }

    /// Keys that never change.
    pub(super) fn fixed(set: &Value, limits: VerifierLimits) -> Arc<Keys> {
        let keys = Keys::new(Source::Fixed, limits, Way::default());
        let all = set.get("keys").and_then(Value::as_array).cloned().unwrap_or_default();
        keys.keep(&all);
        keys
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    fn keep(&self, all: &[Value]) {
        let keys = all.iter().take(self.limits.keys_max).filter_map(Jwk::read).collect();
        let mut state = self.state();
        state.keys = keys;
        state.fetched = Some(Instant::now());
    }

    /// The keys, among which is the one of this name, if it is anywhere.
    pub(super) async fn find(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Arc<[Jwk]>, TokenError> {
        let seen = {
            let state = self.state();
            let age = state.fetched.map(|at| at.elapsed());
            let fresh = matches!(self.source, Source::Fixed)
                || age.is_some_and(|age| age < self.limits.keys_ttl);
            if fresh && has(&state.keys, id, algorithm) {
                return Ok(state.keys.clone());
            }
            state.attempts
        };
        let mut failure = None;
        if self.may_fetch() {
            let this = self.clone();
            let fetching = tokio::spawn(async move { this.fetch(seen).await });
            failure =
                fetching.await.unwrap_or_else(|_| Err(TokenError::unavailable("no runtime"))).err();
        }
        let state = self.state();
        let age = state.fetched.map(|at| at.elapsed());
        match age {
            // Keys that cannot be renewed are better than none, but not forever.
            Some(age)
                if matches!(self.source, Source::Fixed) || age < self.limits.keys_stale_max =>
            {
                Ok(state.keys.clone())
            }
            _ => Err(failure.unwrap_or_else(|| {
                TokenError::unavailable("the keys of the authorization server are not known")
            })),
        }
    }

    fn may_fetch(&self) -> bool {
        let state = self.state();
        let pause = match state.fetched {
            Some(_) => self.limits.keys_refresh_pause,
            None => self.limits.keys_retry_pause,
        };
        // Others may be fetching: then their result is waited for.
        let waited_for = self.turn.available_permits() == 0;
        !matches!(self.source, Source::Fixed)
            && (waited_for || state.tried.is_none_or(|at| at.elapsed() >= pause))
    }

    /// Fetches the keys, unless somebody did since there were `seen` attempts.
    async fn fetch(&self, seen: u64) -> Result<(), TokenError> {
        let _turn = self.turn.acquire().await;
        {
            let mut state = self.state();
            if state.attempts != seen {
                return Ok(());
            }
            state.tried = Some(Instant::now());
        }
        let fetched = self.download().await;
        self.state().attempts += 1;
        match fetched {
            Ok(all) => {
                self.keep(&all);
                Ok(())
            }
            Err(error) => {
                tracing::warn!(%error, "keys for tokens cannot be fetched");
                Err(error)
            }
        }
    }

    async fn download(&self) -> Result<Vec<Value>, TokenError> {
        let (Source::Url(start) | Source::Issuer(start)) = &self.source else {
            return Err(TokenError::unavailable("the keys were given"));
        };
        let fetch = Fetch::new(&self.limits, &self.way, start).await?;
        let address = match &self.source {
            Source::Issuer(issuer) => super::issuer::metadata(&fetch, issuer).await?.jwks_uri()?,
            _ => start.clone(),
        };
        match fetch.get::<Set>(&address).await? {
            Ok(set) => Ok(set.keys),
            Err(status) => Err(TokenError::unavailable(format!("the keys answer with {status}"))),
        }
    }
}

fn has(keys: &[Jwk], id: Option<&str>, algorithm: Algorithm) -> bool {
    candidates(keys, id, algorithm).next().is_some()
}

/// The keys that a token may have been signed with.
pub(super) fn candidates<'a>(
    keys: &'a [Jwk],
    id: Option<&'a str>,
    algorithm: Algorithm,
) -> impl Iterator<Item = &'a Jwk> {
    keys.iter().filter(move |key| {
        let named = match (id, &key.id) {
            (Some(id), Some(own)) => id == own,
            _ => true,
        };
        named && key.fits(algorithm)
    })
}
