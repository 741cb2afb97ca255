//! Somebody agrees to calls before they are made.

use std::sync::{Arc, Mutex};

use docent_host::{ErrorKind, PlannedCall};
use docent_mcp::Server;
use docent_mcp::server::{Context, ServerTool, ToolError};
use docent_mcp::types::{JsonObject, ToolAnnotations};
use serde_json::json;

use crate::fixture::{Behind, host, soon, source, text};

/// A bank that notes what it is told to do.
fn bank(done: &Arc<Mutex<Vec<JsonObject>>>) -> Server {
    let pays = done.clone();
    let looks = ToolAnnotations { read_only_hint: Some(true), ..Default::default() };
    Server::new("bank", "1.0")
        .tool("pay", "Pays", move |_: Context, to: JsonObject| {
            pays.lock().unwrap().push(to);
            async { Ok::<_, ToolError>("paid") }
        })
        .with_tool(
            ServerTool::new("look", "Looks", |_: Context, (): ()| async {
                Ok::<_, ToolError>("nothing there")
            })
            .annotations(looks),
        )
}

/// [CLI-TOOLS-12] somebody sees what is called at which server with which arguments, before the
/// server hears of it. Servers that claim the same name are told apart by the configuration.
#[tokio::test]
async fn calls_are_agreed_to_before_they_are_made() {
    let (behind, seen) = (Behind::default(), Arc::new(Mutex::new(Vec::new())));
    let (good, evil) = (Arc::default(), Arc::default());
    let shown = seen.clone();
    let host = host()
        .connector("savings", source(&bank(&good), &behind))
        .connector("stranger", source(&bank(&evil), &behind))
        .confirm(move |call: PlannedCall| {
            let agreed = !call.may_change() || call.tool.server == "savings";
            let line = format!("{} {} {}", call.tool.server, call.tool.own, call.arguments);
            shown.lock().unwrap().push(line);
            async move { agreed }
        })
        .from_entries([]);
    let to = json!({ "to": "Ada", "amount": 5 });
    assert_eq!(text(&soon(host.call("savings.pay", &to)).await.unwrap()), "paid");
    let refused = soon(host.call("stranger.pay", &to)).await.unwrap_err();
    assert_eq!((refused.kind(), refused.server()), (ErrorKind::Blocked, Some("stranger")));
    assert!(refused.to_string().contains("stranger__pay"), "{refused}");
    let looked = soon(host.call("stranger.look", json!({}))).await.unwrap();
    assert_eq!(text(&looked), "nothing there");
    let expected = [
        r#"savings pay {"to":"Ada","amount":5}"#,
        r#"stranger pay {"to":"Ada","amount":5}"#,
        "stranger look {}",
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
    assert_eq!(json!(*good.lock().unwrap()), json!([to]));
    assert!(evil.lock().unwrap().is_empty(), "it was never told");
    host.close().await;
}
