//! A protected server: tokens, challenges, rules.
//!
//! Tokens come from the authorization server of the test kit, and are made worse by hand.

/// Tokens that only the authorization server can read.
mod introspection;
/// Keys: fetched, cached, rotated.
mod keys;
/// Both halves together: our client logs in to our server.
mod login;
/// Rules about who may use what.
mod policy;
/// Programs that log in without a user.
mod programs;
/// Tokens that are bound to a key.
mod proofs;
/// The authorization server of the test kit itself.
mod strictness;
/// An authorization server behind TLS.
#[cfg(feature = "tls")]
mod tls;
/// Tokens that are taken, and those that are not.
mod tokens;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use docent_mcp::Server;
use docent_mcp::auth::{JwtVerifier, Protection};
use docent_mcp::server::{Context, ServerTool, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpService};
use docent_testkit::authorization::{AuthorizationServer, Options};
use http::{HeaderMap, Request};
use http_body_util::{BodyExt as _, Full};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// What tokens are for.
const RESOURCE: &str = "http://localhost:3000/mcp";

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// A server with one tool, which counts how often it is reached.
struct Counted {
    server: Server,
    reached: Arc<AtomicUsize>,
}

fn counted() -> Counted {
    let reached = Arc::new(AtomicUsize::new(0));
    let counter = reached.clone();
    let who = move |context: Context, _: Nothing| {
        let counter = counter.clone();
        async move {
            counter.fetch_add(1, Ordering::Relaxed);
            let scopes: Vec<_> = context.claims().into_iter().flat_map(|it| it.scopes()).collect();
            let principal = context.principal().unwrap_or("nobody");
            Ok::<_, ToolError>(format!("{principal}: {}", scopes.join(" ")))
        }
    };
    let tool = ServerTool::new("who", "Says who asks", who);
    Counted { server: Server::new("test", "1").with_tool(tool), reached }
}

impl Counted {
    fn reached(&self) -> usize {
        self.reached.load(Ordering::Relaxed)
    }

    fn protect(&self, protection: Protection) -> HttpService {
        protect(self.server.clone(), protection)
    }
}

fn protect(server: Server, protection: Protection) -> HttpService {
    server.http_service(HttpOptions::new().protect(protection)).unwrap()
}

/// An authorization server, and a protection that takes its tokens.
async fn authority() -> (AuthorizationServer, Protection) {
    let authority = AuthorizationServer::start(Options::default()).await;
    let protection = Protection::new(RESOURCE, JwtVerifier::new(authority.issuer()));
    (authority, protection)
}

/// What came back.
#[derive(Debug)]
struct Got {
    status: u16,
    headers: HeaderMap,
    body: Value,
}

impl Got {
    fn challenge(&self) -> &str {
        let value = self.headers.get("www-authenticate");
        value.and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The text of a tool's result.
    fn text(&self) -> &str {
        self.body.pointer("/result/content/0/text").and_then(Value::as_str).unwrap_or_default()
    }
}

type Headers<'a> = &'a [(&'a str, &'a str)];

/// Makes a request of 2026-07-28.
async fn ask(service: &HttpService, headers: Headers<'_>, method: &str, params: Value) -> Got {
    let mut params = params;
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let mut all = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str);
    let name = name.map(str::to_owned);
    all.extend(name.as_deref().map(|name| ("mcp-name", name)));
    all.extend_from_slice(headers);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    send(service, "POST", "/mcp", &all, &body.to_string()).await
}

async fn send(
    service: &HttpService,
    method: &str,
    path: &str,
    headers: Headers<'_>,
    body: &str,
) -> Got {
    let mut request = Request::builder().method(method).uri(path);
    let usual = [
        ("host", "localhost:3000"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    for (name, value) in usual.iter().chain(headers) {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::copy_from_slice(body.as_bytes()))).unwrap();
    let response = service.answer(request).await;
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Got { status: parts.status.as_u16(), headers: parts.headers, body }
}

/// Calls the tool with a token.
async fn call(service: &HttpService, token: &str) -> Got {
    let bearer = format!("Bearer {token}");
    let params = json!({ "name": "who", "arguments": {} });
    ask(service, &[("authorization", &bearer)], "tools/call", params).await
}
