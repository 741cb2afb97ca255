//! The client half of authorization: from a server's refusal to a token that it takes.
//!
//! [`OAuth`] is what a program says, and `grant` with what it asks. The way of a challenge: `hook`
//! stands between an endpoint and its requests; `authorizer` decides what to do about a refusal and
//! calls the others; `challenge` reads it; `discovery` finds out whom the server trusts, `issuer` what
//! that authorization server can do; `registration` makes this client known there; `flow` gets the
//! tokens: with a `user` by `authorize`, `loopback` and `browser`, or from a `source` without;
//! `refresh` renews them; `token` is where every grant ends, with the client shown by `identity` and
//! the proofs of `dpop`; `said` is what is shown of a refusal. A `login` is kept in the `store` by
//! `keeping`. All requests are made by `fetch`, within the reach of its `pool`, to addresses that
//! `address` takes.

mod address;
mod authorize;
mod authorizer;
mod browser;
mod challenge;
mod discovery;
mod dpop;
mod fetch;
mod flow;
mod grant;
mod hook;
mod identity;
mod issuer;
mod jwt;
mod keeping;
mod login;
mod loopback;
mod oauth;
mod pool;
mod random;
mod refresh;
mod registration;
mod said;
mod scopes;
mod source;
mod store;
mod token;
mod user;

pub(crate) use authorizer::Authorizer;
pub use browser::{Browser, Terminal, Visit};
pub use grant::IdentityProvider;
pub use jwt::PrivateKey;
pub use oauth::OAuth;
pub use source::{TokenFile, TokenSource};
#[cfg(feature = "keyring")]
pub use store::KeyringStore;
pub use store::{CredentialStore, FileStore, MemoryStore, StoreLock};
