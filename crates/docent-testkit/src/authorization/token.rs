//! The token endpoint: codes, refresh tokens and credentials become tokens.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::Shared;
use super::answer::{Answer, json_answer, refuse};
use super::authorize::check_resource;
use super::clients;
use super::enterprise;
use super::keys::{random, text};
use super::state::{Client, Grant, Refresh, now};
use crate::form::{Form, decode};

pub(super) type Refused = (&'static str, &'static str);

pub(super) async fn token(shared: &Arc<Shared>, headers: &HeaderMap, body: &str) -> Answer {
    let Some(form) = Form::read(body) else {
        return refuse(StatusCode::BAD_REQUEST, "invalid_request", "a parameter is repeated");
    };
    let client = match authenticate(shared, headers, &form).await {
        Ok(client) => client,
        Err(why) => return refuse(StatusCode::UNAUTHORIZED, "invalid_client", &why),
    };
    let key = match super::proof::key(shared, headers) {
        Ok(key) => key,
        Err(why) => return refuse(StatusCode::BAD_REQUEST, "invalid_dpop_proof", why),
    };
    let kind = form.get("grant_type").unwrap_or_default();
    if !client.grant_types.iter().any(|known| known == kind) {
        let known = ["authorization_code", "refresh_token", "client_credentials"].contains(&kind);
        let error = if known { "unauthorized_client" } else { "unsupported_grant_type" };
        return refuse(StatusCode::BAD_REQUEST, error, "the client may not use this grant");
    }
    if kind == enterprise::EXCHANGE {
        return match enterprise::exchange(shared, &client, &form) {
            Ok(answer) => json_answer(StatusCode::OK, &answer),
            Err((error, why)) => refuse(StatusCode::BAD_REQUEST, error, why),
        };
    }
    let granted = match kind {
        enterprise::ASSERTION => enterprise::by_assertion(shared, &client, &form),
        "authorization_code" => by_code(shared, &client, &form),
        "refresh_token" => by_refresh(shared, &client, &form),
        _ => by_itself(shared, &client, &form),
    };
    match granted {
        Ok(grant) => json_answer(StatusCode::OK, &issue(shared, &client, &grant, key.as_deref())),
        Err((error, why)) => refuse(StatusCode::BAD_REQUEST, error, why),
    }
}

/// Who the client is, in exactly one way: the one that it was registered with.
pub(super) async fn authenticate(
    shared: &Arc<Shared>,
    headers: &HeaderMap,
    form: &Form,
) -> Result<Client, String> {
    let header = headers.get("authorization").and_then(|value| value.to_str().ok());
    let (method, id, secret) = match (header, form.get("client_secret")) {
        (Some(_), Some(_)) => return Err("the client shows who it is in two ways".to_owned()),
        (Some(header), None) => {
            let pair = header.strip_prefix("Basic ").and_then(|it| STANDARD.decode(it).ok());
            let pair = pair.and_then(|pair| String::from_utf8(pair).ok());
            let pair = pair.as_deref().and_then(|pair| pair.split_once(':'));
            let pair = pair.and_then(|(id, secret)| Some((decode(id)?, decode(secret)?)));
            let (id, secret) = pair.ok_or("the Authorization header cannot be read")?;
            ("client_secret_basic", id, Some(secret))
        }
        (None, Some(secret)) => {
            let id = form.get("client_id").unwrap_or_default();
            ("client_secret_post", id.to_owned(), Some(secret.to_owned()))
        }
        (None, None) => ("none", form.get("client_id").unwrap_or_default().to_owned(), None),
    };
    let client = clients::find(shared, &id).await?;
    match client.auth_method == method && client.secret == secret {
        true => Ok(client),
        false => Err("the client is not the one it says it is".to_owned()),
    }
}

