//! The authorization endpoint: from a client's wish to a code.
//!
//! There is one user, who agrees to everything at once, unless told to refuse, or to be asked.

use std::sync::Arc;

use axum::http::StatusCode;

use super::Shared;
use super::answer::{Answer, page, redirect};
use super::clients;
use super::consent;
use super::keys::random;
use super::state::{Code, Grant, now};
use crate::form::{Form, encode};

const CODE_SECONDS: u64 = 60;

pub(super) async fn authorize(shared: &Arc<Shared>, query: &str) -> Answer {
    respond(shared, query, None).await
}

/// Goes on once the user has answered.
pub(super) async fn finish(shared: &Arc<Shared>, query: &str, allowed: bool) -> Answer {
    respond(shared, query, Some(allowed)).await
}

async fn respond(shared: &Arc<Shared>, query: &str, answered: Option<bool>) -> Answer {
    let Some(form) = Form::read(query) else {
        return page(StatusCode::BAD_REQUEST, "the request repeats a parameter");
    };
    // Until client and redirect are known to belong together, nobody is sent anywhere.
    let client = match form.get("client_id") {
        Some(id) => clients::find(shared, id).await,
        None => Err("client_id is missing".to_owned()),
    };
    let client = match client {
        Ok(client) => client,
        Err(why) => return page(StatusCode::BAD_REQUEST, &why),
    };
    let Some(to) = form.get("redirect_uri") else {
        return page(StatusCode::BAD_REQUEST, "redirect_uri is missing");
    };
    if !client.redirect_uris.iter().any(|known| same_redirect(known, to)) {
        return page(StatusCode::BAD_REQUEST, "redirect_uri is not one of the client's");
    }
    let checked = check(shared, &form);
    if checked.is_ok() && answered.is_none() && shared.options.asks_user {
        return consent::ask(shared, query, &form);
    }
    let allowed = answered.unwrap_or(!shared.options.user_refuses);
    let outcome = checked.and_then(|wish| match allowed {
        true => Ok(grant(shared, wish, to, &client.id)),
        false => Err(("access_denied", "the user refused")),
    });
    let mut pairs = match &outcome {
        Ok(code) => vec![("code", code.as_str())],
        Err((error, why)) => vec![("error", *error), ("error_description", *why)],
    };
    pairs.extend(form.get("state").map(|state| ("state", state)));
    if shared.options.names_itself {
        pairs.push(("iss", &shared.issuer));
    }
    let joint = if to.contains('?') { '&' } else { '?' };
    redirect(&format!("{to}{joint}{}", encode(&pairs)))
}

/// What a client wants, if it may want it.
struct Wish {
    challenge: String,
    resource: Option<String>,
    scope: String,
}

fn check(shared: &Shared, form: &Form) -> Result<Wish, (&'static str, &'static str)> {
    if form.get("response_type") != Some("code") {
        return Err(("unsupported_response_type", "only code is known"));
    }
    let challenge = form.get("code_challenge").filter(|challenge| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        challenge.len() == 43 && challenge.bytes().all(plain)
    });
    let (Some(challenge), Some("S256")) = (challenge, form.get("code_challenge_method")) else {
        return Err(("invalid_request", "PKCE with S256 is needed"));
    };
    let resource = check_resource(shared, form.get("resource"))?;
    let scope = form.get("scope").unwrap_or_default();
    if !scope.split(' ').filter(|one| !one.is_empty()).all(|one| shared.knows_scope(one)) {
        return Err(("invalid_scope", "a scope is not known"));
    }
    Ok(Wish { challenge: challenge.to_owned(), resource, scope: scope.to_owned() })
}

/// A code for what the user allowed.
fn grant(shared: &Shared, wish: Wish, to: &str, client: &str) -> String {
    let code = random();
    let grant = Grant {
        client: client.to_owned(),
        subject: shared.options.user.clone(),
        resource: wish.resource,
        scope: wish.scope,
        family: random(),
    };
    let made = Code {
        grant,
        redirect_uri: to.to_owned(),
        challenge: wish.challenge,
        expires: now() + CODE_SECONDS,
        used: false,
    };
    shared.state().codes.insert(code.clone(), made);
    code
}

/// The server that a token is for (RFC 8707), which has to be named.
pub(super) fn check_resource(
    shared: &Shared,
    resource: Option<&str>,
) -> Result<Option<String>, (&'static str, &'static str)> {
    let wrong = ("invalid_target", "resource has to be the address of a known server");
    let Some(resource) = resource else {
        return match shared.options.needs_resource {
            true => Err(wrong),
            false => Ok(None),
        };
    };
    let known = &shared.options.resources;
    let usable = resource.contains("://") && !resource.contains('#');
    match usable && (known.is_empty() || known.iter().any(|one| one == resource)) {
        true => Ok(Some(resource.to_owned())),
        false => Err(wrong),
    }
}

/// Letter by letter; but a program on the user's machine cannot choose its port in advance.
fn same_redirect(known: &str, asked: &str) -> bool {
    known == asked || loopback(known).is_some_and(|known| Some(known) == loopback(asked))
}

/// An http address on this machine, without its port: host, and the rest.
pub(super) fn loopback(uri: &str) -> Option<(&str, &str)> {
    let rest = uri.strip_prefix("http://")?;
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    matches!(host, "localhost" | "127.0.0.1" | "[::1]").then_some((host, path))
}
