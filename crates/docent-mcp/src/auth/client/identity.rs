//! How a client shows to a token endpoint who it is: not at all, by a secret, by a signature.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use serde_json::json;

use super::address::percent_encode;
use super::dpop::now;
use super::fetch::refused;
use super::issuer::Issuer;
use super::jwt::PrivateKey;
use super::random;
use crate::auth::Secret;
use crate::error::Result;

/// A client, as one authorization server knows it.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) client_id: String,
    pub(super) credential: Credential,
}

#[derive(Clone, Debug)]
pub(super) enum Credential {
    None,
    Secret {
        secret: Secret,
        /// How the server wants it, if it said so when it gave it.
        method: Option<String>,
    },
    Key(Arc<PrivateKey>),
}

/// How long an assertion is good. It is used at once; the rest is for clocks that differ.
const ASSERTION_SECONDS: u64 = 300;

impl Identity {
    /// Adds to a token request what shows who is asking.
    pub(super) fn show(
        &self,
        issuer: &Issuer,
        headers: &mut HeaderMap,
        form: &mut Vec<(&'static str, String)>,
    ) -> Result<()> {
        match &self.credential {
            Credential::None => form.push(("client_id", self.client_id.clone())),
            Credential::Secret { secret, method } => {
                match method.as_deref().unwrap_or_else(|| chosen_method(issuer)) {
                    "client_secret_basic" => {
                        headers.insert(AUTHORIZATION, self.basic(secret)?);
                    }
                    "client_secret_post" => {
                        form.push(("client_id", self.client_id.clone()));
                        form.push(("client_secret", secret.expose().to_owned()));
                    }
                    "none" => form.push(("client_id", self.client_id.clone())),
                    other => {
                        let other: String = other.chars().take(40).collect();
                        let message = format!(
                            "{} wants clients to authenticate by {other:?}, which this client cannot",
                            issuer.issuer
                        );
                        return Err(refused(message));
                    }
                }
            }
            Credential::Key(key) => {
                let claims = json!({
                    "iss": self.client_id,
                    "sub": self.client_id,
                    "aud": issuer.issuer,
                    "jti": random::text()?,
                    "iat": now(),
                    "exp": now() + ASSERTION_SECONDS,
                });
                let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
                form.push(("client_id", self.client_id.clone()));
                form.push(("client_assertion_type", kind.to_owned()));
                form.push(("client_assertion", key.sign(&claims)?));
            }
        }
        Ok(())
    }

    /// Both parts are encoded before they are joined: a colon in one would be read as the end of
    /// it (RFC 6749, 2.3.1).
    fn basic(&self, secret: &Secret) -> Result<HeaderValue> {
        let mut pair = String::new();
        percent_encode(&self.client_id, &mut pair);
        pair.push(':');
        percent_encode(secret.expose(), &mut pair);
        let text = format!("Basic {}", STANDARD.encode(pair));
        let mut value =
            HeaderValue::from_str(&text).map_err(|_| refused("the client secret is too odd"))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// The way to show a secret that the server offers.
fn chosen_method(issuer: &Issuer) -> &'static str {
    let ways = ["client_secret_basic", "client_secret_post", "none"];
    ways.into_iter().find(|way| issuer.supports_auth_method(way)).unwrap_or("client_secret_basic")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [CLI-AUTH-16] the way that the metadata offers, and the one that came with the secret.
    #[test]
    fn secrets_are_shown_the_way_the_server_wants() {
        let issuer = |methods: &[&str]| Issuer {
            token_endpoint_auth_methods_supported: (!methods.is_empty())
                .then(|| methods.iter().map(|method| (*method).to_owned()).collect()),
            ..Issuer::default()
        };
        for (offered, given, basic, fields) in [
            (&[][..], None, true, &[][..]),
            (&["client_secret_basic"], None, true, &[]),
            (&["client_secret_post"], None, false, &["client_id", "client_secret"]),
            (&["none"], None, false, &["client_id"]),
            (&["client_secret_post"], Some("client_secret_basic"), true, &[]),
        ] {
            let identity = Identity {
                client_id: "a:b".to_owned(),
                credential: Credential::Secret {
                    secret: "c d".into(),
                    method: given.map(str::to_owned),
                },
            };
            let (mut headers, mut form) = (HeaderMap::new(), Vec::new());
            identity.show(&issuer(offered), &mut headers, &mut form).unwrap();
            let names: Vec<_> = form.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, fields, "{offered:?} {given:?}");
            let header = headers.get(AUTHORIZATION).map(|value| value.to_str().unwrap());
            let expected = format!("Basic {}", STANDARD.encode("a%3Ab:c%20d"));
            assert_eq!(header, basic.then_some(expected.as_str()), "{offered:?} {given:?}");
            assert!(!format!("{headers:?}{identity:?}").contains("c d"));
        }
    }
}
