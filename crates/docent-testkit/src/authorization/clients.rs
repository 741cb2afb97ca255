//! How clients become known: registration (RFC 7591) and metadata documents.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::Shared;
use super::answer::{Answer, json_answer, refuse};
use super::keys::random;
use super::state::Client;
use crate::plain_http;

const DOCUMENT_BYTES_MAX: usize = 5 << 10;

/// Registers a client that describes itself.
pub(super) fn register(shared: &Shared, body: &[u8]) -> Answer {
    let bad = |why: &str| refuse(StatusCode::BAD_REQUEST, "invalid_client_metadata", why);
    let Ok(Value::Object(metadata)) = serde_json::from_slice::<Value>(body) else {
        return bad("this is no JSON object");
    };
    let metadata = Value::Object(metadata);
    let client = match described(&metadata) {
        Ok(client) => client,
        Err(why) if why.contains("redirect") => {
            return refuse(StatusCode::BAD_REQUEST, "invalid_redirect_uri", &why);
        }
        Err(why) => return bad(&why),
    };
    let id = random();
    let secret = (client.auth_method != "none").then(random);
    let mut answer = metadata.clone();
    answer["client_id"] = json!(id);
    answer["grant_types"] = json!(client.grant_types);
    answer["token_endpoint_auth_method"] = json!(client.auth_method);
    if let Some(secret) = &secret {
        answer["client_secret"] = json!(secret);
        answer["client_secret_expires_at"] = json!(0);
    }
    shared.state().clients.insert(id.clone(), Client { id, secret, ..client });
    json_answer(StatusCode::CREATED, &answer)
}

/// A client as its metadata has it.
fn described(metadata: &Value) -> Result<Client, String> {
    let texts = |name: &str| -> Result<Option<Vec<String>>, String> {
        match metadata.get(name) {
            None => Ok(None),
            Some(Value::Array(all)) => all
                .iter()
                .map(|one| one.as_str().map(str::to_owned).ok_or(format!("{name} holds no text")))
                .collect::<Result<_, _>>()
                .map(Some),
            Some(_) => Err(format!("{name} is no list")),
        }
    };
    let native = match metadata.get("application_type").and_then(Value::as_str) {
        Some("native") => true,
        Some("web") | None => false,
        Some(other) => return Err(format!("application_type {other} is not known")),
    };
    let grant_types =
        texts("grant_types")?.unwrap_or_else(|| vec!["authorization_code".to_owned()]);
    let redirect_uris = texts("redirect_uris")?.unwrap_or_default();
    if redirect_uris.is_empty() && grant_types.iter().any(|grant| grant == "authorization_code") {
        return Err("redirect_uris are missing".to_owned());
    }
    for uri in &redirect_uris {
        check_redirect(uri, native)?;
    }
    let auth_method = metadata.get("token_endpoint_auth_method").and_then(Value::as_str);
    let auth_method = auth_method.unwrap_or("client_secret_basic").to_owned();
    if !["none", "client_secret_basic", "client_secret_post"].contains(&auth_method.as_str()) {
        return Err(format!("the method {auth_method} is not known"));
    }
    Ok(Client { id: String::new(), secret: None, redirect_uris, grant_types, auth_method })
}

/// A web application has https; one on the user's machine may listen on it (OpenID Registration).
fn check_redirect(uri: &str, native: bool) -> Result<(), String> {
    let loopback = super::authorize::loopback(uri).is_some();
    if uri.contains('#') {
        return Err("a redirect must have no fragment".to_owned());
    }
    match (uri.split_once("://").map(|(scheme, _)| scheme), native) {
        (Some("https"), _) => Ok(()),
        (Some("http"), true) if loopback => Ok(()),
        (Some("http"), false) if loopback => {
            Err("a redirect to this machine needs application_type native".to_owned())
        }
        _ => Err("a redirect must be https, or http on this machine".to_owned()),
    }
}

/// A client by its id; one that is an address is fetched.
pub(super) async fn find(shared: &Arc<Shared>, id: &str) -> Result<Client, String> {
    if let Some(client) = shared.state().clients.get(id) {
        return Ok(client.clone());
    }
    let (scheme, rest) = id.split_once("://").ok_or("the client is not known")?;
    let path = rest.split_once('/').map(|(_, path)| path).unwrap_or_default();
    let local = scheme == "http" && super::authorize::loopback(id).is_some();
    let odd = id.contains(['#', '@']) || path.split('/').any(|part| part == "." || part == "..");
    if (scheme != "https" && !local) || path.is_empty() || odd {
        return Err("a client id that is an address is https, with a path".to_owned());
    }
    let known = shared.state().documents.get(id).cloned();
    let document = match known {
        Some(document) => document,
        // Without TLS, and without a reason to ask anybody else, only this machine is asked.
        None if local => fetch(id).await?,
        None => return Err("the client's document cannot be fetched".to_owned()),
    };
    if document["client_id"] != id {
        return Err("the client's document names another client".to_owned());
    }
    let shared_secret = document.get("client_secret").is_some()
        || document["token_endpoint_auth_method"].as_str().is_some_and(|it| it.contains("secret"));
    if shared_secret {
        return Err("a public document cannot hold a secret".to_owned());
    }
    let mut document = document;
    document["token_endpoint_auth_method"] = json!("none");
    if document.get("application_type").is_none() {
        document["application_type"] = json!("native");
    }
    Ok(Client { id: id.to_owned(), ..described(&document)? })
}

async fn fetch(address: &str) -> Result<Value, String> {
    let asking = plain_http::send("GET", address, &[("accept", "application/json")], "");
    let reply = match tokio::time::timeout(Duration::from_secs(5), asking).await {
        Ok(Ok(reply)) if reply.status == 200 => reply,
        _ => return Err("the client's document cannot be fetched".to_owned()),
    };
    if reply.body.len() > DOCUMENT_BYTES_MAX {
        return Err("the client's document is too long".to_owned());
    }
    serde_json::from_slice(&reply.body).map_err(|_| "the client's document is no JSON".to_owned())
}
