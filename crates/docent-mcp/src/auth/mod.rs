//! Authorization: who may use a server over HTTP, and how a client gets permission.
//!
//! `client` gets tokens and sends them. [`OAuth`] says how, and an
//! [`HttpEndpoint`](crate::transport::http::HttpEndpoint) is told to use it; everything else
//! happens when a server asks for it.

mod client;
mod secret;

pub(crate) use client::Authorizer;
pub use client::{
    Browser, CredentialStore, FileStore, IdentityProvider, MemoryStore, OAuth, PrivateKey, Reach,
    StoreLock, Terminal, TokenFile, TokenSource, Visit,
};
pub use secret::Secret;
