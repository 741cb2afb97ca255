//! Credentials in the keyring of the system.
//!
//! A keyring keeps secrets, but knows no locks, so those are files, as in a `FileStore`; nothing
//! else is in its folder.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use keyring_core::{CredentialStore as Keyring, Entry};

use super::{CredentialStore, FileStore, StoreLock};
use crate::auth::Secret;
use crate::error::Result;
use crate::transport::BoxFuture;
use crate::transport::http::HookError;

/// Keeps credentials in the keyring of the system: the Keychain of macOS, the Credential Manager of
/// Windows, the Secret Service or the kernel's keys on Linux. The `keyring_core` crate is what they
/// have in common; one crate for each of them brings the keyring itself.
///
/// Some keyrings hold only short secrets (2560 bytes on Windows); long tokens then fail to be kept,
/// and the login with them.
///
/// ```
/// use docent_mcp::auth::{KeyringStore, OAuth};
///
/// # fn run(state: std::path::PathBuf) -> Result<(), Box<dyn std::error::Error>> {
/// // Of the system: `apple_native_keyring_store::keychain::Store::new()?`, for instance.
/// let keyring = keyring_core::mock::Store::new()?;
/// let store = KeyringStore::open(keyring, "my app", state.join("locks"))?;
/// let login = OAuth::user("my app").store(store);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct KeyringStore {
    keyring: Arc<Keyring>,
    service: String,
    locks: FileStore,
}

impl KeyringStore {
    /// Keeps credentials in `keyring`, where users see them as those of `service`. Programs that
    /// share them share the folder for `locks` as well.
    pub fn open(
        keyring: Arc<Keyring>,
        service: impl Into<String>,
        locks: impl AsRef<Path>,
    ) -> Result<KeyringStore> {
        Ok(KeyringStore { keyring, service: service.into(), locks: FileStore::open(locks)? })
    }

    /// Does something with an entry. Keyrings may ask their user, so that takes a thread.
    async fn with<T: Send + 'static>(
        &self,
        key: &str,
        work: impl FnOnce(&Entry) -> keyring_core::Result<T> + Send + 'static,
    ) -> Result<Option<T>, HookError> {
        let (keyring, service, key) = (self.keyring.clone(), self.service.clone(), key.to_owned());
        let working = move || work(&keyring.build(&service, &key, None)?);
        match tokio::task::spawn_blocking(working).await? {
            Ok(value) => Ok(Some(value)),
            Err(keyring_core::Error::NoEntry) => Ok(None),
            // What could not be read is part of some errors, and may be a secret.
            Err(keyring_core::Error::BadEncoding(_) | keyring_core::Error::BadDataFormat(..)) => {
                Err("the keyring holds something else under this name".into())
            }
            Err(error) => Err(error.to_string().into()),
        }
    }
}

impl CredentialStore for KeyringStore {
    fn load<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Secret>, HookError>> {
        Box::pin(async move {
            let kept = self.with(key, Entry::get_password).await?;
            Ok(kept.map(Secret::new))
        })
    }

    fn save<'a>(&'a self, key: &'a str, value: &'a Secret) -> BoxFuture<'a, Result<(), HookError>> {
        let value = value.clone();
        Box::pin(async move {
            let saved = self.with(key, move |entry| entry.set_password(value.expose())).await?;
            saved.ok_or_else(|| "the keyring does not keep what it is given".into())
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move { self.with(key, Entry::delete_credential).await.map(drop) })
    }

    fn lock<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<StoreLock, HookError>> {
        self.locks.lock(key)
    }
}

impl fmt::Debug for KeyringStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyringStore").field("service", &self.service).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use docent_testkit::folder::Folder;

    use super::*;

    /// [BOTH-AUTH-18] what is kept is in the keyring, and nowhere on disk.
    #[tokio::test]
    async fn values_are_in_the_keyring() {
        let folder = Folder::new();
        let keyring = keyring_core::mock::Store::new().unwrap();
        let open = || KeyringStore::open(keyring.clone(), "test", folder.path()).unwrap();
        let store = open();
        assert_eq!(store.load("a").await.unwrap(), None);
        for value in ["one", "hunter2"] {
            store.save("a", &Secret::new(value)).await.unwrap();
        }
        store.save("b", &Secret::new("three")).await.unwrap();
        let held = store.lock("a").await.unwrap();
        let waiting = std::time::Duration::from_millis(60);
        assert!(tokio::time::timeout(waiting, open().lock("a")).await.is_err());
        drop(held);
        assert_eq!(open().load("a").await.unwrap(), Some(Secret::new("hunter2")));
        for _ in 0..2 {
            store.remove("a").await.unwrap();
            assert_eq!(open().load("a").await.unwrap(), None);
        }
        assert_eq!(open().load("b").await.unwrap(), Some(Secret::new("three")));
        let mut folders = vec![folder.path().to_owned()];
        while let Some(path) = folders.pop() {
            for entry in std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
                match entry.is_dir() {
                    true => folders.push(entry),
                    false => assert_eq!(std::fs::read(&entry).unwrap(), b"", "{entry:?}"),
                }
            }
        }
        assert!(!format!("{store:?}").contains("hunter2"));
    }
}
