//! Introspection (RFC 7662): what a token is worth, for servers that are known.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::Shared;
use super::answer::{Answer, json_answer, refuse};
use super::state::now;
use super::token::authenticate;
use crate::form::Form;

pub(super) async fn introspect(shared: &Arc<Shared>, headers: &HeaderMap, body: &str) -> Answer {
    let Some(form) = Form::read(body) else {
        return refuse(StatusCode::BAD_REQUEST, "invalid_request", "a parameter is repeated");
    };
    let known = authenticate(shared, headers, &form).await.is_ok_and(|it| it.secret.is_some());
    if !known {
        return refuse(StatusCode::UNAUTHORIZED, "invalid_client", "a known server has to ask");
    }
    let state = shared.state();
    let claims = form.get("token").and_then(|token| state.issued.get(token));
    let active = claims.filter(|claims| {
        let family = claims["family"].as_str().unwrap_or_default();
        !state.revoked.contains(family) && claims["exp"].as_u64().is_some_and(|end| end > now())
    });
    let answer = match active.cloned() {
        Some(Value::Object(mut claims)) => {
            claims.remove("family");
            claims.insert("active".to_owned(), Value::Bool(true));
            Value::Object(claims)
        }
        _ => json!({ "active": false }),
    };
    json_answer(StatusCode::OK, &answer)
}
