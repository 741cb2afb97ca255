//! What tokens are asked for with: a user's code, an account, a platform's or a company's word.

use std::fmt;
use std::sync::Arc;

use super::identity::{Credential, Identity};
use super::source::TokenSource;
use crate::auth::Secret;

/// What a token is asked for with.
#[derive(Clone)]
pub(super) enum Grant {
    /// A code that a user's browser brings.
    User,
    /// Being who one is.
    Machine,
    /// A token of the platform.
    Workload(Arc<dyn TokenSource>),
    /// A token of the company, exchanged for one that is meant for the authorization server.
    Enterprise(Arc<IdentityProvider>),
}

/// The company's identity provider, for [`OAuth::enterprise`](crate::auth::OAuth::enterprise).
pub struct IdentityProvider {
    pub(super) token_endpoint: String,
    pub(super) identity: Identity,
    pub(super) id_token: Box<dyn TokenSource>,
}

impl IdentityProvider {
    /// The provider with this token endpoint, which knows the program as `client_id`. The tokens
    /// of `id_token` say who the user is.
    pub fn new(
        token_endpoint: impl Into<String>,
        client_id: impl Into<String>,
        id_token: impl TokenSource,
    ) -> Self {
        IdentityProvider {
            token_endpoint: token_endpoint.into(),
            identity: Identity { client_id: client_id.into(), credential: Credential::None },
            id_token: Box::new(id_token),
        }
    }

    /// The secret that the provider gave the program.
    #[must_use]
    pub fn client_secret(mut self, secret: impl Into<Secret>) -> Self {
        self.identity.credential = Credential::Secret { secret: secret.into(), method: None };
        self
    }
}

impl fmt::Debug for IdentityProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdentityProvider").finish_non_exhaustive()
    }
}
