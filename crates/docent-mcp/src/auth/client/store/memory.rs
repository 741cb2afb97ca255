//! Credentials that end with the program.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Semaphore;

use super::{CredentialStore, StoreLock};
use crate::auth::Secret;
use crate::transport::BoxFuture;
use crate::transport::http::HookError;

/// Keeps credentials in memory. Clones share them.
#[derive(Clone, Default)]
pub struct MemoryStore(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    values: HashMap<String, Secret>,
    locks: HashMap<String, Arc<Semaphore>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no panic while locked")
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

impl CredentialStore for MemoryStore {
    fn load<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Secret>, HookError>> {
        let found = self.state().values.get(key).cloned();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn save<'a>(&'a self, key: &'a str, value: &'a Secret) -> BoxFuture<'a, Result<(), HookError>> {
        self.state().values.insert(key.to_owned(), value.clone());
        Box::pin(std::future::ready(Ok(())))
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), HookError>> {
        self.state().values.remove(key);
        Box::pin(std::future::ready(Ok(())))
    }

    fn lock<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<StoreLock, HookError>> {
        let one = || Arc::new(Semaphore::new(1));
        let lock = self.state().locks.entry(key.to_owned()).or_insert_with(one).clone();
        Box::pin(async move { Ok(Box::new(lock.acquire_owned().await?) as StoreLock) })
    }
}
