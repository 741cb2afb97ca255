//! Tokens that are taken, and those that are not.

use docent_mcp::auth::{JwtVerifier, Protection};
use docent_testkit::authorization::Algorithm;
use serde_json::{Value, json};

use super::{RESOURCE, ask, authority, call, counted, send};

/// [SRV-AUTH-02] who comes without a token is told where to get one.
#[tokio::test]
async fn the_way_to_a_token() {
    let (authority, protection) = authority().await;
    let counted = counted();
    let service =
        counted.protect(protection.needs_scope("notes").offers_scope("notes:write").name("Notes"));
    let refused = ask(&service, &[], "tools/list", json!({})).await;
    assert_eq!(refused.status, 401);
    assert_eq!(
        refused.challenge(),
        "Bearer scope=\"notes\", resource_metadata=\"http://localhost:3000/.well-known/oauth-protected-resource/mcp\""
    );
    for path in
        ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]
    {
        let found = send(&service, "GET", path, &[], "").await;
        assert_eq!(found.status, 200, "{path}");
        assert_eq!(found.body["resource"], RESOURCE);
        assert_eq!(found.body["authorization_servers"], json!([authority.issuer()]));
        assert_eq!(found.body["scopes_supported"], json!(["notes", "notes:write"]));
        assert_eq!(found.body["bearer_methods_supported"], json!(["header"]));
        assert_eq!(send(&service, "POST", path, &[], "{}").await.status, 405);
    }
    let other = "/.well-known/oauth-protected-resource/other";
    assert_eq!(send(&service, "GET", other, &[], "").await.status, 401);
}

/// [SRV-AUTH-17] every way in which a token can be wrong is a 401, and no handler is reached (A7).
#[tokio::test]
async fn tokens_that_are_not_taken() {
    let (authority, protection) = authority().await;
    let (other, _) = self::authority().await;
    let counted = counted();
    let service = counted.protect(protection);
    let good = authority.claims(RESOURCE, "ada", "notes");
    let with = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        authority.sign(Algorithm::Es256, &claims)
    };
    let without = |name: &str| {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(name);
        authority.sign(Algorithm::Es256, &claims)
    };
    let headed = |header: Value| authority.sign_as(Algorithm::Es256, &header, &good);
    let fine = authority.sign(Algorithm::Es256, &good);
    let (signed, signature) = fine.rsplit_once('.').unwrap();
    let (header, _) = signed.split_once('.').unwrap();
    let past = json!(good["iat"].as_u64().unwrap() - 1000);
    let future = json!(good["iat"].as_u64().unwrap() + 1000);
    let forged = authority.sign(Algorithm::Es256, &{
        let mut claims = good.clone();
        claims["sub"] = json!("root");
        claims
    });
    let forged = forged.rsplit_once('.').unwrap().0.to_owned();
    for (what, token) in [
        ("foreign audience", with("aud", json!("https://elsewhere.example/mcp"))),
        ("no audience", without("aud")),
        ("several audiences", with("aud", json!([RESOURCE, "https://elsewhere.example"]))),
        ("foreign audiences", with("aud", json!(["https://elsewhere.example"]))),
        ("audience of the host", with("aud", json!("http://localhost:3000"))),
        ("audience with a slash", with("aud", json!(format!("{RESOURCE}/")))),
        ("expired", with("exp", past.clone())),
        ("without end", without("exp")),
        ("not yet", with("nbf", future)),
        ("foreign issuer", with("iss", json!(other.issuer()))),
        ("no issuer", without("iss")),
        ("no subject", {
            let mut claims = good.clone();
            claims.as_object_mut().unwrap().retain(|name, _| name != "sub" && name != "client_id");
            authority.sign(Algorithm::Es256, &claims)
        }),
        ("another's keys", other.sign(Algorithm::Es256, &good)),
        ("alg none", format!("{}.", headed(json!({ "alg": "none" })).rsplit_once('.').unwrap().0)),
        ("alg None with a signature", headed(json!({ "alg": "None" }))),
        ("no alg", headed(json!({ "typ": "at+jwt" }))),
        ("HS256 over the public key", hs256(&authority.public_keys(), &good)),
        ("RS256 said of an EC key", headed(json!({ "alg": "RS256", "kid": "ES256-1" }))),
        ("ES256 said of an RSA key", headed(json!({ "alg": "ES256", "kid": "RS256-1" }))),
        ("critical headers", headed(json!({ "alg": "ES256", "crit": ["x"], "x": 1 }))),
        ("a key that came along", headed(json!({ "alg": "ES256", "kid": "x", "jwk": {} }))),
        ("a proof", headed(json!({ "alg": "ES256", "typ": "dpop+jwt" }))),
        ("another's signature", format!("{forged}.{signature}")),
        ("no signature", signed.to_owned()),
        ("an empty signature", format!("{signed}.")),
        ("only a header", header.to_owned()),
        ("one part too many", format!("{fine}.x")),
        ("opaque", "abcdefgh".to_owned()),
        ("dots", "...".to_owned()),
    ] {
        let refused = call(&service, &token).await;
        assert_eq!(refused.status, 401, "{what}: {refused:?}");
        assert!(refused.challenge().contains("error=\"invalid_token\""), "{what}: {refused:?}");
        assert!(refused.challenge().contains("resource_metadata="), "{what}");
        let shown = format!("{refused:?}");
        assert!(token.len() < 20 || !shown.contains(&token), "{what} shows the token");
    }
    assert_eq!(counted.reached(), 0);
    let taken = call(&service, &fine).await;
    assert_eq!((taken.status, taken.text()), (200, "ada: notes"), "{taken:?}");
    assert_eq!(counted.reached(), 1);
}

