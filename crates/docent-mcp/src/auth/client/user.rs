//! A user logs in: the client makes itself known, takes the user to the page, and waits for the code
//! that the browser comes back with. `flow` calls it, and `token` redeems the code.

use super::authorize::{Authorization, Wish};
use super::authorizer::Authorizer;
use super::dpop::ProofKey;
use super::fetch::refused;
use super::flow::{Pairs, Place, add_wishes};
use super::identity::Identity;
use super::issuer::Issuer;
use super::keeping::store_failed;
use super::loopback::Redirect;
use super::registration::{self, Known, Registered};
use super::token::{Denied, Tokens};
use crate::auth::Secret;
use crate::error::Result;

impl Authorizer {
    /// A user logs in.
    pub(super) async fn ask_user(
        &self,
        place: &Place,
        wanted: &[String],
        key: Option<&ProofKey>,
    ) -> Result<(String, Tokens)> {
        let issuer = &place.issuer;
        let slot = format!("client {}", issuer.issuer);
        let mut last_try = false;
        loop {
            let kept = self.registered(&slot).await?.filter(Registered::is_good);
            let earlier = kept.as_ref().map(|kept| &*kept.redirect_uri);
            let redirect = match &self.config.redirect {
                Some(uri) => Redirect::at(uri).await?,
                None => Redirect::anywhere(earlier).await?,
            };
            let (identity, asked) = match registration::known(&self.config, issuer) {
                Known::Already(identity) => (identity, false),
                Known::MustAsk => {
                    let kept = kept.filter(|kept| kept.redirect_uri == redirect.uri);
                    let registered = match kept {
                        Some(kept) => kept,
                        None => self.register(&slot, issuer, &redirect.uri, wanted).await?,
                    };
                    (registered.identity(), true)
                }
            };
            match self.ask_browser(place, &identity, &redirect, wanted, key).await {
                // The authorization server has forgotten this client.
                Err(denied) if denied.is("invalid_client") && asked && !last_try => {
                    self.config.store.remove(&slot).await.map_err(store_failed)?;
                    last_try = true;
                }
                outcome => return Ok((identity.client_id, outcome?)),
            }
        }
    }

    async fn ask_browser(
        &self,
        place: &Place,
        identity: &Identity,
        redirect: &Redirect,
        wanted: &[String],
        key: Option<&ProofKey>,
    ) -> Result<Tokens, Denied> {
        let wish = Wish {
            client_id: &identity.client_id,
            redirect_uri: &redirect.uri,
            scopes: wanted,
            resource: place.resource(),
            address_bytes_max: self.config.limits.address_bytes_max,
        };
        let request = Authorization::new(&place.issuer, &wish)?;
        let came_back = self.visit(&request, redirect).await?;
        let code = request.accept(&place.issuer, &came_back)?;
        let mut pairs: Pairs = vec![
            ("grant_type", "authorization_code".to_owned()),
            ("code", code.expose().to_owned()),
            ("redirect_uri", redirect.uri.clone()),
            ("code_verifier", request.pkce.verifier.expose().to_owned()),
        ];
        add_wishes(&mut pairs, &[], place.resource());
        self.asking(&place.issuer, identity, key).ask(pairs).await
    }

    /// Takes the user to the page, and waits until they come back.
    async fn visit(&self, request: &Authorization, redirect: &Redirect) -> Result<String> {
        let coming = async {
            let mut browser = std::pin::pin!(redirect.wait(&request.state));
            tokio::select! {
                biased;
                came_back = &mut browser => Ok(came_back),
                told = self.config.visit.visit(&request.url) => match told {
                    Ok(Some(came_back)) => Ok(came_back),
                    Ok(None) => Ok(browser.await),
                    Err(error) => {
                        Err(refused("the user did not get to the login page").with_source(error))
                    }
                },
            }
        };
        let patience = self.config.limits.login_timeout;
        tokio::time::timeout(patience, coming).await.unwrap_or_else(|_| {
            Err(refused(format!("nobody logged in within {} s", patience.as_secs())))
        })
    }

    pub(super) async fn registered(&self, slot: &str) -> Result<Option<Registered>> {
        let kept = self.config.store.load(slot).await.map_err(store_failed)?;
        Ok(kept.and_then(|kept| serde_json::from_str(kept.expose()).ok()))
    }

    async fn register(
        &self,
        slot: &str,
        issuer: &Issuer,
        redirect_uri: &str,
        wanted: &[String],
    ) -> Result<Registered> {
        let registered =
            registration::register(&self.fetch, &self.config, issuer, redirect_uri, wanted).await?;
        let text = serde_json::to_string(&registered)
            .map_err(|_| refused("a registration cannot be written down"))?;
        self.config.store.save(slot, &Secret::new(text)).await.map_err(store_failed)?;
        Ok(registered)
    }
}
