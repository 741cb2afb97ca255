//! Sending the user to a page.

use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::server::{Context, Server, ToolError};
use docent_mcp::types::{ElicitAction, ElicitRequestUrlParams};
use serde_json::{Value, json};

use super::line::{Line, modern};

fn page() -> ElicitRequestUrlParams {
    ElicitRequestUrlParams {
        message: "Sign in".to_owned(),
        url: "https://example.com/sign-in".to_owned(),
        elicitation_id: Some("e-1".to_owned()),
        ..Default::default()
    }
}

async fn visit(ctx: Context, (): ()) -> Result<String, ToolError> {
    let action = ctx.elicit_url_with(page()).await?;
    if action == ElicitAction::Accept {
        ctx.elicitation_complete("e-1").await?;
    }
    Ok(format!("{action:?}"))
}

async fn refuse(_: Context, (): ()) -> Result<String, ToolError> {
    Err(ErrorObject::url_elicitation_required("sign in first", [page()]).into())
}

fn server() -> Server {
    Server::new("s", "1").tool("visit", "Sends the user away", visit).tool(
        "refuse",
        "Needs a visit",
        refuse,
    )
}

async fn open(revision: &str, elicitation: Value) -> Line {
    let mut line = Line::default(server());
    let params = json!({
        "protocolVersion": revision,
        "capabilities": { "elicitation": elicitation },
        "clientInfo": { "name": "t", "version": "1" },
    });
    line.request(0, "initialize", params).await;
    line
}

/// [SRV-ELIC-07] 2025-11-25: ids, the notification when the page is done, and −32042.
#[tokio::test]
async fn pages_in_2025_11_25() {
    let mut line = open("2025-11-25", json!({ "url": {} })).await;
    let asked = line.call(1, "visit", json!({})).await;
    let expected = json!({ "mode": "url", "message": "Sign in", "url": "https://example.com/sign-in", "elicitationId": "e-1" });
    assert_eq!((&asked["method"], &asked["params"]), (&json!("elicitation/create"), &expected));
    line.send(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "action": "accept" } }))
        .await;
    let complete = line.receive().await;
    assert_eq!(complete["method"], "notifications/elicitation/complete");
    assert_eq!(complete["params"], json!({ "elicitationId": "e-1" }));
    assert_eq!(line.receive().await["id"], 1);

    let refused = line.call(2, "refuse", json!({})).await;
    assert_eq!(refused["error"]["code"], -32042);
    assert_eq!(refused["error"]["data"], json!({ "elicitations": [expected] }));
}

/// [BOTH-RPC-06] [SRV-ELIC-07] other revisions have neither the ids nor the code.
#[tokio::test]
async fn pages_in_other_revisions() {
    let mut line = open("2025-06-18", json!({})).await;
    assert_eq!(line.call(1, "visit", json!({})).await["result"]["isError"], true);
    assert_eq!(line.call(2, "refuse", json!({})).await["error"]["code"], -32603);

    let meta = modern(json!({ "elicitation": { "url": {} } }));
    let asked = line.request(3, "tools/call", json!({ "name": "visit", "_meta": meta })).await;
    let question = &asked["result"]["inputRequests"]["elicitation-create-1"]["params"];
    assert_eq!(
        *question,
        json!({ "mode": "url", "message": "Sign in", "url": "https://example.com/sign-in" })
    );
    let responses = json!({ "elicitation-create-1": { "action": "accept" } });
    let params = json!({ "name": "visit", "inputResponses": responses, "_meta": meta });
    assert_eq!(
        line.request(4, "tools/call", params).await["result"]["content"][0]["text"],
        "Accept"
    );
    let refused = line.request(5, "tools/call", json!({ "name": "refuse", "_meta": meta })).await;
    assert_eq!(refused["error"]["code"], -32603);
}