/// A token signed with the public key as if it were a shared secret.
fn hs256(public: &Value, claims: &Value) -> String {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let secret = public["keys"][1].to_string();
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    let header = json!({ "alg": "HS256", "kid": "RS256-1", "typ": "JWT" });
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&header), part(claims));
    let tag = ring::hmac::sign(&key, signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(tag))
}

/// [SRV-AUTH-17] every algorithm that is pinned works, with and without the name of the key.
#[tokio::test]
async fn algorithms_that_are_taken() {
    let (authority, protection) = authority().await;
    let service = counted().protect(protection);
    let claims = authority.claims(RESOURCE, "ada", "");
    for algorithm in [Algorithm::Es256, Algorithm::Rs256, Algorithm::EdDsa] {
        let token = authority.sign(algorithm, &claims);
        assert_eq!(call(&service, &token).await.status, 200, "{algorithm:?}");
    }
    let nameless = authority.sign_as(Algorithm::Rs256, &json!({ "alg": "RS256" }), &claims);
    assert_eq!(call(&service, &nameless).await.status, 200);
}

/// [SRV-AUTH-17] what cannot be a token is a bad request, and another scheme is no token.
#[tokio::test]
async fn requests_that_cannot_be_understood() {
    let (authority, protection) = authority().await;
    let counted = counted();
    let service = counted.protect(protection);
    let token = authority.token(RESOURCE, "ada", "");
    let bearer = format!("Bearer {token}");
    for (headers, status) in [
        (&[("authorization", "Bearer")][..], 400),
        (&[("authorization", "Bearer a b")], 400),
        (&[("authorization", &bearer), ("authorization", &bearer)], 400),
        (&[("authorization", "Basic YTpi")], 401),
        (&[("authorization", &token)], 401),
        (&[], 401),
    ] {
        let got = ask(&service, headers, "tools/list", json!({})).await;
        assert_eq!(got.status, status, "{headers:?}");
        assert_eq!(got.challenge().contains("invalid_request"), status == 400, "{got:?}");
    }
    // In the query, it is in logs and histories: no token.
    let path = format!("/mcp?access_token={token}");
    assert_eq!(send(&service, "POST", &path, &[], "{}").await.status, 401);
    let long = "a".repeat(9 << 10);
    assert_eq!(call(&service, &long).await.status, 400);
    assert_eq!(counted.reached(), 0);
}

