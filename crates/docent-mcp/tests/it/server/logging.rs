//! Log messages through `tracing`.

use docent_mcp::server::{ClientLogLayer, Context, Server, ToolError};
use serde_json::json;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::line::{Line, modern};

async fn work(_: Context, (): ()) -> Result<&'static str, ToolError> {
    tracing::info!(items = 3, api_token = "hunter2", "working");
    tokio::task::yield_now().await;
    tracing::error!("still working");
    Ok("done")
}

/// [SRV-LOG-03] [SRV-LOG-02] events of a handler reach its own client, at the level it asked for,
/// with secrets left out.
#[tokio::test]
async fn events_become_log_messages() {
    let _guard = tracing_subscriber::registry().with(ClientLogLayer::new()).set_default();
    let mut line =
        Line::default(Server::new("s", "1").tool("work", "Works", work)).open("2025-11-25").await;
    let first = line.call(1, "work", json!({})).await;
    assert_eq!(first["params"]["level"], "info");
    let data = json!({ "message": "working", "items": 3, "api_token": "[redacted]" });
    assert_eq!(first["params"]["data"], data);
    assert_eq!(line.receive().await["params"]["level"], "error");
    assert_eq!(line.receive().await["id"], 1);

    let mut meta = modern(json!({}));
    let silent = line.request(2, "tools/call", json!({ "name": "work", "_meta": meta })).await;
    assert_eq!(silent["id"], 2);
    meta["io.modelcontextprotocol/logLevel"] = json!("error");
    let told = line.request(3, "tools/call", json!({ "name": "work", "_meta": meta })).await;
    assert_eq!(
        (&told["method"], &told["params"]["level"]),
        (&json!("notifications/message"), &json!("error"))
    );
    assert_eq!(line.receive().await["id"], 3);
}
