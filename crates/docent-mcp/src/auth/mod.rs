//! Authorization: who may use a server over HTTP, and how a client gets permission.
//!
//! `client` gets tokens and sends them. [`OAuth`] says how, and an
//! [`HttpEndpoint`](crate::transport::http::HttpEndpoint) is told to use it; everything else
//! happens when a server asks for it.
//!
//! `server` verifies them. [`Protection`] says which tokens a server takes, a [`Policy`] what they
//! allow; handlers see the [`Claims`].
//!
//! Both fetch documents from addresses that others name; [`Reach`] says which may be asked.

mod client;
mod reach;
mod secret;
mod server;

pub(crate) use client::Authorizer;
#[cfg(feature = "keyring")]
pub use client::KeyringStore;
pub use client::{
    Browser, CredentialStore, FileStore, IdentityProvider, MemoryStore, OAuth, PrivateKey,
    StoreLock, Terminal, TokenFile, TokenSource, Visit,
};
pub use reach::Reach;
pub use secret::Secret;
pub(crate) use server::{Access, Denied, Gate};
pub use server::{
    Claims, Guarded, Introspection, JwtVerifier, Policy, Protection, TokenError, TokenVerifier,
};
