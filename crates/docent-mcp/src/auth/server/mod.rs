//! The server half of authorization: from a request to its claims, and what they allow.
//!
//! A request's way: `credentials` (the token it brings) → a [`TokenVerifier`] (`jwt` with `keys`,
//! or `introspection`; both end in `check`) → `proof` and `nonce`, if the token is bound to a key →
//! `claims`. `protection` says what is wanted, the `gate` calls them, `challenge` is how it refuses, `metadata` what
//! it tells clients. `jws` and `jwk` read what is signed; `issuer` and `fetch` talk to the
//! authorization server. `policy` decides, later and inside, what the claims allow.

mod challenge;
mod check;
mod claims;
mod credentials;
mod fetch;
mod gate;
mod introspection;
mod issuer;
mod jwk;
mod jws;
mod jwt;
mod keys;
mod metadata;
mod nonce;
mod policy;
mod proof;
mod protection;
mod verifier;

pub(crate) use challenge::Denied;
pub(crate) use claims::Access;
pub use claims::Claims;
pub(crate) use gate::Gate;
pub use introspection::Introspection;
pub use jwt::JwtVerifier;
pub use policy::{Guarded, Policy};
pub use protection::Protection;
pub use verifier::{TokenError, TokenVerifier};
