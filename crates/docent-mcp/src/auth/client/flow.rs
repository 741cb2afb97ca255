//! From a challenge to tokens: where to ask, as whom, with what.

use super::authorize::{Authorization, Wish};
use super::authorizer::{Authorizer, store_failed};
use super::challenge::Demand;
use super::discovery::{self, ResourceMetadata};
use super::dpop::ProofKey;
use super::fetch::refused;
use super::identity::Identity;
use super::issuer::{self, Issuer};
use super::login::{Active, Login};
use super::loopback::Redirect;
use super::oauth::{Grant, IdentityProvider};
use super::registration::{self, Known, Registered};
use super::scopes;
use super::token::{Asking, Denied, Tokens};
use crate::auth::Secret;
use crate::error::Result;

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";

/// Names and values of a token request.
type Pairs = Vec<(&'static str, String)>;

/// Where tokens for a server come from.
pub(super) struct Place {
    resource: Option<ResourceMetadata>,
    issuer: Issuer,
}

impl Place {
    /// Whether a login is from there, and for the same.
    pub(super) fn is_of(&self, login: &Login) -> bool {
        login.issuer == self.issuer.issuer && login.resource.as_deref() == self.resource()
    }

    fn resource(&self) -> Option<&str> {
        self.resource.as_ref().map(|resource| &*resource.resource)
    }
}

impl Authorizer {
    /// Finds out where tokens for the server come from.
    pub(super) async fn locate(&self, demand: &Demand) -> Result<Place> {
        let fetch = &self.fetch;
        let resource = discovery::protected_resource(fetch, &self.server, demand).await?;
        let issuer = match &resource {
            Some(resource) => {
                let named = resource.authorization_servers.as_deref().unwrap_or_default();
                let pinned = self.config.issuer.as_ref();
                let chosen = match pinned {
                    Some(pinned) => named.iter().find(|one| *one == pinned),
                    None => named.first(),
                };
                match (chosen, pinned) {
                    (Some(chosen), _) => issuer::discover(fetch, chosen).await?,
                    (None, Some(pinned)) => return Err(not_ours(pinned)),
                    (None, None) => {
                        let message = "the server wants tokens, but does not say whose";
                        return Err(refused(message));
                    }
                }
            }
            None => {
                let found = issuer::discover_legacy(fetch, &self.server).await?;
                match &self.config.issuer {
                    Some(pinned) if *pinned != found.issuer => return Err(not_ours(pinned)),
                    _ => found,
                }
            }
        };
        self.bind(&issuer).await?;
        Ok(Place { resource, issuer })
    }

    /// Credentials that were given by hand are for one authorization server: the first that is
    /// met, unless the program said which.
    async fn bind(&self, issuer: &Issuer) -> Result<()> {
        let Some(identity) = &self.config.identity else { return Ok(()) };
        if identity.client_id.is_empty() {
            let message = "a client secret or key needs its client id: set `client_id` before it";
            return Err(crate::error::Error::invalid_input(message));
        }
        if self.config.issuer.is_some() {
            return Ok(());
        }
        let key = format!("issuer of {}", identity.client_id);
        let store = &self.config.store;
        match store.load(&key).await.map_err(store_failed)? {
            Some(bound) if bound.expose() == issuer.issuer => Ok(()),
            Some(bound) => Err(not_ours(bound.expose())),
            None => store.save(&key, &Secret::new(&*issuer.issuer)).await.map_err(store_failed),
        }
    }

    /// Gets tokens.
    pub(super) async fn obtain(
        &self,
        demand: &Demand,
        place: &Place,
        before: Option<&Login>,
    ) -> Result<Login> {
        let resource = place.resource.as_ref();
        let earlier = before.map_or(&[][..], |before| &before.requested);
        let mut wanted = scopes::select(demand, resource, earlier, &self.config.scopes);
        if self.config.is_interactive() {
            wanted = scopes::with_offline(wanted, &place.issuer);
        }
        let bound = self.config.dpop
            || demand.dpop
            || resource.is_some_and(|resource| resource.dpop_bound_access_tokens_required);
        let key = match (bound, before.and_then(|before| before.key.as_ref())) {
            (false, _) => None,
            (true, Some(kept)) => Some(ProofKey::restore(kept)?),
            (true, None) => Some(ProofKey::generate()?),
        };
        check_algorithms(&place.issuer, key.as_ref())?;
        let (client_id, tokens) = self.ask_for(place, &wanted, key.as_ref()).await?;
        let mut login = Login {
            issuer: place.issuer.issuer.clone(),
            legacy: place.issuer.legacy,
            client_id,
            resource: place.resource().map(str::to_owned),
            access_token: Secret::new(""),
            refresh_token: None,
            renew_at: None,
            requested: wanted,
            granted: Vec::new(),
            key: key.map(|key| key.kept().clone()),
        };
        login.take(tokens);
        Ok(login)
    }

    /// The tokens, and whom they were given to.
    async fn ask_for(
        &self,
        place: &Place,
        wanted: &[String],
        key: Option<&ProofKey>,
    ) -> Result<(String, Tokens)> {
        if self.config.is_interactive() {
            return self.ask_user(place, wanted, key).await;
        }
        let Some(identity) = &self.config.identity else {
            return Err(refused("a program without a client id cannot ask for tokens"));
        };
        let issuer = &*place.issuer.issuer;
        let mut pairs: Pairs = match &self.config.grant {
            Grant::User | Grant::Machine => {
                vec![("grant_type", "client_credentials".to_owned())]
            }
            Grant::Workload(source) => {
                let token = source.token(issuer).await.map_err(source_failed)?;
                vec![
                    ("grant_type", JWT_BEARER.to_owned()),
                    ("assertion", token.expose().to_owned()),
                ]
            }
            Grant::Enterprise(provider) => {
                let token = self.exchange(provider, place, wanted).await?;
                vec![
                    ("grant_type", JWT_BEARER.to_owned()),
                    ("assertion", token.expose().to_owned()),
                ]
            }
        };
        add_wishes(&mut pairs, wanted, place.resource());
        let tokens = self.asking(&place.issuer, identity, key).ask(pairs).await?;
        // Whoever can always ask again needs no refresh token, and should not have one to lose.
        Ok((identity.client_id.clone(), Tokens { refresh_token: None, ..tokens }))
    }

    /// The company's token for the authorization server (ID-JAG).
    async fn exchange(
        &self,
        provider: &IdentityProvider,
        place: &Place,
        wanted: &[String],
    ) -> Result<Secret> {
        let here = Issuer {
            issuer: "the identity provider".to_owned(),
            token_endpoint: Some(provider.token_endpoint.clone()),
            ..Issuer::default()
        };
        let id_token = provider.id_token.token(&here.issuer).await.map_err(source_failed)?;
        let mut pairs: Pairs = vec![
            ("grant_type", TOKEN_EXCHANGE.to_owned()),
            ("requested_token_type", ID_JAG.to_owned()),
            ("audience", place.issuer.issuer.clone()),
            ("subject_token", id_token.expose().to_owned()),
            ("subject_token_type", ID_TOKEN.to_owned()),
        ];
        add_wishes(&mut pairs, wanted, place.resource());
        let tokens = self.asking(&here, &provider.identity, None).ask(pairs).await?;
        match tokens.issued_token_type.as_deref() {
            Some(ID_JAG) => Ok(tokens.access_token),
            _ => Err(refused("the identity provider gave a token of another type")),
        }
    }

    /// A user logs in.
    async fn ask_user(
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

    async fn registered(&self, slot: &str) -> Result<Option<Registered>> {
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

    /// Asks for another token with the refresh token. `None` if there is none, or if it is not
    /// good any more.
    pub(super) async fn refresh(&self, old: &Active) -> Result<Option<Login>> {
        let login = &old.login;
        let Some(refresh_token) = &login.refresh_token else { return Ok(None) };
        let issuer = match login.legacy {
            true => issuer::discover_legacy(&self.fetch, &self.server).await?,
            false => issuer::discover(&self.fetch, &login.issuer).await?,
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

    fn asking<'a>(
        &'a self,
        issuer: &'a Issuer,
        identity: &'a Identity,
        key: Option<&'a ProofKey>,
    ) -> Asking<'a> {
        Asking { fetch: &self.fetch, nonces: &self.nonces, issuer, identity, key }
    }
}

fn add_wishes(pairs: &mut Pairs, scopes: &[String], resource: Option<&str>) {
    if !scopes.is_empty() {
        pairs.push(("scope", scopes.join(" ")));
    }
    if let Some(resource) = resource {
        pairs.push(("resource", resource.to_owned()));
    }
}

/// Whether the authorization server can check our proofs.
fn check_algorithms(issuer: &Issuer, key: Option<&ProofKey>) -> Result<()> {
    let Some(algorithms) =
        issuer.dpop_signing_alg_values_supported.as_ref().filter(|_| key.is_some())
    else {
        return Ok(());
    };
    match algorithms.iter().any(|algorithm| algorithm == "ES256") {
        true => Ok(()),
        false => Err(refused(format!("{} does not take proofs signed by ES256", issuer.issuer))),
    }
}

fn not_ours(ours: &str) -> crate::error::Error {
    refused(format!(
        "the server names another authorization server than {ours}, which the client id is for: it is not shown there"
    ))
}

fn source_failed(error: crate::transport::http::HookError) -> crate::error::Error {
    refused("the source of tokens failed").with_source(error)
}