/// [SRV-AUTH-17] a scope that every request needs, and scopes that include others.
#[tokio::test]
async fn scopes_that_every_request_needs() {
    let (authority, protection) = authority().await;
    let service = counted().protect(
        protection
            .needs_scope("notes")
            .needs_scope("basic")
            .scope_includes("admin", "notes:write")
            .scope_includes("notes:write", "notes"),
    );
    let refused = call(&service, &authority.token(RESOURCE, "ada", "notes")).await;
    assert_eq!(refused.status, 403);
    let challenge = refused.challenge();
    assert!(challenge.starts_with("Bearer error=\"insufficient_scope\""), "{challenge}");
    assert!(challenge.contains("scope=\"notes basic\""), "{challenge}");
    for scopes in ["notes basic", "admin basic", "basic notes:write"] {
        let token = authority.token(RESOURCE, "ada", scopes);
        assert_eq!(call(&service, &token).await.status, 200, "{scopes}");
    }
    let mut claims = authority.claims(RESOURCE, "ada", "");
    claims["scp"] = json!(["notes", "basic"]);
    claims.as_object_mut().unwrap().remove("scope");
    let token = authority.sign(Algorithm::Es256, &claims);
    assert_eq!(call(&service, &token).await.text(), "ada: basic notes");
}

/// [BOTH-AUTH-23] [SEC-03] every request of a session needs a token, and the session is its user's.
#[tokio::test]
async fn sessions_need_a_token_each_time() {
    let (authority, protection) = authority().await;
    let counted = counted();
    let service = counted.protect(protection);
    let ada = format!("Bearer {}", authority.token(RESOURCE, "ada", "a"));
    let opening = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" }
    }});
    let opened =
        send(&service, "POST", "/mcp", &[("authorization", &ada)], &opening.to_string()).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    let session = opened.headers["mcp-session-id"].to_str().unwrap().to_owned();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "who", "arguments": {} } });
    let in_session = async |token: Option<&str>, method: &str| {
        let mut headers = vec![("mcp-session-id", session.as_str())];
        headers.extend(token.map(|token| ("authorization", token)));
        send(&service, method, "/mcp", &headers, &body.to_string()).await
    };
    let bob = format!("Bearer {}", authority.token(RESOURCE, "bob", "a"));
    for method in ["POST", "GET", "DELETE"] {
        assert_eq!(in_session(None, method).await.status, 401, "{method}");
        assert_eq!(in_session(Some(&bob), method).await.status, 404, "{method}");
    }
    assert_eq!(counted.reached(), 0);
    assert_eq!(in_session(Some(&ada), "POST").await.text(), "ada: a");
    // The claims are those of each request's own token.
    let more = format!("Bearer {}", authority.token(RESOURCE, "ada", "a b"));
    assert_eq!(in_session(Some(&more), "POST").await.text(), "ada: a b");
    assert_eq!(in_session(Some(&ada), "DELETE").await.status, 204);
}

/// [SRV-AUTH-02] what was said wrongly is told before anything is served.
#[tokio::test]
async fn protections_that_cannot_be() {
    let jwt = || JwtVerifier::new("https://auth.example");
    for (protection, why) in [
        (Protection::new("http://mcp.example/mcp", jwt()), "https"),
        (Protection::new("mcp", jwt()), "no address"),
        (Protection::new("https://mcp.example/mcp#x", jwt()), "fragment"),
        (Protection::new("https://u:p@mcp.example/mcp", jwt()), "credentials"),
        (Protection::new("https://h/mcp", JwtVerifier::new("http://auth.example")), "https"),
        (Protection::new("https://h/mcp", jwt()).needs_scope("a b"), "scope"),
        (Protection::new("https://h/mcp", jwt()).offers_scope("a\"b"), "scope"),
        (Protection::new("https://h/mcp", jwt()).offers_scope("offline_access"), "offline_access"),
    ] {
        let options = docent_mcp::transport::http::HttpOptions::new().protect(protection);
        let error = counted().server.http_service(options).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

/// [SRV-AUTH-17] a browser asks before it sends, without a token; what it then gets it can read.
#[tokio::test]
async fn pages_can_read_challenges() {
    let (_authority, protection) = authority().await;
    let options = docent_mcp::transport::http::HttpOptions::new()
        .origin("https://app.example")
        .protect(protection);
    let service = counted().server.http_service(options).unwrap();
    let origin = ("origin", "https://app.example");
    let asked = [origin, ("access-control-request-headers", "authorization")];
    let preflight = send(&service, "OPTIONS", "/mcp", &asked, "").await;
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.headers["access-control-allow-headers"], "authorization");
    let refused = ask(&service, &[origin], "tools/list", json!({})).await;
    assert_eq!(refused.status, 401);
    assert_eq!(refused.headers["access-control-allow-origin"], "https://app.example");
    let exposed = refused.headers["access-control-expose-headers"].to_str().unwrap();
    assert!(exposed.contains("www-authenticate"), "{exposed}");
}
