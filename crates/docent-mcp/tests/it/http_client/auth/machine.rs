//! Programs that log in by themselves.

use docent_mcp::auth::{IdentityProvider, OAuth, PrivateKey, Secret, TokenFile};
use docent_testkit::folder::Folder;
use serde_json::{Value, json};

use super::super::modern;
use super::super::web::{Reply, Seen};
use super::{Instead, Realm};

/// A key that was made for these tests.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----";

/// With a secret or a signature, without a user, and again when the token is over. [CLI-AUTH-19]
#[tokio::test]
async fn client_credentials() {
    let realm = Realm::start().await;
    realm.metadata("token_endpoint_auth_methods_supported", json!(["client_secret_basic"]));
    let login = OAuth::machine("me").client_secret("hunter2").scope("extra");
    let client = realm.connect(login).await.unwrap();
    realm.rules().tokens.clear();
    client.call("x", json!({})).await.unwrap();
    let asked: Vec<_> = realm.seen().into_iter().filter(|seen| seen.path == "/token").collect();
    assert_eq!(asked.len(), 2);
    for seen in asked {
        assert_eq!(seen.header("authorization"), Some("Basic bWU6aHVudGVyMg=="));
        let expected = json!({
            "grant_type": "client_credentials",
            "scope": "use extra",
            "resource": realm.url(),
        });
        assert_eq!(seen.body, expected);
    }
    let realm = Realm::start().await;
    let login = OAuth::machine("me").private_key(PrivateKey::from_pem(KEY).unwrap());
    realm.connect(login).await.unwrap();
    let form = realm.rules().granted[0].clone();
    let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    assert_eq!(form["client_assertion_type"], kind);
    let claims = claims(form["client_assertion"].as_str().unwrap());
    assert_eq!(claims["aud"], realm.base());
    assert_eq!((&claims["iss"], &claims["sub"]), (&json!("me"), &json!("me")));
    assert!(claims["exp"].as_u64() > claims["iat"].as_u64() && claims["jti"].is_string());
}

