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
