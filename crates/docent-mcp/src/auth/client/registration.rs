//! Who this client is to an authorization server: registered by hand, by a document on the web
//! (Client ID Metadata Documents), or by asking (RFC 7591); in that order.
//!
//! What one authorization server gave is never shown to another.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::dpop::now;
use super::fetch::{Fetch, Form, refused};
use super::identity::{Credential, Identity};
use super::issuer::Issuer;
use super::oauth::OAuth;
use super::token::lenient_seconds;
use crate::auth::Secret;
use crate::error::Result;

/// What an authorization server gave this client when it asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Registered {
    pub(super) client_id: String,
    pub(super) client_secret: Option<Secret>,
    pub(super) token_endpoint_auth_method: Option<String>,
    /// When the secret ends, in seconds since 1970; 0 is never.
    #[serde(default, deserialize_with = "lenient_seconds")]
    pub(super) client_secret_expires_at: Option<u64>,
    /// Where its users come back to.
    #[serde(default)]
    pub(super) redirect_uri: String,
}

impl Registered {
    pub(super) fn is_good(&self) -> bool {
        !matches!(self.client_secret_expires_at, Some(end) if end != 0 && end <= now() + 60)
    }

    pub(super) fn identity(&self) -> Identity {
        let secret = self.client_secret.as_ref().filter(|secret| !secret.expose().is_empty());
        let credential = match secret {
            Some(secret) => Credential::Secret {
                secret: secret.clone(),
                method: self.token_endpoint_auth_method.clone(),
            },
            None => Credential::None,
        };
        Identity { client_id: self.client_id.clone(), credential }
    }
}

/// How this client is known to an authorization server.
pub(super) enum Known {
    /// By hand, or by its document.
    Already(Identity),
    /// It has to ask.
    MustAsk,
}

/// Who this client is, if it need not ask.
pub(super) fn known(config: &OAuth, issuer: &Issuer) -> Known {
    match (&config.identity, &config.metadata_url) {
        (Some(identity), _) => Known::Already(identity.clone()),
        (None, Some(url)) if issuer.client_id_metadata_document_supported => {
            Known::Already(Identity { client_id: url.clone(), credential: Credential::None })
        }
        _ => Known::MustAsk,
    }
}

/// Asks to be registered.
pub(super) async fn register(
    fetch: &Fetch,
    config: &OAuth,
    issuer: &Issuer,
    redirect_uri: &str,
    scopes: &[String],
) -> Result<Registered> {
    let Some(endpoint) = &issuer.registration_endpoint else {
        return Err(refused(format!(
            "{} registers no clients by itself: register this program there and give `OAuth` its client id",
            issuer.issuer
        )));
    };
    let mut body = metadata(config, redirect_uri);
    body["token_endpoint_auth_method"] = json!(asked_method(issuer));
    if !scopes.is_empty() {
        body["scope"] = json!(scopes.join(" "));
    }
    let answer = fetch.post(endpoint, http::HeaderMap::new(), Form::Json(&body)).await?;
    if !answer.is_success() {
        let said = super::said::said(&answer, &[]);
        let message = format!("{} does not register this client{said}", issuer.issuer);
        return Err(refused(message));
    }
    let registered: Registered = answer.json().map_err(|_| {
        refused(format!("{} answered the registration with something else", issuer.issuer))
    })?;
    Ok(Registered { redirect_uri: redirect_uri.to_owned(), ..registered })
}

/// What a client says about itself.
pub(super) fn metadata(config: &OAuth, redirect_uri: &str) -> serde_json::Value {
    json!({
        "client_name": config.name,
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": match redirect_uri.starts_with("https:") {
            true => "web",
            false => "native",
        },
    })
}

/// How the client would like to show who it is. A program on its user's machine keeps no secrets
/// from its user, so none is the honest wish.
fn asked_method(issuer: &Issuer) -> &'static str {
    let wishes = ["none", "client_secret_basic", "client_secret_post"];
    match &issuer.token_endpoint_auth_methods_supported {
        Some(methods) => {
            let mut offered = wishes.into_iter().filter(|wish| methods.iter().any(|m| m == wish));
            offered.next().unwrap_or("none")
        }
        None => "none",
    }
}
