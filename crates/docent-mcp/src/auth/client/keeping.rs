//! How the login of an endpoint is kept in the store, and held there while it changes.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use super::authorizer::{Authorizer, Held};
use super::fetch::refused;
use super::login::{Active, Login, Origin};
use crate::auth::Secret;
use crate::error::Result;
use crate::transport::http::HookError;

impl Authorizer {
    fn key(&self) -> String {
        format!("login {}", self.server)
    }

    /// Keeps others from changing the login, in this program and in all that share the store.
    pub(super) async fn hold(&self, turn: OwnedSemaphorePermit) -> Result<Held> {
        // As long as somebody else may be logging in.
        let patience = self.config.limits.login_timeout + self.config.limits.fetch_timeout;
        let key = self.key();
        match tokio::time::timeout(patience, self.config.store.lock(&key)).await {
            Ok(lock) => Ok(Held { _turn: turn, _lock: lock.map_err(store_failed)? }),
            Err(_) => Err(refused("another program is logging in, and does not finish")),
        }
    }

    pub(super) async fn load(&self) -> Result<Option<Arc<Active>>> {
        let kept = self.config.store.load(&self.key()).await.map_err(store_failed)?;
        // What cannot be read is of another time.
        let login: Option<Login> = kept.and_then(|kept| serde_json::from_str(kept.expose()).ok());
        login.map(|login| Active::new(login, Origin::Store)).transpose()
    }

    pub(super) async fn keep(&self, login: &Login) -> Result<()> {
        let text =
            serde_json::to_string(login).map_err(|_| refused("a login cannot be written down"))?;
        let saved = self.config.store.save(&self.key(), &Secret::new(text)).await;
        saved.map_err(store_failed)
    }

    pub(super) async fn forget(&self) -> Result<()> {
        self.config.store.remove(&self.key()).await.map_err(store_failed)
    }
}

pub(super) fn store_failed(error: HookError) -> crate::error::Error {
    refused("the store of credentials failed").with_source(error)
}
