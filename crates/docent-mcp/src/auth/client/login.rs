//! A login: the tokens of one server, as they are kept and sent.

use std::sync::Arc;

use http::HeaderValue;
use serde::{Deserialize, Serialize};

use super::dpop::{ProofKey, now};
use super::fetch::refused;
use super::token::Tokens;
use crate::auth::Secret;
use crate::error::Result;

/// A token this close to its end is renewed before it is sent, unless its whole life is short.
const SKEW_SECONDS: u64 = 30;

/// What is kept of a login.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Login {
    /// Who gave the tokens. Nobody else ever sees them, but the server itself.
    pub(super) issuer: String,
    /// Whether it was found as 2025-03-26 wants it.
    pub(super) legacy: bool,
    /// Whom it gave them to.
    pub(super) client_id: String,
    /// What they are for, as the server calls itself.
    pub(super) resource: Option<String>,
    pub(super) access_token: Secret,
    pub(super) refresh_token: Option<Secret>,
    /// When it should be renewed, in seconds since 1970.
    pub(super) renew_at: Option<u64>,
    /// The scopes that were asked for.
    pub(super) requested: Vec<String>,
    /// The scopes that were given.
    pub(super) granted: Vec<String>,
    /// The key that the tokens are bound to.
    pub(super) key: Option<Secret>,
}

impl Login {
    /// Takes over what a token endpoint gave.
    pub(super) fn take(&mut self, tokens: Tokens) {
        self.access_token = tokens.access_token;
        // One that is not replaced stays good.
        self.refresh_token = tokens.refresh_token.or(self.refresh_token.take());
        self.renew_at = tokens.expires_in.map(|seconds| {
            now().saturating_add(seconds).saturating_sub(SKEW_SECONDS.min(seconds / 2))
        });
        self.granted = match tokens.scope {
            Some(scope) => scope.split_ascii_whitespace().map(str::to_owned).collect(),
            None => self.requested.clone(),
        };
    }

    pub(super) fn is_over(&self) -> bool {
        self.renew_at.is_some_and(|end| end <= now())
    }

    /// Whether all of these scopes were given.
    pub(super) fn has(&self, scopes: &[String]) -> bool {
        scopes.iter().all(|scope| self.granted.contains(scope))
    }
}

/// A login that is in use.
#[derive(Debug)]
pub(super) struct Active {
    pub(super) login: Login,
    pub(super) key: Option<ProofKey>,
    pub(super) origin: Origin,
}

/// Where the token of a login came from, which decides what is tried when it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// It was kept from earlier.
    Store,
    /// It took the place of one that was over or refused.
    Renewal,
    /// A user, or whoever else is asked, has just granted it.
    Grant,
}

impl Active {
    pub(super) fn new(login: Login, origin: Origin) -> Result<Arc<Active>> {
        let key = login.key.as_ref().map(ProofKey::restore).transpose()?;
        Ok(Arc::new(Active { login, key, origin }))
    }

    /// The header that shows the token.
    pub(super) fn header(&self) -> Result<HeaderValue> {
        let scheme = if self.key.is_some() { "DPoP" } else { "Bearer" };
        let text = format!("{scheme} {}", self.login.access_token.expose());
        let mut value =
            HeaderValue::from_str(&text).map_err(|_| refused("a token is no header"))?;
        value.set_sensitive(true);
        Ok(value)
    }
}