fn by_code(shared: &Shared, client: &Client, form: &Form) -> Result<Grant, Refused> {
    let invalid = |why| ("invalid_grant", why);
    let mut state = shared.state();
    let code = form.get("code").and_then(|code| state.codes.get_mut(code));
    let code = code.ok_or(invalid("the code is not known"))?;
    if code.used {
        // Somebody else has it: whatever came of it ends.
        let family = code.grant.family.clone();
        state.revoked.insert(family);
        return Err(invalid("the code was used before"));
    }
    code.used = true;
    if code.grant.client != client.id {
        return Err(invalid("the code is another client's"));
    }
    if code.expires <= now() {
        return Err(invalid("the code is too old"));
    }
    if form.get("redirect_uri") != Some(&code.redirect_uri) {
        return Err(invalid("redirect_uri is another one"));
    }
    let verifier = form.get("code_verifier").filter(|it| (43..=128).contains(&it.len()));
    let challenge = verifier.map(|verifier| text(digest(&SHA256, verifier.as_bytes())));
    if challenge.as_deref() != Some(&code.challenge) {
        return Err(invalid("code_verifier does not fit"));
    }
    let grant = code.grant.clone();
    drop(state);
    same_resource(shared, form, &grant)?;
    Ok(grant)
}

/// A token can be for nobody else than the user agreed to.
fn same_resource(shared: &Shared, form: &Form, grant: &Grant) -> Result<(), Refused> {
    match check_resource(shared, form.get("resource"))? {
        resource if resource == grant.resource => Ok(()),
        _ => Err(("invalid_target", "resource is another one than was agreed to")),
    }
}

fn by_refresh(shared: &Shared, client: &Client, form: &Form) -> Result<Grant, Refused> {
    let invalid = |why| ("invalid_grant", why);
    let mut state = shared.state();
    let refresh = form.get("refresh_token").and_then(|token| state.refresh.get_mut(token));
    let refresh = refresh.ok_or(invalid("the refresh token is not known"))?;
    if refresh.grant.client != client.id {
        return Err(invalid("the refresh token is another client's"));
    }
    let used = std::mem::replace(&mut refresh.used, true);
    let mut grant = refresh.grant.clone();
    if used {
        state.revoked.insert(grant.family.clone());
        return Err(invalid("the refresh token was used before"));
    }
    if state.revoked.contains(&grant.family) {
        return Err(invalid("the refresh token was revoked"));
    }
    drop(state);
    same_resource(shared, form, &grant)?;
    if let Some(fewer) = form.get("scope") {
        let held: Vec<&str> = grant.scope.split(' ').collect();
        if !fewer.split(' ').all(|one| held.contains(&one)) {
            return Err(("invalid_scope", "a refresh cannot add scopes"));
        }
        grant.scope = fewer.to_owned();
    }
    Ok(grant)
}

fn by_itself(shared: &Shared, client: &Client, form: &Form) -> Result<Grant, Refused> {
    if client.secret.is_none() {
        return Err(("unauthorized_client", "a client without a secret cannot act for itself"));
    }
    let scope = form.get("scope").unwrap_or_default();
    if !scope.split(' ').filter(|one| !one.is_empty()).all(|one| shared.knows_scope(one)) {
        return Err(("invalid_scope", "a scope is not known"));
    }
    Ok(Grant {
        client: client.id.clone(),
        subject: client.id.clone(),
        resource: check_resource(shared, form.get("resource"))?,
        scope: scope.to_owned(),
        family: random(),
    })
}

fn issue(shared: &Shared, client: &Client, grant: &Grant, key: Option<&str>) -> Value {
    let lifetime = shared.options.token_seconds;
    let mut claims = json!({
        "iss": shared.issuer,
        "sub": grant.subject,
        "aud": grant.resource.as_deref().unwrap_or(&shared.issuer),
        "client_id": client.id,
        "scope": grant.scope,
        "iat": now(),
        "exp": now() + lifetime,
        "jti": random(),
    });
    if let Some(key) = key {
        claims["cnf"] = json!({ "jkt": key });
    }
    let mut state = shared.state();
    let token = match shared.options.opaque_tokens {
        true => random(),
        false => state.keys.sign(shared.options.algorithm, "at+jwt", &claims),
    };
    claims["family"] = json!(grant.family);
    state.issued.insert(token.clone(), claims);
    let mut answer = json!({
        "access_token": token,
        "token_type": if key.is_some() { "DPoP" } else { "Bearer" },
        "expires_in": lifetime,
        "scope": grant.scope,
    });
    if client.grant_types.iter().any(|grant| grant == "refresh_token") {
        let refresh = random();
        let kept = Refresh { grant: grant.clone(), used: false };
        state.refresh.insert(refresh.clone(), kept);
        answer["refresh_token"] = json!(refresh);
    }
    answer
}
