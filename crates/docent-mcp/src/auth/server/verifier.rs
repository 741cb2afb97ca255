//! Who says what a token is worth.

use std::borrow::Cow;
use std::fmt;

use super::Claims;
use crate::auth::Secret;
use crate::transport::BoxFuture;

/// Verifies tokens: [`JwtVerifier`](super::JwtVerifier), [`Introspection`](super::Introspection),
/// or one of your own.
pub trait TokenVerifier: Send + Sync + 'static {
    /// What a token says, if it is genuine, valid now, and was issued for `resource`, the address
    /// of this server. A token that was issued for anybody else must be refused.
    ///
    /// The binding of a token to a key is checked by the caller.
    fn verify<'a>(
        &'a self,
        token: &'a Secret,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<Claims, TokenError>>;

    /// The authorization servers whose tokens it takes, by their issuer identifiers. Clients are
    /// sent there.
    fn issuers(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Why a token is not taken. Never holds the token or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenError {
    /// The token is not valid, for this reason. The client is told, and needs another one.
    Invalid(Cow<'static, str>),
    /// Nobody can tell at the moment, for this reason, which is only logged. The token may be
    /// valid.
    Unavailable(Cow<'static, str>),
}

impl TokenError {
    /// The token is not valid. The reason is shown to the client.
    pub fn invalid(reason: impl Into<Cow<'static, str>>) -> Self {
        TokenError::Invalid(reason.into())
    }

    /// It cannot be found out now whether the token is valid.
    pub fn unavailable(reason: impl Into<Cow<'static, str>>) -> Self {
        TokenError::Unavailable(reason.into())
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenError::Invalid(reason) => write!(f, "the token is not valid: {reason}"),
            TokenError::Unavailable(reason) => write!(f, "tokens cannot be verified: {reason}"),
        }
    }
}

impl std::error::Error for TokenError {}
