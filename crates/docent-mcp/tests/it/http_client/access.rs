//! Tokens, challenges, redirects: what may go where.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use docent_mcp::ErrorKind;
use docent_mcp::transport::BoxFuture;
use docent_mcp::transport::http::{Challenge, HookError, OutgoingRequest, RequestHook};
use serde_json::json;

use super::web::{Reply, Web};
use super::{builder, endpoint, modern, session, text};

/// Gives out tokens, each good for one challenge.
#[derive(Clone, Default)]
struct Tokens {
    number: Arc<AtomicU32>,
    seen: Arc<Mutex<Vec<String>>>,
    challenges: Arc<Mutex<Vec<Challenge>>>,
    stubborn: bool,
    broken: bool,
}

impl RequestHook for Tokens {
    fn prepare<'a>(
        &'a self,
        request: &'a mut OutgoingRequest,
    ) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            if self.broken {
                return Err("the token store is locked".into());
            }
            self.seen.lock().unwrap().push(format!("{} {}", request.method, request.url));
            let token = format!("Bearer {}", self.number.load(Ordering::SeqCst));
            request.headers.insert("authorization", token.parse()?);
            Ok(())
        })
    }

    fn challenged<'a>(
        &'a self,
        challenge: &'a Challenge,
    ) -> BoxFuture<'a, Result<bool, HookError>> {
        Box::pin(async move {
            self.challenges.lock().unwrap().push(challenge.clone());
            self.number.fetch_add(1, Ordering::SeqCst);
            Ok(!self.stubborn)
        })
    }
}

/// Headers of the endpoint and of its hook go with every request, of every kind.
#[tokio::test]
async fn headers_go_with_every_request() {
    let web = Web::start(session("s", "2025-11-25")).await;
    let tokens = Tokens::default();
    let endpoint = endpoint(&web).header("X-Team", "blue").unwrap().hook(tokens.clone());
    let client = builder().connect(endpoint).await.unwrap();
    client.tools().await.unwrap();
    client.close().await;
    for verb in ["POST", "DELETE"] {
        assert!(web.seen().iter().any(|seen| seen.verb == verb), "{verb}");
    }
    for seen in web.seen() {
        assert_eq!(seen.header("x-team"), Some("blue"), "{}", seen.method());
        assert_eq!(seen.header("authorization"), Some("Bearer 0"), "{}", seen.method());
        assert_eq!(seen.path, "/mcp");
    }
    assert_eq!(tokens.seen.lock().unwrap()[0], format!("POST {}", web.url));
}

/// A hook that can answer a challenge gets its request made again; the caller notices nothing.
#[tokio::test]
async fn challenges_go_to_the_hook() {
    let web = Web::start(|seen| match seen.header("authorization") {
        Some("Bearer 1") if seen.method() != "tools/call" => modern(seen),
        Some("Bearer 2") => modern(seen),
        Some("Bearer 0") => Reply::status(401).with("www-authenticate", "Bearer scope=\"a\""),
        _ => Reply::status(403).with("www-authenticate", "Bearer error=\"insufficient_scope\""),
    })
    .await;
    let tokens = Tokens::default();
    let client = builder().connect(endpoint(&web).hook(tokens.clone())).await.unwrap();
    assert_eq!(text(&client.call("x", json!({})).await.unwrap()), "x");
    let challenges = tokens.challenges.lock().unwrap().clone();
    let said: Vec<_> = challenges
        .iter()
        .map(|challenge| (challenge.status, challenge.www_authenticate().next().unwrap()))
        .collect();
    assert_eq!(said, [(401, "Bearer scope=\"a\""), (403, "Bearer error=\"insufficient_scope\"")]);
    assert!(challenges.iter().all(|challenge| challenge.attempt == 1 && challenge.url == web.url));
}

/// A challenge that cannot be answered is told, and one that comes again and again ends.
#[tokio::test]
async fn challenges_end() {
    for (stubborn, requests) in [(true, 1), (false, 4)] {
        let web = Web::start(|_| Reply::status(401)).await;
        let tokens = Tokens { stubborn, ..Tokens::default() };
        let error = builder().connect(endpoint(&web).hook(tokens)).await.unwrap_err();
        assert_eq!(error.http_status(), Some(401), "{error}");
        assert_eq!(web.seen().len(), requests);
    }
    let web = Web::start(modern).await;
    let tokens = Tokens { broken: true, ..Tokens::default() };
    let error = builder().connect(endpoint(&web).hook(tokens)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transport);
    assert!(format!("{error:#}").contains("the token store is locked"), "{error:#}");
    assert!(web.seen().is_empty());
}

/// Credentials and session ids never leave the origin: redirects to another one are not followed,
/// whatever their status.
#[tokio::test]
async fn redirects_to_another_origin_are_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let thief = Web::start(modern).await;
        let to = thief.url.clone();
        let web = Web::start(move |_| Reply::status(status).with("location", &*to)).await;
        let endpoint = endpoint(&web).bearer_token("secret").unwrap();
        let error = builder().connect(endpoint).await.unwrap_err();
        assert_eq!(error.http_status(), Some(status));
        assert!(error.to_string().contains("not followed"), "{error}");
        assert!(thief.seen().is_empty(), "{status}");
        assert_eq!(web.seen().len(), 1, "{status}");
    }
}

/// Within the origin, a redirect that keeps the message is followed; one that goes in circles ends.
#[tokio::test]
async fn redirects_within_the_origin_are_followed() {
    for status in [307, 308] {
        let web = Web::start(move |seen| match seen.path.as_str() {
            "/mcp" => Reply::status(status).with("location", "/mcp/"),
            _ => modern(seen),
        })
        .await;
        let endpoint = endpoint(&web).bearer_token("secret").unwrap();
        let client = builder().connect(endpoint).await.unwrap();
        client.call("x", json!({})).await.unwrap();
        let seen = web.seen().pop().unwrap();
        assert_eq!(seen.header("authorization"), Some("Bearer secret"));
        assert_eq!(seen.header("mcp-name"), Some("x"));
    }
    let web = Web::start(|_| Reply::status(307).with("location", "/mcp")).await;
    let error = builder().connect(endpoint(&web)).await.unwrap_err();
    assert_eq!(error.http_status(), Some(307));
    assert!(web.seen().len() <= 6, "{}", web.seen().len());
}
