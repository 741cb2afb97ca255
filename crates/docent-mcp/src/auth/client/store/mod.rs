//! Where logins and registrations are kept, between requests and between programs.

mod file;
#[cfg(feature = "keyring")]
mod keyring;
mod memory;

use std::any::Any;

use crate::auth::Secret;
use crate::transport::BoxFuture;
use crate::transport::http::HookError;

pub use file::FileStore;
#[cfg(feature = "keyring")]
pub use keyring::KeyringStore;
pub use memory::MemoryStore;

/// Holds a key of a store until it is dropped.
pub type StoreLock = Box<dyn Any + Send>;

/// Keeps secrets by name. [`MemoryStore`] keeps them as long as the program runs, [`FileStore`] in
/// a folder that programs can share, and `KeyringStore` (feature `keyring`) in the keyring of the
/// system.
///
/// Tokens are renewed under [`lock`](CredentialStore::lock): an authorization server that gives a
/// new refresh token with each renewal may end the login of whoever uses an old one. A store that
/// several programs share must therefore lock across all of them.
pub trait CredentialStore: Send + Sync + 'static {
    /// What is kept under a name.
    fn load<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Secret>, HookError>>;

    /// Keeps a value, instead of an earlier one.
    fn save<'a>(&'a self, key: &'a str, value: &'a Secret) -> BoxFuture<'a, Result<(), HookError>>;

    /// Forgets a value, if there is one.
    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), HookError>>;

    /// Waits until nobody else holds the lock of this name. Reading does not need it.
    fn lock<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<StoreLock, HookError>>;
}
