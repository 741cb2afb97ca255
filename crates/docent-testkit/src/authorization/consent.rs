//! The page on which a user agrees: it names the client and where it will be sent, and only the
//! browser that was shown it can answer.

use std::sync::Arc;

use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};

use super::Shared;
use super::answer::{Answer, page};
use super::authorize;
use super::keys::random;
use crate::form::Form;

/// A question that was not answered yet.
pub(super) struct Waiting {
    /// What the client asked for.
    query: String,
    /// What only the browser knows that was asked.
    browser: String,
}

/// Asks the user. The request was checked before.
pub(super) fn ask(shared: &Shared, query: &str, form: &Form) -> Answer {
    let (ticket, browser) = (random(), random());
    let asked = |name: &str| escape(form.get(name).unwrap_or("-"));
    let to = form.get("redirect_uri").unwrap_or_default();
    let host = to.split("://").nth(1).and_then(|rest| rest.split(['/', '?']).next());
    let text = format!(
        "<!doctype html><title>Allow?</title><p><b>{}</b> asks for {} at {}.\
         <p>It will be told at <b>{}</b>.\
         <form method=post action=/consent><input type=hidden name=ticket value={ticket}>\
         <button name=allow value=yes>Allow</button> <button name=allow value=no>Refuse</button></form>",
        asked("client_id"),
        asked("scope"),
        asked("resource"),
        escape(host.unwrap_or("-")),
    );
    let waiting = Waiting { query: query.to_owned(), browser: browser.clone() };
    shared.state().waiting.insert(ticket, waiting);
    let mut response = page(StatusCode::OK, &text);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    let policy = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    let cookie = format!("consent={browser}; Path=/; HttpOnly; SameSite=Lax");
    headers.insert(SET_COOKIE, HeaderValue::try_from(cookie).expect("visible ASCII"));
    response
}

/// Takes the answer, once, and from the browser that was asked.
pub(super) async fn answer(shared: &Arc<Shared>, headers: &HeaderMap, body: &str) -> Answer {
    let refused = |why| page(StatusCode::FORBIDDEN, why);
    let Some(form) = Form::read(body) else { return refused("the answer cannot be read") };
    let waiting = form.get("ticket").and_then(|ticket| shared.state().waiting.remove(ticket));
    let Some(waiting) = waiting else { return refused("nothing was asked") };
    let cookies = headers.get(COOKIE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let shown = cookies
        .split("; ")
        .any(|one| one.strip_prefix("consent=").is_some_and(|browser| browser == waiting.browser));
    match shown {
        true => authorize::finish(shared, &waiting.query, form.get("allow") == Some("yes")).await,
        false => refused("another browser was asked"),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
