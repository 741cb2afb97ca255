//! Tokens that only the authorization server can read.

use docent_mcp::auth::{Introspection, Protection};
use docent_testkit::authorization::{AuthorizationServer, Client, Options};
use serde_json::Value;

use super::{RESOURCE, call, counted};

fn machine(id: &str) -> Client {
    Client {
        id: id.to_owned(),
        secret: Some("s3cret".to_owned()),
        grant_types: vec!["client_credentials".to_owned()],
        auth_method: "client_secret_basic".to_owned(),
        ..Client::default()
    }
}

async fn token(authority: &AuthorizationServer, resource: &str) -> String {
    let form = format!("grant_type=client_credentials&scope=notes&resource={resource}");
    let (status, answer) =
        super::strictness::post(authority, "/token", Some(("worker", "s3cret")), &form).await;
    assert_eq!(status, 200, "{answer}");
    answer["access_token"].as_str().unwrap().to_owned()
}

/// [SRV-AUTH-17] the authorization server is asked once in a while, and its answer is checked.
#[tokio::test]
async fn opaque_tokens() {
    let options = Options { opaque_tokens: true, ..Options::default() };
    let authority = AuthorizationServer::start(options).await;
    authority.add_client(machine("worker"));
    authority.add_client(machine("server"));
    let counted = counted();
    let verifier = Introspection::new(authority.issuer(), "server", "s3cret");
    assert!(!format!("{verifier:?}").contains("s3cret"));
    let service = counted.protect(Protection::new(RESOURCE, verifier));

    let good = token(&authority, RESOURCE).await;
    for _ in 0..5 {
        let taken = call(&service, &good).await;
        assert_eq!((taken.status, taken.text()), (200, "worker: notes"), "{taken:?}");
    }
    let asked = |authority: &AuthorizationServer| {
        authority.requests().iter().filter(|request| *request == "POST /introspect").count()
    };
    assert_eq!(asked(&authority), 1);
    let elsewhere = token(&authority, "https://elsewhere.example/mcp").await;
    assert_eq!(call(&service, &elsewhere).await.status, 401);
    for _ in 0..5 {
        assert_eq!(call(&service, "made-up").await.status, 401);
    }
    assert_eq!(asked(&authority), 3, "refusals are remembered too");
    assert_eq!(counted.reached(), 5);

    // A server that the authorization server does not know cannot tell.
    let verifier = Introspection::new(authority.issuer(), "server", "wrong");
    let service = counted.protect(Protection::new(RESOURCE, verifier));
    let refused = call(&service, &good).await;
    assert_eq!(refused.status, 503);
    assert_ne!(refused.body, Value::Null);
}
