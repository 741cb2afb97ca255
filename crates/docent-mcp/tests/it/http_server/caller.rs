//! A client that sends exactly what it is told to, and shows exactly what it gets.

use std::time::Duration;

use bytes::Bytes;
use docent_mcp::server::{Context, ServerTool, ToolError};
use docent_mcp::transport::http::{HttpBody, HttpOptions, HttpService, Principal};
use docent_mcp::{Limits, Server};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
pub(super) struct Steps {
    /// How many.
    #[serde(default)]
    steps: u32,
    /// How long each takes.
    #[serde(default)]
    pause_ms: u64,
    /// Whether the client should come back for the answer.
    #[serde(default)]
    come_back: bool,
}

async fn work(context: Context, args: Steps) -> Result<String, ToolError> {
    for step in 1..=args.steps {
        context.progress(f64::from(step), None, None).await?;
        if args.come_back && step == 1 {
            context.close_stream(Duration::from_millis(750));
        }
        tokio::time::sleep(Duration::from_millis(args.pause_ms)).await;
    }
    tokio::time::sleep(Duration::from_millis(args.pause_ms)).await;
    Ok(format!("{} steps", args.steps))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Nothing {}

async fn who(context: Context, _: Nothing) -> Result<String, ToolError> {
    Ok(context.principal().unwrap_or("nobody").to_owned())
}

/// A server with a few tools.
pub(super) fn server() -> Server {
    let mirrored = json!({
        "type": "object",
        "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "size": { "type": "integer", "x-mcp-header": "Size" }
        }
    });
    let mirrored =
        ServerTool::new("mirrored", "Has headers", who).adjust(|tool| tool.input_schema = mirrored);
    Server::new("test", "1")
        .tool("work", "Works", work)
        .tool("who", "Says who asks", who)
        .with_tool(mirrored)
}

pub(super) fn service(server: Server) -> HttpService {
    server.http_service(HttpOptions::new().old_sse()).unwrap()
}

pub(super) fn small(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits::default();
    change(&mut limits);
    limits
}

/// What came back.
#[derive(Debug, PartialEq)]
pub(super) struct Got {
    pub(super) status: u16,
    pub(super) media: String,
    pub(super) session: Option<String>,
    pub(super) body: String,
}

impl Got {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(super) fn code(&self) -> Option<i64> {
        serde_json::from_str::<Value>(&self.body).ok()?.pointer("/error/code")?.as_i64()
    }
}

pub(super) type Headers<'a> = &'a [(&'a str, &'a str)];

/// Makes a request. Headers that every client sends are added, unless they are given.
pub(super) fn request(method: &str, headers: Headers<'_>, body: &str) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri("/mcp");
    for (name, value) in [
        ("host", "localhost"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ] {
        if !headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name)) {
            request = request.header(name, value);
        }
    }
    for (name, value) in headers {
        match *name {
            "principal" => request = request.extension(Principal::new(*value)),
            _ => request = request.header(*name, *value),
        }
    }
    request.body(Full::new(Bytes::copy_from_slice(body.as_bytes()))).unwrap()
}

pub(super) async fn send(
    service: &HttpService,
    method: &str,
    headers: Headers<'_>,
    body: &str,
) -> Response<HttpBody> {
    service.answer(request(method, headers, body)).await
}

/// Makes a request and reads the whole answer.
pub(super) async fn ask(
    service: &HttpService,
    method: &str,
    headers: Headers<'_>,
    body: &str,
) -> Got {
    read(send(service, method, headers, body).await).await
}

pub(super) async fn read(response: Response<HttpBody>) -> Got {
    let header = |name: &str| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let (media, session) = (header("content-type").unwrap_or_default(), header("mcp-session-id"));
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    Got { status, media, session, body: String::from_utf8(body.to_vec()).unwrap() }
}

/// The next piece of a stream.
pub(super) async fn chunk(response: &mut Response<HttpBody>) -> Option<String> {
    let frame = response.body_mut().frame().await?.unwrap();
    Some(String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap())
}

/// A request of 2026-07-28 with its headers.
pub(super) struct Modern {
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Value,
}

pub(super) fn modern(method: &str, params: Value) -> Modern {
    let mut params = params;
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let mut headers = vec![
        ("mcp-protocol-version".to_owned(), "2026-07-28".to_owned()),
        ("mcp-method".to_owned(), method.to_owned()),
    ];
    if let Some(name) = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str) {
        headers.push(("mcp-name".to_owned(), name.to_owned()));
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    Modern { headers, body }
}

impl Modern {
    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(given, _)| given != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(given, _)| given != name);
        self
    }

    pub(super) async fn send(&self, service: &HttpService) -> Response<HttpBody> {
        let headers: Vec<_> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        send(service, "POST", &headers, &self.body.to_string()).await
    }

    pub(super) async fn ask(&self, service: &HttpService) -> Got {
        read(self.send(service).await).await
    }
}

/// Begins a session.
pub(super) async fn begin(service: &HttpService, revision: &str, headers: Headers<'_>) -> String {
    let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": revision, "capabilities": {}, "clientInfo": { "name": "c", "version": "1" }
    }});
    let got = ask(service, "POST", headers, &body.to_string()).await;
    assert_eq!(got.status, 200, "{got:?}");
    assert_eq!(got.json()["result"]["protocolVersion"], revision);
    let session = got.session.expect("a session has an id");
    let mut headers = headers.to_vec();
    headers.push(("mcp-session-id", &session));
    let body = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(ask(service, "POST", &headers, body).await.status, 202);
    session
}
