//! The listener of the page: one task for each connection, and what every answer says.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::guard::Refusal;
use super::routes::{Answer, Body};
use super::{Shared, routes};

/// Connections at a time: a browser has about six for each page.
const CONNECTIONS_MAX: usize = 64;
/// How long a request may take to say what it wants.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// What a page may do: use its own files, draw pictures that are in it already, and ask where it came
/// from.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(super) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Too many files are open, most likely; that passes.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let shared = shared.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| answer(shared.clone(), request));
            // How a connection ends is its client's affair.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            drop(place);
        });
    }
}

async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    let path = request.uri().path().to_owned();
    let answer = match shared.guard.admit(&path, request.headers(), changes) {
        Ok(rest) => routes::route(&shared, rest, request).await,
        Err(Refusal::Stranger) => Answer::text(
            StatusCode::FORBIDDEN,
            "this page is for this machine only: use the address that was printed",
        ),
        Err(Refusal::Unknown) => Answer::text(
            StatusCode::FORBIDDEN,
            "the address is not complete: use the one that was printed",
        ),
        Err(Refusal::NotJson) => {
            Answer::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, "what is sent has to be JSON")
        }
    };
    let mut response = Response::new(answer.body);
    *response.status_mut() = answer.status;
    for (name, value) in [
        (CONTENT_TYPE, answer.kind),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}
