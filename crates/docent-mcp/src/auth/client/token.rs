//! Token requests: every grant ends here.

use serde::Deserialize;

use super::dpop::{Nonces, ProofKey};
use super::fetch::{Answer, Fetch, Form, refused};
use super::identity::{Credential, Identity};
use super::issuer::Issuer;
use super::said::{problem, said};
use crate::auth::Secret;
use crate::error::Error;

/// What a token endpoint gave.
#[derive(Debug, Deserialize)]
pub(super) struct Tokens {
    pub(super) access_token: Secret,
    #[serde(default)]
    pub(super) token_type: String,
    pub(super) issued_token_type: Option<String>,
    #[serde(default, deserialize_with = "lenient_seconds")]
    pub(super) expires_in: Option<u64>,
    pub(super) refresh_token: Option<Secret>,
    pub(super) scope: Option<String>,
}

/// Why it gave nothing.
#[derive(Debug)]
pub(super) struct Denied {
    /// `invalid_grant`, `invalid_client` and the like; nothing if it did not answer like that.
    pub(super) code: Option<String>,
    pub(super) error: Error,
}

impl Denied {
    pub(super) fn is(&self, code: &str) -> bool {
        self.code.as_deref() == Some(code)
    }
}

impl From<Error> for Denied {
    fn from(error: Error) -> Self {
        Denied { code: None, error }
    }
}

impl From<Denied> for Error {
    fn from(denied: Denied) -> Self {
        denied.error
    }
}

/// Who asks whom, for every request of one login.
pub(super) struct Asking<'a> {
    pub(super) fetch: &'a Fetch,
    pub(super) nonces: &'a Nonces,
    pub(super) issuer: &'a Issuer,
    pub(super) identity: &'a Identity,
    /// The key that the token shall be bound to.
    pub(super) key: Option<&'a ProofKey>,
}

impl Asking<'_> {
    /// Asks for a token.
    pub(super) async fn ask(&self, grant: Vec<(&'static str, String)>) -> Result<Tokens, Denied> {
        let endpoint = self.issuer.token_endpoint()?;
        let mut sent = self.send(endpoint, &grant).await?;
        if self.wants_nonce(endpoint, &sent.answer) {
            sent = self.send(endpoint, &grant).await?;
        }
        let tokens = read(&self.issuer.issuer, &sent)?;
        let kind = tokens.token_type.as_str();
        match self.key {
            Some(_) if !kind.eq_ignore_ascii_case("dpop") => Err(refused(format!(
                "{} gave a token that is not bound to the key of this client",
                self.issuer.issuer
            ))
            .into()),
            None if !kind.eq_ignore_ascii_case("bearer") && !kind.eq_ignore_ascii_case("n_a") => {
                let kind: String = kind.chars().take(40).collect();
                Err(refused(format!("{} gave a token of the type {kind:?}", self.issuer.issuer))
                    .into())
            }
            _ => Ok(tokens),
        }
    }

    async fn send(
        &self,
        endpoint: &str,
        grant: &[(&'static str, String)],
    ) -> crate::error::Result<Sent> {
        let (mut headers, mut form) = (http::HeaderMap::new(), grant.to_vec());
        self.identity.show(self.issuer, &mut headers, &mut form)?;
        if let Some(key) = self.key {
            let nonce = self.nonces.of(endpoint);
            let proof = key.prove("POST", endpoint, None, nonce.as_deref())?;
            headers.insert("dpop", proof.parse().map_err(|_| refused("a proof is no header"))?);
        }
        let mut secrets = secrets(&form, &headers);
        if let Credential::Secret { secret, .. } = &self.identity.credential {
            secrets.push(secret.expose().to_owned());
        }
        let pairs: Vec<_> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = self.fetch.post(endpoint, headers, Form::Pairs(&pairs)).await?;
        Ok(Sent { answer, secrets })
    }

    /// Whether the server wants the same again with the nonce that it gave.
    fn wants_nonce(&self, endpoint: &str, answer: &Answer) -> bool {
        let new = self.nonces.take(endpoint, &answer.headers);
        new && self.key.is_some() && problem(answer).error.as_deref() == Some("use_dpop_nonce")
    }
}

/// What came back for a request, and what of the request must not be shown, whoever repeats it.
struct Sent {
    answer: Answer,
    secrets: Vec<String>,
}

fn secrets(form: &[(&'static str, String)], headers: &http::HeaderMap) -> Vec<String> {
    let public = ["grant_type", "client_id", "redirect_uri", "scope", "resource", "audience"];
    let secret = form.iter().filter(|(name, _)| !public.contains(name) && !name.ends_with("_type"));
    let shown = headers.get(http::header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let shown = shown.and_then(|value| value.split_once(' ')).map(|(_, pair)| pair.to_owned());
    secret.map(|(_, value)| value.clone()).chain(shown).collect()
}

fn read(issuer: &str, Sent { answer, secrets }: &Sent) -> Result<Tokens, Denied> {
    if !answer.is_success() {
        let message = format!("{issuer} gave no token{}", said(answer, secrets));
        return Err(Denied { code: problem(answer).error, error: refused(message) });
    }
    // Never with what the parser says: it may quote a token.
    let unreadable = |_| refused(format!("{issuer} answered with something that is no token"));
    let tokens: Tokens = answer.json().map_err(unreadable)?;
    let usable = |token: &Secret| {
        let text = token.expose();
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
    };
    if !usable(&tokens.access_token) || !tokens.refresh_token.iter().all(usable) {
        return Err(refused(format!("{issuer} gave a token that cannot be sent")).into());
    }
    Ok(tokens)
}

/// Some servers write the number as a string; what is no number is taken as not said.
pub(super) fn lenient_seconds<'de, D: serde::Deserializer<'de>>(
    value: D,
) -> Result<Option<u64>, D::Error> {
    Ok(match serde_json::Value::deserialize(value)? {
        serde_json::Value::Number(number) => {
            number.as_u64().or_else(|| number.as_f64().map(|seconds| seconds as u64))
        }
        serde_json::Value::String(text) => text.parse().ok(),
        _ => None,
    })
}
