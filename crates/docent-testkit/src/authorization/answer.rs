//! Answers as OAuth has them.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

pub(super) type Answer = Response<Body>;

pub(super) fn json_answer(status: StatusCode, value: &Value) -> Answer {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// An error for the program that asks.
pub(super) fn refuse(status: StatusCode, error: &str, why: &str) -> Answer {
    let mut response = json_answer(status, &json!({ "error": error, "error_description": why }));
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Basic"));
    }
    response
}

/// An error for the person in front of the browser, who must not be sent anywhere.
pub(super) fn page(status: StatusCode, text: &str) -> Answer {
    let mut response = Response::new(Body::from(text.to_owned()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    response
}

pub(super) fn redirect(to: &str) -> Answer {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::FOUND;
    if let Ok(to) = HeaderValue::try_from(to) {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}
