//! The client over HTTP, against a server that is told what to answer.

/// Tokens, challenges, redirects: what may go where.
mod access;
/// Getting tokens from an authorization server, and using them.
#[cfg(feature = "auth")]
mod auth;
/// The client and the server of this crate, together.
mod end_to_end;
/// Which era a server is of, and which way it speaks.
mod eras;
/// Servers that answer too much, too little or something else.
mod hostile;
/// Stateless requests (2026-07-28).
mod modern;
/// The transport of 2024-11-05.
mod old_sse;
/// Streams that break and are taken up again.
mod resume;
/// Sessions of the legacy revisions.
mod sessions;
/// Tool arguments that headers repeat.
mod tool_headers;
/// The server.
mod web;

use docent_mcp::client::{Client, ClientBuilder};
use docent_mcp::transport::http::HttpEndpoint;
use docent_mcp::types::CallToolResult;
use docent_mcp::{Limits, Result};
use serde_json::{Value, json};

use self::web::{Reply, Seen, Web};

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0")
}

fn endpoint(web: &Web) -> HttpEndpoint {
    HttpEndpoint::new(&web.url).expect("an address")
}

async fn connect(web: &Web) -> Result<Client> {
    builder().connect(endpoint(web)).await
}

async fn connect_with(web: &Web, limits: Limits) -> Result<Client> {
    builder().limits(limits).connect(endpoint(web)).await
}

fn text(result: &CallToolResult) -> &str {
    result.content.first().and_then(|content| content.as_text()).unwrap_or_default()
}

fn content(text: &str) -> Value {
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] })
}

fn discovered() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {}, "prompts": {}, "resources": {} },
        "ttlMs": 0,
        "cacheScope": "private",
    })
}

fn no_tools() -> Value {
    json!({ "resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private" })
}

/// A modern server whose tools answer their name.
fn modern(seen: &Seen) -> Reply {
    match seen.method() {
        "server/discover" => Reply::result(seen, discovered()),
        "tools/list" => Reply::result(seen, no_tools()),
        "tools/call" => {
            Reply::result(seen, content(seen.body["params"]["name"].as_str().unwrap_or_default()))
        }
        _ => Reply::error(seen, 404, -32601, Value::Null),
    }
}

fn initialized(revision: &str) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": { "tools": {}, "resources": { "subscribe": true } },
        "serverInfo": { "name": "fake", "version": "1" },
    })
}

/// A legacy server with sessions, whose tools answer their name. Its sessions are named by `id`;
/// it knows no others.
fn session(id: &str, revision: &'static str) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
    let id = id.to_owned();
    move |seen| {
        if seen.header("mcp-method").is_some() || seen.method() == "server/discover" {
            return Reply::json(
                400,
                &json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32000, "message": "Bad Request: Server not initialized" } }),
            );
        }
        if seen.method() == "initialize" {
            return Reply::result(seen, initialized(revision)).with("mcp-session-id", &*id);
        }
        if seen.header("mcp-session-id") != Some(&*id) {
            return Reply::json(
                404,
                &json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32001, "message": "Session not found" } }),
            );
        }
        match seen.method() {
            "GET" => Reply::status(405),
            "DELETE" => Reply::status(200),
            "tools/list" => Reply::result(seen, json!({ "tools": [] })),
            "tools/call" => {
                let name = seen.body["params"]["name"].as_str().unwrap_or_default();
                Reply::result(seen, json!({ "content": [{ "type": "text", "text": name }] }))
            }
            "ping" | "resources/subscribe" => Reply::result(seen, json!({})),
            _ if seen.body.get("id").is_some() && seen.body.get("method").is_some() => {
                Reply::error(seen, 200, -32601, Value::Null)
            }
            _ => Reply::status(202),
        }
    }
}
