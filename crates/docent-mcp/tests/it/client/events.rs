//! What a server tells, and what a client tells it.

use docent_mcp::types::JsonObject;
use serde_json::json;

use super::fake::{connected, heard, said};
use super::{ERAS, SESSION, builder};

/// What servers tell becomes events, in order; what cannot be read is left out, what nobody knows
/// is passed on.
#[tokio::test(start_paused = true)]
async fn notifications_become_events() {
    for revision in ERAS {
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        let builder = builder().on_event(move |event| drop(tell.send(format!("{event:?}"))));
        let (_client, mut fake) = connected(revision, builder).await;
        for (method, params) in [
            ("notifications/tools/list_changed", json!({})),
            ("notifications/prompts/list_changed", json!({})),
            ("notifications/resources/list_changed", json!({})),
            ("notifications/resources/updated", json!({ "uri": 7 })),
            ("notifications/resources/updated", json!({ "uri": "memo://a" })),
            ("notifications/message", json!({ "level": "loud", "data": 1 })),
            (
                "notifications/message",
                json!({ "level": "error", "logger": "l", "data": { "a": 1 } }),
            ),
            ("notifications/progress", json!({ "progressToken": "nobody's", "progress": 1 })),
            ("com.example/own", json!({ "b": 2 })),
        ] {
            fake.notify(method, params).await;
        }
        let mut events = Vec::new();
        while events.last().is_none_or(|last: &String| !last.contains("com.example/own")) {
            events.push(told.recv().await.unwrap());
        }
        let starts = [
            "ToolsChanged",
            "PromptsChanged",
            "ResourcesChanged",
            r#"ResourceUpdated("memo://a")"#,
            "Log(",
            "Other",
        ];
        assert_eq!(events.len(), starts.len(), "{events:?}");
        for (event, start) in events.iter().zip(starts) {
            assert!(event.starts_with(start), "{event}");
        }
    }
}

/// A client's own notifications go out as they are.
#[tokio::test(start_paused = true)]
async fn notifications_can_be_sent() {
    let (client, mut fake) = connected(SESSION, builder()).await;
    client.notify("com.example/own", Some(JsonObject::new())).await.unwrap();
    fake.expect_like(json!({ "jsonrpc": "2.0", "method": "com.example/own", "params": {} })).await;
    client.notify("com.example/bare", None).await.unwrap();
    fake.expect_like(json!({ "jsonrpc": "2.0", "method": "com.example/bare" })).await;
}

/// So is the panic of a function that only takes notice: the connection goes on.
#[tokio::test(start_paused = true)]
async fn a_panicking_listener_costs_nothing() {
    for revision in ERAS {
        let builder = builder().on_event(|_| panic!("not prepared for this"));
        let (client, mut fake) = connected(revision, builder).await;
        let options =
            docent_mcp::client::RequestOptions::new().on_progress(|_| panic!("nor for this"));
        let (called, ()) = tokio::join!(client.call_with("any", json!({}), options), async {
            let call = fake.expect("tools/call").await;
            fake.notify("notifications/tools/list_changed", json!({})).await;
            let token = &call["params"]["_meta"]["progressToken"];
            fake.notify("notifications/progress", json!({ "progressToken": token, "progress": 1 }))
                .await;
            fake.answer(&call, said("still here")).await;
        });
        assert_eq!(heard(&called.unwrap()), "still here");
    }
}
