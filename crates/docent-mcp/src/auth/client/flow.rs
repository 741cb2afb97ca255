//! From a challenge to tokens: where to ask, as whom, with what.

use super::authorizer::Authorizer;
use super::challenge::Demand;
use super::discovery::{self, ResourceMetadata};
use super::dpop::ProofKey;
use super::fetch::refused;
use super::grant::{Grant, IdentityProvider};
use super::identity::Identity;
use super::issuer::{self, Issuer};
use super::keeping::store_failed;
use super::login::Login;
use super::scopes;
use super::token::{Asking, Tokens};
use crate::auth::Secret;
use crate::error::Result;

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";

/// Names and values of a token request.
pub(super) type Pairs = Vec<(&'static str, String)>;

/// Where tokens for a server come from.
pub(super) struct Place {
    metadata: Option<ResourceMetadata>,
    /// What they are for.
    resource: Option<String>,
    pub(super) issuer: Issuer,
}

impl Place {
    /// Whether a login is from there, and for the same.
    pub(super) fn is_of(&self, login: &Login) -> bool {
        login.issuer == self.issuer.issuer && login.resource.as_deref() == self.resource()
    }

    pub(super) fn resource(&self) -> Option<&str> {
        self.resource.as_deref()
    }
}

impl Authorizer {
    /// Finds out where tokens for the server come from.
    pub(super) async fn locate(&self, demand: &Demand) -> Result<Place> {
        let fetch = &self.fetch;
        let config = &self.config;
        let metadata = discovery::protected_resource(fetch, &self.server, demand).await;
        if let Some(address) = &config.issuer_metadata {
            let issuer = self.pinned(issuer::at(fetch, address).await?)?;
            self.bind(&issuer).await?;
            // What is wrong with the server's own metadata is why the other address was given.
            let metadata = metadata.ok().flatten();
            let named = || metadata.as_ref().map(|metadata| metadata.resource.clone());
            let resource = config.resource.clone().or_else(named);
            let resource = resource.or_else(|| Some(discovery::canonical(&self.server)));
            return Ok(Place { metadata, resource, issuer });
        }
        let metadata = metadata?;
        let issuer = match &metadata {
            Some(resource) => {
                let named = resource.authorization_servers.as_deref().unwrap_or_default();
                let pinned = config.issuer.as_ref();
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
            None => self.pinned(issuer::discover_legacy(fetch, &self.server).await?)?,
        };
        self.bind(&issuer).await?;
        let named = || metadata.as_ref().map(|metadata| metadata.resource.clone());
        let resource = config.resource.clone().or_else(named);
        Ok(Place { metadata, resource, issuer })
    }

    /// An authorization server, if it is none but the one that the program said.
    fn pinned(&self, found: Issuer) -> Result<Issuer> {
        match &self.config.issuer {
            Some(pinned) if *pinned != found.issuer => Err(not_ours(pinned)),
            _ => Ok(found),
        }
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
        let resource = place.metadata.as_ref();
        let earlier = before.map_or(&[][..], |before| &before.requested);
        let mut wanted = match &self.config.only_scopes {
            Some(only) => scopes::union([only]),
            None => scopes::select(demand, resource, earlier, &self.config.scopes),
        };
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

    pub(super) fn asking<'a>(
        &'a self,
        issuer: &'a Issuer,
        identity: &'a Identity,
        key: Option<&'a ProofKey>,
    ) -> Asking<'a> {
        Asking { fetch: &self.fetch, nonces: &self.nonces, issuer, identity, key }
    }
}

pub(super) fn add_wishes(pairs: &mut Pairs, scopes: &[String], resource: Option<&str>) {
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
