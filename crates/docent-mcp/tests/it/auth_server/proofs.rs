//! Tokens that are bound to a key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_mcp::auth::Protection;
use docent_mcp::transport::http::HttpService;
use docent_testkit::authorization::{Algorithm, AuthorizationServer};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

use super::{Got, RESOURCE, ask, authority, call, counted};

/// The key of a client.
pub(super) struct Key(EcdsaKeyPair);

fn part(value: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(value)
}

impl Key {
    pub(super) fn new() -> Key {
        let random = SystemRandom::new();
        let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let key = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Key(EcdsaKeyPair::from_pkcs8(kind, key.as_ref(), &random).unwrap())
    }

    fn public(&self) -> Value {
        let (x, y) = self.0.public_key().as_ref()[1..].split_at(32);
        json!({ "crv": "P-256", "kty": "EC", "x": part(x), "y": part(y) })
    }

    fn thumbprint(&self) -> String {
        part(digest(&SHA256, self.public().to_string().as_bytes()))
    }

    pub(super) fn header(&self) -> Value {
        json!({ "typ": "dpop+jwt", "alg": "ES256", "jwk": self.public() })
    }

    pub(super) fn sign(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", part(header.to_string()), part(claims.to_string()));
        let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        format!("{signed}.{}", part(signature))
    }

    /// A token that is bound to this key.
    fn token(&self, authority: &AuthorizationServer) -> String {
        let mut claims = authority.claims(RESOURCE, "ada", "notes");
        claims["cnf"] = json!({ "jkt": self.thumbprint() });
        authority.sign(Algorithm::Es256, &claims)
    }
}

fn proof_claims(token: &str) -> Value {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    json!({
        "jti": format!("proof-{}", COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)),
        "htm": "POST",
        "htu": RESOURCE,
        "iat": now.as_secs(),
        "ath": part(digest(&SHA256, token.as_bytes())),
    })
}

async fn prove(service: &HttpService, token: &str, proof: &str) -> Got {
    let bound = format!("DPoP {token}");
    let headers = [("authorization", bound.as_str()), ("dpop", proof)];
    ask(service, &headers, "tools/call", json!({ "name": "who", "arguments": {} })).await
}

/// [SRV-AUTH-17] a bound token is worth nothing without a fresh proof for exactly this request.
#[tokio::test]
async fn proofs_that_are_not_taken() {
    let (authority, protection) = authority().await;
    let counted = counted();
    let service = counted.protect(protection);
    let (key, thief) = (Key::new(), Key::new());
    let token = key.token(&authority);
    let with = |name: &str, value: Value| {
        let mut claims = proof_claims(&token);
        claims[name] = value;
        key.sign(&key.header(), &claims)
    };
    let headed = |name: &str, value: Value| {
        let mut header = key.header();
        header[name] = value;
        key.sign(&header, &proof_claims(&token))
    };
    let made = proof_claims(&token)["iat"].as_u64().unwrap();
    let mut private = key.public();
    private["d"] = json!("AAAA");
    for (what, proof) in [
        ("another method", with("htm", json!("GET"))),
        ("another address", with("htu", json!("http://localhost:3000/other"))),
        ("another host", with("htu", json!("http://evil.example/mcp"))),
        ("too old", with("iat", json!(made - 200))),
        ("from the future", with("iat", json!(made + 200))),
        ("without a time", with("iat", Value::Null)),
        ("for another token", with("ath", json!(part(digest(&SHA256, b"other"))))),
        ("for no token", with("ath", Value::Null)),
        ("without a name", with("jti", Value::Null)),
        ("another kind", headed("typ", json!("JWT"))),
        ("no algorithm", headed("alg", json!("none"))),
        ("a shared secret", headed("alg", json!("HS256"))),
        ("no key", headed("jwk", Value::Null)),
        ("a private key", headed("jwk", private)),
        ("another's key", thief.sign(&thief.header(), &proof_claims(&token))),
        ("another's signature", thief.sign(&key.header(), &proof_claims(&token))),
        ("no proof at all", "x".to_owned()),
    ] {
        let refused = prove(&service, &token, &proof).await;
        assert_eq!(refused.status, 401, "{what}: {refused:?}");
        let challenge = refused.challenge();
        assert!(
            challenge.starts_with("DPoP ") && challenge.contains("invalid_dpop_proof"),
            "{what}"
        );
    }
    assert_eq!(call(&service, &token).await.status, 401, "as a bearer token");
    let unbound = authority.token(RESOURCE, "ada", "");
    let proof = key.sign(&key.header(), &proof_claims(&unbound));
    assert_eq!(prove(&service, &unbound, &proof).await.status, 401, "a token without a key");
    assert_eq!(counted.reached(), 0);

    let proof = key.sign(&key.header(), &proof_claims(&token));
    assert_eq!(prove(&service, &token, &proof).await.text(), "ada: notes");
    assert_eq!(prove(&service, &token, &proof).await.status, 401, "the same proof again");
    let proof = with("htu", json!("HTTP://LOCALHOST:3000/mcp?x=1#y"));
    assert_eq!(prove(&service, &token, &proof).await.status, 200, "the same address");
    assert_eq!(counted.reached(), 2);
}

/// [SRV-AUTH-17] a server can insist on bound tokens and on its own nonces.
#[tokio::test]
async fn bound_tokens_with_nonces() {
    let (authority, protection) = authority().await;
    let protection: Protection = protection.bound_tokens_only().proof_nonces();
    let service = counted().protect(protection);
    let path = "/.well-known/oauth-protected-resource/mcp";
    let metadata = super::send(&service, "GET", path, &[], "").await;
    assert_eq!(metadata.body["dpop_bound_access_tokens_required"], true);
    let unbound = authority.token(RESOURCE, "ada", "");
    let refused = call(&service, &unbound).await;
    assert_eq!(refused.status, 401);
    assert!(refused.challenge().starts_with("DPoP algs="), "{}", refused.challenge());

    let key = Key::new();
    let token = key.token(&authority);
    let mut claims = proof_claims(&token);
    for nonce in [Value::Null, json!("made-up")] {
        claims["nonce"] = nonce;
        let refused = prove(&service, &token, &key.sign(&key.header(), &claims)).await;
        assert_eq!(refused.status, 401);
        assert!(refused.challenge().contains("use_dpop_nonce"), "{}", refused.challenge());
        claims["nonce"] = json!(refused.headers["dpop-nonce"].to_str().unwrap());
    }
    let taken = prove(&service, &token, &key.sign(&key.header(), &claims)).await;
    assert_eq!(taken.status, 200, "{taken:?}");
}
