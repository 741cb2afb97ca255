//! Servers on the web behind the gateway, and the headers that repeat what requests say.

use std::sync::Arc;

use docent_host::config::ServerEntry;
use docent_host::{Gateway, Host};
use docent_mcp::Server;
use docent_mcp::client::RequestOptions;
use docent_mcp::server::{Context, ServerTool, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_mcp::types::{CallToolResult, JsonObject, Revision, Tool};
use serde_json::json;

use crate::fixture::{Behind, ERAS, Way, client, connect, server, soon, text};

/// Serves on loopback. Returns the address.
async fn on_loopback(server: Server) -> String {
    let service = server.http_service(HttpOptions::new()).unwrap();
    let listening = HttpServer::bind(service, "127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listening.local_addr());
    tokio::spawn(listening.serve());
    url
}

#[tokio::test]
async fn questions_cross_eras_over_http_on_both_sides() {
    for server_era in ERAS {
        let url = on_loopback(server(server_era, &Behind::default())).await;
        for client_era in ERAS {
            let host = Host::from_entries([ServerEntry::http("web", &url)]);
            let gateway = Arc::new(Gateway::builder(host).build());
            let client = connect(&gateway, Way::Http, client(client_era).0).await;
            for (tool, expected) in [
                ("web__ask_twice", "Ada Grace"),
                ("web__sample", "the model test-model answered"),
                ("web__roots", "file:///project"),
            ] {
                let result = soon(client.call(tool, json!({}))).await;
                let result =
                    result.unwrap_or_else(|e| panic!("{client_era} {server_era} {tool}: {e:#}"));
                assert_eq!(text(&result), expected, "{client_era} {server_era}");
            }
            client.close().await;
            gateway.close().await;
        }
    }
}

fn with_header() -> Server {
    let schema = json!({
        "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
    });
    let tool = Tool::new("where", "Says where", schema);
    let function = |_: Context, arguments: JsonObject| async move {
        let region = arguments.get("region").and_then(|region| region.as_str());
        Ok::<_, ToolError>(CallToolResult::text(region.unwrap_or("nowhere")))
    };
    Server::new("regions", "1.0").with_tool(ServerTool::from_schema(tool, function))
}

/// Both hops check that headers and body say the same, and names differ between them.
#[tokio::test]
async fn headers_are_those_of_each_hop() {
    let url = on_loopback(with_header()).await;
    let host = Host::from_entries([ServerEntry::http("web", &url)]);
    let gateway = Arc::new(Gateway::builder(host).build());
    let client = connect(&gateway, Way::Http, client(Revision::NEWEST_MODERN).0).await;
    let arguments = json!({ "region": "europe-west" });
    // Before the tools were listed the header is missing, which the gateway refuses; the client
    // then lists them and tries again.
    let result = soon(client.call("web__where", &arguments)).await.unwrap();
    assert_eq!(text(&result), "europe-west");
    // By a name that is not listed the client cannot know of the header.
    let params = json!({ "name": "web.where", "arguments": arguments });
    let params: JsonObject = serde_json::from_value(params).unwrap();
    let bare = client.request("tools/call", params, RequestOptions::new());
    let bare: serde_json::Value = soon(bare).await.unwrap().decode().unwrap();
    assert_eq!(bare["content"][0]["text"], "europe-west");
    gateway.close().await;
}

/// Who comes too often is told so by HTTP as well, with the time to wait.
#[tokio::test]
async fn too_many_calls_are_429_and_say_when_to_come_again() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let gateway = crate::fixture::before(Revision::NEWEST_MODERN, &Behind::default());
    let gateway = gateway.rate_limit(1, std::time::Duration::from_secs(90)).build();
    let listening = gateway.bind("127.0.0.1:0", HttpOptions::new()).await.unwrap();
    let address = listening.local_addr();
    tokio::spawn(listening.serve());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    let body = body.to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n\
         mcp-method: tools/list\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let ask = async || {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    assert!(soon(ask()).await.starts_with("HTTP/1.1 200 "));
    let refused = soon(ask()).await;
    assert!(refused.starts_with("HTTP/1.1 429 "), "{refused}");
    let wait = refused.lines().find_map(|line| line.strip_prefix("retry-after: "));
    let wait: u64 = wait.and_then(|wait| wait.trim().parse().ok()).expect("seconds");
    assert!((1..=90).contains(&wait), "{refused}");
    assert!(refused.contains("retryAfterMs"), "{refused}");
}
