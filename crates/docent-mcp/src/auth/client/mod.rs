//! The client half of authorization: from a server's refusal to a token that it takes.
//!
//! [`OAuth`] is what a program says. The way of a challenge: `authorizer` stands between an
//! endpoint and its requests and calls the others; `challenge` reads the refusal; `discovery` finds
//! out whom the server trusts, `issuer` what that authorization server can do; `registration` makes
//! this client known there; `flow` gets the tokens: with a `user` by `authorize`, `loopback` and
//! `browser`, or from a `source` without; `token` is where every grant ends, with the client shown by `identity`
//! and the proofs of `dpop`; `said` is what is shown of a refusal. A `login` is kept in the `store`.
//! All requests are made by `fetch`, within reach.

mod authorize;
mod authorizer;
mod browser;
mod challenge;
mod discovery;
mod dpop;
mod fetch;
mod flow;
mod identity;
mod issuer;
mod jwt;
mod login;
mod loopback;
mod oauth;
mod random;
mod registration;
mod said;
mod scopes;
mod source;
mod store;
mod token;
mod user;

pub(crate) use authorizer::Authorizer;
pub use browser::{Browser, Terminal, Visit};
pub use jwt::PrivateKey;
pub use oauth::{IdentityProvider, OAuth};
pub use source::{TokenFile, TokenSource};
pub use store::{CredentialStore, FileStore, MemoryStore, StoreLock};