fn claims(token: &str) -> Value {
    use base64::Engine as _;
    let part = token.split('.').nth(1).unwrap();
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(part).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// The token of a workload is the assertion; a refusal is final, and no other way is tried.
/// [CLI-AUTH-22]
#[tokio::test]
async fn workloads() {
    let folder = Folder::new();
    let file = TokenFile(folder.write("token", "workload-1\n"));
    let realm = Realm::start().await;
    let client = realm.connect(OAuth::workload("me", file)).await.unwrap();
    folder.write("token", "workload-2\n");
    realm.rules().tokens.clear();
    client.call("x", json!({})).await.unwrap();
    let assertions: Vec<_> =
        realm.rules().granted.iter().map(|form| form["assertion"].clone()).collect();
    assert_eq!(assertions, ["workload-1", "workload-2"]);
    assert_eq!(
        realm.rules().granted[0]["grant_type"],
        "urn:ietf:params:oauth:grant-type:jwt-bearer"
    );

    let realm = Realm::start().await;
    realm.rules().instead.insert("/token".to_owned(), |_| {
        Reply::json(400, &json!({ "error": "invalid_grant", "error_description": "expired" }))
    });
    let login = OAuth::workload("me", Secret::new("hunter2"));
    let error = realm.connect(login).await.unwrap_err();
    assert!(error.to_string().contains("invalid_grant, expired"), "{error}");
    assert_eq!(realm.count("/token"), 1);
}

/// The identity provider's token is exchanged for one that the authorization server takes.
/// [CLI-AUTH-20]
#[tokio::test]
async fn enterprise() {
    for (kind, good) in [
        ("urn:ietf:params:oauth:token-type:id-jag", true),
        ("urn:ietf:params:oauth:token-type:access_token", false),
    ] {
        let (realm, company) = (Realm::start().await, Realm::start().await);
        let give: Instead = match good {
            true => |_| {
                Reply::json(
                    200,
                    &json!({
                        "access_token": "jag",
                        "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag",
                        "token_type": "N_A",
                    }),
                )
            },
            false => |_| {
                Reply::json(
                    200,
                    &json!({
                        "access_token": "jag",
                        "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
                        "token_type": "N_A",
                    }),
                )
            },
        };
        company.rules().instead.insert("/token".to_owned(), give);
        let provider = IdentityProvider::new(
            format!("{}/token", company.base()),
            "at-company",
            Secret::new("identity"),
        );
        let outcome = realm.connect(OAuth::enterprise("me", provider)).await;
        let exchanged = company.seen().into_iter().find(|seen| seen.path == "/token").unwrap();
        let expected = json!({
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag",
            "audience": realm.base(),
            "subject_token": "identity",
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "scope": "use",
            "resource": realm.url(),
            "client_id": "at-company",
        });
        assert_eq!(exchanged.body, expected);
        assert_eq!(outcome.is_ok(), good, "{kind}");
        assert_eq!(realm.count("/token"), usize::from(good));
        if good {
            assert_eq!(realm.rules().granted[0]["assertion"], "jag");
        }
    }
}

/// The proof of a request.
fn proof(seen: &Seen) -> Value {
    seen.header("dpop").map_or(Value::Null, claims)
}

/// A realm whose tokens are bound to keys, and whose two halves want a nonce each.
async fn bound(token_type: &'static str) -> Realm {
    let realm = Realm::start().await;
    let token: Instead = match token_type {
        "DPoP" => |seen| match proof(seen)["nonce"] == "for tokens" {
            true => Reply::json(200, &json!({ "access_token": "bound", "token_type": "DPoP" })),
            false => Reply::json(400, &json!({ "error": "use_dpop_nonce" }))
                .with("dpop-nonce", "for tokens"),
        },
        _ => |_| Reply::json(200, &json!({ "access_token": "bare", "token_type": "Bearer" })),
    };
    let mcp: Instead = |seen| match (seen.header("authorization"), &proof(seen)["nonce"]) {
        (Some("DPoP bound"), nonce) if nonce == "for calls" => modern(seen),
        (Some("DPoP bound"), _) => Reply::status(401)
            .with("www-authenticate", "DPoP error=\"use_dpop_nonce\"")
            .with("dpop-nonce", "for calls"),
        _ => Reply::status(401).with("www-authenticate", "DPoP algs=\"ES256\""),
    };
    realm.rules().instead.extend([("/token".to_owned(), token), ("/mcp".to_owned(), mcp)]);
    realm
}

/// Each request has a proof of its own, with the nonce of whom it goes to. [CLI-AUTH-21]
#[tokio::test]
async fn tokens_that_are_bound_to_a_key() {
    let realm = bound("DPoP").await;
    let client = realm.connect(realm.login()).await.unwrap();
    for _ in 0..3 {
        client.call("x", json!({})).await.unwrap();
    }
    let proofs: Vec<_> = realm
        .seen()
        .into_iter()
        .filter(|seen| seen.header("dpop").is_some())
        .map(|seen| (seen.path.clone(), proof(&seen)))
        .collect();
    let mut ids: Vec<_> = proofs.iter().map(|(_, proof)| proof["jti"].to_string()).collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "no proof is used twice");
    for (path, proof) in &proofs {
        assert_eq!(proof["htu"], format!("{}{path}", realm.base()));
        assert_eq!(proof["htm"], "POST");
        assert_eq!(proof["ath"].is_string(), path == "/mcp");
    }
    assert_eq!(realm.count("/token"), 2);
}

/// A token that is not bound, although it should be, is not used. [CLI-AUTH-21]
#[tokio::test]
async fn tokens_that_are_not_bound() {
    let realm = bound("Bearer").await;
    let error = realm.connect(realm.login()).await.unwrap_err();
    assert!(error.to_string().contains("not bound"), "{error}");
    let realm = Realm::start().await;
    let error = realm.connect(realm.login().dpop()).await.unwrap_err();
    assert!(error.to_string().contains("not bound"), "{error}");
}
