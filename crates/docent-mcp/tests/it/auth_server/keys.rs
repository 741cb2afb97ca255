//! Keys: fetched, cached, rotated.

use std::time::Duration;

use docent_mcp::VerifierLimits;
use docent_mcp::auth::{JwtVerifier, Protection};
use docent_testkit::authorization::{Algorithm, AuthorizationServer, Options};
use serde_json::json;

use super::{RESOURCE, call, counted};

fn fetches(authority: &AuthorizationServer) -> usize {
    authority.requests().iter().filter(|request| *request == "GET /jwks").count()
}

/// [SRV-AUTH-17] keys are fetched once for many, and again when they were rotated, but seldom.
#[tokio::test]
async fn keys_are_fetched_seldom() {
    let authority = AuthorizationServer::start(Options::default()).await;
    let asking_after = |keys_refresh_pause| {
        let limits = VerifierLimits { keys_refresh_pause, ..Default::default() };
        let verifier = JwtVerifier::new(authority.issuer()).limits(limits);
        counted().protect(Protection::new(RESOURCE, verifier))
    };
    let service = asking_after(Duration::from_secs(3600));
    let old = authority.token(RESOURCE, "ada", "");
    let all: Vec<_> = (0..8)
        .map(|_| {
            let (service, token) = (service.clone(), old.clone());
            tokio::spawn(async move { call(&service, &token).await.status })
        })
        .collect();
    for one in all {
        assert_eq!(one.await.unwrap(), 200);
    }
    assert_eq!(fetches(&authority), 1);

    // Names that nobody knows do not make us ask each time.
    let claims = authority.claims(RESOURCE, "ada", "");
    for n in 0..20 {
        let header = json!({ "alg": "ES256", "kid": format!("made-up-{n}") });
        let token = authority.sign_as(Algorithm::Es256, &header, &claims);
        assert_eq!(call(&service, &token).await.status, 401);
    }
    assert!(fetches(&authority) <= 2, "{:?}", authority.requests());

    let service = asking_after(Duration::ZERO);
    assert_eq!(call(&service, &old).await.status, 200);
    authority.rotate_keys();
    let new = authority.token(RESOURCE, "ada", "");
    assert_eq!(call(&service, &new).await.status, 200, "the first one with the new key");
    assert_eq!(call(&service, &old).await.status, 401, "the old key is gone");
}

/// [SRV-AUTH-17] when nobody can tell whether a token is good, it is not taken, and not called bad.
#[tokio::test]
async fn an_authorization_server_that_is_away() {
    let authority = AuthorizationServer::start(Options::default()).await;
    let token = authority.token(RESOURCE, "ada", "");
    let (issuer, keys) = (authority.issuer().to_owned(), authority.public_keys());
    drop(authority);
    let counted = counted();
    let service = counted.protect(Protection::new(RESOURCE, JwtVerifier::new(&issuer)));
    let refused = call(&service, &token).await;
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.headers.contains_key("retry-after") && refused.challenge().is_empty());
    assert_eq!(counted.reached(), 0);

    // Keys that were given need nobody.
    let verifier = JwtVerifier::new(&issuer).keys(&keys);
    let service = counted.protect(Protection::new(RESOURCE, verifier));
    assert_eq!(call(&service, &token).await.status, 200);
}

/// [SRV-AUTH-17] metadata of another issuer is not believed.
#[tokio::test]
async fn metadata_has_to_be_the_issuers_own() {
    let authority = AuthorizationServer::start(Options::default()).await;
    let elsewhere = format!("{}/", authority.issuer());
    let mut claims = authority.claims(RESOURCE, "ada", "");
    claims["iss"] = json!(elsewhere);
    let token = authority.sign(Algorithm::Es256, &claims);
    let service = counted().protect(Protection::new(RESOURCE, JwtVerifier::new(&elsewhere)));
    assert_eq!(call(&service, &token).await.status, 503);
    let verifier = JwtVerifier::new(&elsewhere).keys_at(format!("{}/jwks", authority.issuer()));
    let service = counted().protect(Protection::new(RESOURCE, verifier));
    assert_eq!(call(&service, &token).await.status, 200);
}
