//! Tokens that a protected server must not take, as an attacker would make them. No handler runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_mcp::Server;
use docent_mcp::auth::{JwtVerifier, Protection};
use docent_mcp::server::{Context, ServerTool, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpService};
use docent_testkit::authorization::{Algorithm, AuthorizationServer, Options};
use http_body_util::Full;
use hyper::Request;
use hyper::body::Bytes;
use serde_json::{Value, json};

use super::Attacks;
use crate::Result;
use crate::web::message;

const HERE: &str = "http://localhost:3000/mcp";

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

pub(super) async fn attack(attacks: &mut Attacks) -> Result<()> {
    let authority = AuthorizationServer::start(Options::default()).await;
    let other = AuthorizationServer::start(Options::default()).await;
    let reached = Arc::new(AtomicUsize::new(0));
    let counter = reached.clone();
    let count = move |_: Context, _: Nothing| {
        counter.fetch_add(1, Ordering::Relaxed);
        async { Ok::<_, ToolError>("reached".to_owned()) }
    };
    let server = Server::new("gate", "1").with_tool(ServerTool::new("count", "Counts", count));
    let protection = Protection::new(HERE, JwtVerifier::new(authority.issuer()));
    let service = server.http_service(HttpOptions::new().protect(protection))?;
    let good = authority.claims(HERE, "ada", "");
    let with = |name: &str, value: Value| {
        let mut claims = good.clone();
        match value {
            Value::Null => drop(claims.as_object_mut().and_then(|all| all.remove(name))),
            value => claims[name] = value,
        }
        authority.sign(Algorithm::Es256, &claims)
    };
    let fine = authority.sign(Algorithm::Es256, &good);
    let signed = fine.rsplit_once('.').map_or("", |(signed, _)| signed);
    let none = authority.sign_as(Algorithm::Es256, &json!({ "alg": "none" }), &good);
    let none = none.rsplit_once('.').map_or("", |(signed, _)| signed);
    let confused = json!({ "alg": "RS256", "kid": "ES256-1" });
    for (name, token, why) in [
        ("foreign audience", with("aud", json!("https://x.example/mcp")), "another audience"),
        ("no audience", with("aud", Value::Null), "another audience"),
        (
            "one audience of several",
            with("aud", json!([HERE, "https://x.example"])),
            "another audience",
        ),
        ("audience of the host", with("aud", json!("http://localhost:3000")), "another audience"),
        ("expired", with("exp", json!(1_000_000)), "has expired"),
        ("not valid yet", with("nbf", json!(9_000_000_000_u64)), "not valid yet"),
        ("foreign issuer", with("iss", json!(other.issuer())), "another issuer"),
        ("signed by another", other.sign(Algorithm::Es256, &good), "signature is wrong"),
        ("alg none", format!("{none}."), "algorithm is not accepted"),
        (
            "public key as a shared secret",
            hs256(&authority.public_keys(), &good),
            "algorithm is not accepted",
        ),
        (
            "algorithm of another key",
            authority.sign_as(Algorithm::Es256, &confused, &good),
            "unknown key",
        ),
        ("no signature", format!("{signed}."), "signature is wrong"),
    ] {
        let name = format!("token: {name}");
        attacks.refused(&name, why, call(&service, Some(&token)).await);
    }
    attacks.refused("token: none", "send a token", call(&service, None).await);
    let reached_by_attack = reached.load(Ordering::Relaxed);
    attacks.besides("tokens: handlers run", reached_by_attack == 0, &reached_by_attack.to_string());
    call(&service, Some(&fine)).await?;
    match reached.load(Ordering::Relaxed) {
        1 => Ok(()),
        _ => Err("a good token was not taken".into()),
    }
}

/// Calls the tool; a refusal is what the server says about it.
async fn call(service: &HttpService, token: Option<&str>) -> std::result::Result<(), String> {
    match answered(service, token).await {
        Ok((200, _)) => Ok(()),
        Ok((_, said)) => Err(said),
        Err(error) => Err(error.to_string()),
    }
}

/// The status of an answer, and all that it says.
pub(super) async fn answered(service: &HttpService, token: Option<&str>) -> Result<(u16, String)> {
    let ask = message::call(1, "count", &json!({}));
    let mut request =
        Request::builder().method("POST").uri("/mcp").header("host", "localhost:3000");
    for (name, value) in &ask.headers {
        request = request.header(name.as_str(), value.as_str());
    }
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let response = service.answer(request.body(Full::new(Bytes::from(ask.body)))?).await;
    let (parts, body) = response.into_parts();
    let body = http_body_util::BodyExt::collect(body).await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    let said = format!("{}; {:?}", String::from_utf8_lossy(&body), parts.headers);
    Ok((parts.status.as_u16(), said))
}

fn hs256(public: &Value, claims: &Value) -> String {
    let secret = public["keys"][1].to_string();
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    let header = json!({ "alg": "HS256", "kid": "RS256-1", "typ": "JWT" });
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&header), part(claims));
    let tag = ring::hmac::sign(&key, signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(tag))
}
