//! Logins that a company manages: its identity provider exchanges who a user is for an assertion
//! (ID-JAG, RFC 8693), and the authorization server that trusts it takes that for a token (RFC 7523).
//! A server of this kind can be either.

use serde_json::{Value, json};

use super::Shared;
use super::keys::random;
use super::state::{Client, Grant, now};
use super::token::Refused;
use crate::form::Form;

pub(super) const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
pub(super) const ASSERTION: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const ASSERTION_SECONDS: u64 = 60;

/// The identity provider's part: an assertion for one authorization server and one client.
pub(super) fn exchange(shared: &Shared, client: &Client, form: &Form) -> Result<Value, Refused> {
    let wanted = (form.get("requested_token_type"), form.get("subject_token_type"));
    if wanted != (Some(ID_JAG), Some(ID_TOKEN)) {
        return Err(("invalid_request", "only ID tokens are exchanged, for ID-JAGs"));
    }
    let audience = form.get("audience").ok_or(("invalid_request", "audience is missing"))?;
    let mut state = shared.state();
    let subject = form.get("subject_token").and_then(|token| state.id_tokens.get(token));
    let Some(subject) = subject.filter(|(_, of)| *of == client.id).map(|(who, _)| who.clone())
    else {
        return Err(("invalid_grant", "the ID token is not one of this client"));
    };
    let mut claims = json!({
        "iss": shared.issuer,
        "sub": subject,
        "aud": audience,
        "client_id": client.id,
        "iat": now(),
        "exp": now() + ASSERTION_SECONDS,
        "jti": random(),
    });
    for name in ["resource", "scope"] {
        if let Some(value) = form.get(name) {
            claims[name] = json!(value);
        }
    }
    let assertion = state.keys.sign(shared.options.algorithm, "oauth-id-jag+jwt", &claims);
    state.assertions.insert(assertion.clone(), claims);
    Ok(json!({
        "access_token": assertion,
        "issued_token_type": ID_JAG,
        "token_type": "N_A",
        "expires_in": ASSERTION_SECONDS,
    }))
}

/// The authorization server's part: what an assertion of the trusted provider allows, once.
pub(super) fn by_assertion(
    shared: &Shared,
    client: &Client,
    form: &Form,
) -> Result<Grant, Refused> {
    let invalid = |why| ("invalid_grant", why);
    let assertion = form.get("assertion").ok_or(("invalid_request", "assertion is missing"))?;
    let provider = shared.state().trusted.clone().ok_or(invalid("no provider is trusted"))?;
    // Only who holds the key can have issued it, so that it was issued stands for the signature.
    let claims = provider.state().assertions.get(assertion).cloned();
    let claims = claims.ok_or(invalid("the assertion is not the provider's"))?;
    let text = |name: &str| claims[name].as_str().unwrap_or_default();
    if text("aud") != shared.issuer {
        return Err(invalid("the assertion is for another authorization server"));
    }
    if text("client_id") != client.id {
        return Err(invalid("the assertion is another client's"));
    }
    if claims["exp"].as_u64().is_none_or(|end| end <= now()) {
        return Err(invalid("the assertion is too old"));
    }
    let resource = super::authorize::check_resource(shared, form.get("resource"))?;
    if claims.get("resource").and_then(Value::as_str) != resource.as_deref() {
        return Err(("invalid_target", "resource is another one than the provider agreed to"));
    }
    let (allowed, asked) = (text("scope"), form.get("scope").unwrap_or_default());
    let allowed: Vec<&str> = allowed.split(' ').collect();
    if !asked.split(' ').all(|one| one.is_empty() || allowed.contains(&one)) {
        return Err(("invalid_scope", "the provider agreed to fewer scopes"));
    }
    if !shared.state().used_assertions.insert(text("jti").to_owned()) {
        return Err(invalid("the assertion was used before"));
    }
    Ok(Grant {
        client: client.id.clone(),
        subject: text("sub").to_owned(),
        resource,
        scope: asked.to_owned(),
        family: random(),
    })
}
