//! Another token for a login that has a refresh token. `authorizer` decides when.

use super::authorizer::Authorizer;
use super::flow::{Pairs, add_wishes};
use super::identity::Identity;
use super::issuer;
use super::login::{Active, Login};
use super::registration::{self, Known, Registered};
use crate::error::Result;

impl Authorizer {
    /// Asks for another token with the refresh token. `None` if there is none, or if it is not
    /// good any more.
    pub(super) async fn refresh(&self, old: &Active) -> Result<Option<Login>> {
        let login = &old.login;
        let Some(refresh_token) = &login.refresh_token else { return Ok(None) };
        let issuer = match (&self.config.issuer_metadata, login.legacy) {
            (Some(address), _) => issuer::at(&self.fetch, address).await?,
            (None, true) => issuer::discover_legacy(&self.fetch, &self.server).await?,
            (None, false) => issuer::discover(&self.fetch, &login.issuer).await?,
        };
        let identity = match registration::known(&self.config, &issuer) {
            Known::Already(identity) => Some(identity),
            Known::MustAsk => {
                let slot = format!("client {}", issuer.issuer);
                self.registered(&slot).await?.as_ref().map(Registered::identity)
            }
        };
        // A refresh token is of use only to whom it was given, and from whom.
        let ours = |identity: &Identity| identity.client_id == login.client_id;
        let Some(identity) = identity.filter(ours).filter(|_| issuer.issuer == login.issuer) else {
            return Ok(None);
        };
        let mut pairs: Pairs = vec![
            ("grant_type", "refresh_token".to_owned()),
            ("refresh_token", refresh_token.expose().to_owned()),
        ];
        add_wishes(&mut pairs, &[], login.resource.as_deref());
        match self.asking(&issuer, &identity, old.key.as_ref()).ask(pairs).await {
            Ok(tokens) => {
                let mut login = login.clone();
                login.take(tokens);
                Ok(Some(login))
            }
            Err(denied) if denied.code.is_some() => {
                tracing::debug!("a token was not renewed: {}", denied.error);
                Ok(None)
            }
            Err(denied) => Err(denied.into()),
        }
    }
}
