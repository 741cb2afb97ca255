//! What each request says about its maker.

use docent_mcp::client::RequestOptions;
use docent_mcp::types::{ElicitResult, JsonObject, LoggingLevel, Meta, Revision};
use serde_json::{Value, json};

use super::fake::{connected, discovered};
use super::{builder, object};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Answers whatever comes with something that fits, and notes it down.
fn answer_all(requests: &mut Vec<Value>) -> impl FnMut(&str, &Value) -> Option<Value> {
    move |method, params| {
        requests.push(json!({ "method": method, "params": params }));
        Some(match method {
            "server/discover" => discovered(&["2026-07-28"], json!({})),
            "tools/list" => json!({ "tools": [] }),
            "prompts/list" => json!({ "prompts": [] }),
            "resources/list" => json!({ "resources": [] }),
            "resources/templates/list" => json!({ "resourceTemplates": [] }),
            "resources/read" => json!({ "contents": [] }),
            "prompts/get" => json!({ "messages": [] }),
            "completion/complete" => json!({ "completion": { "values": [] } }),
            _ => json!({ "content": [] }),
        })
    }
}

/// [CLI-META-03] every modern request carries version, capabilities and name, whatever its method
/// and whatever the caller put into `_meta`.
#[tokio::test(start_paused = true)]
async fn every_modern_request_introduces_its_maker() {
    let builder = builder()
        .info(|info| info.title = Some("A test".into()))
        .on_elicit_form(|_| async { Ok(ElicitResult::default()) })
        .extension("com.example/x", JsonObject::new());
    let (client, fake) = connected(Revision::V2026_07_28, builder).await;
    let mut requests = Vec::new();
    let calling = async {
        client.tools().await.unwrap();
        client.prompts().await.unwrap();
        client.resources().await.unwrap();
        client.templates().await.unwrap();
        client.read("memo://a").await.unwrap();
        client.prompt("p", [("a", "b")]).await.unwrap();
        let reference =
            serde_json::from_value(json!({ "type": "ref/prompt", "name": "p" })).unwrap();
        client.complete(reference, "a", "b", Default::default()).await.unwrap();
        client.ping().await.unwrap();
        client.call("plain", json!({})).await.unwrap();
        let mut meta = Meta::new();
        meta.insert("com.example/note", "kept");
        meta.insert(VERSION, "1999-01-01");
        let options = RequestOptions::new().meta(meta);
        client.call_with("with metadata", json!({}), options).await.unwrap();
        let params = object(json!({ "_meta": { "com.example/own": 1, VERSION: 7 } }));
        client.request("com.example/method", params, RequestOptions::new()).await.unwrap();
        client.close().await;
    };
    tokio::join!(calling, fake.serve(answer_all(&mut requests)));
    assert_eq!(requests.len(), 11);
    for request in &requests {
        let meta = &request["params"]["_meta"];
        assert_eq!(meta[VERSION], "2026-07-28", "{request}");
        assert_eq!(
            meta["io.modelcontextprotocol/clientCapabilities"],
            json!({ "elicitation": { "form": {} }, "extensions": { "com.example/x": {} } }),
        );
        assert_eq!(
            meta["io.modelcontextprotocol/clientInfo"],
            json!({ "name": "test", "title": "A test", "version": "1.0" }),
        );
    }
    assert_eq!(requests[9]["params"]["_meta"]["com.example/note"], "kept");
    assert_eq!(requests[10]["params"]["_meta"]["com.example/own"], 1);
}

/// [CLI-META-03] requests of a session carry none of it, even if the caller tries: the version
/// would make a modern request of each.
#[tokio::test(start_paused = true)]
async fn a_legacy_request_says_nothing_modern() {
    let (client, fake) = connected(Revision::V2025_11_25, builder()).await;
    let mut requests = Vec::new();
    let calling = async {
        client.call("plain", json!({})).await.unwrap();
        let mut meta = Meta::new();
        meta.insert("com.example/note", "kept");
        meta.insert(VERSION, "2026-07-28");
        let options = RequestOptions::new().meta(meta).log_level(LoggingLevel::Debug);
        client.call_with("with metadata", json!({}), options).await.unwrap();
        client.close().await;
    };
    tokio::join!(calling, fake.serve(answer_all(&mut requests)));
    assert_eq!(requests[0]["params"], json!({ "name": "plain", "arguments": {} }));
    assert_eq!(requests[1]["params"]["_meta"], json!({ "com.example/note": "kept" }));
}

/// The log level of a modern request is the request's own, or the one that was set for all.
#[tokio::test(start_paused = true)]
async fn the_log_level_travels_with_modern_requests() {
    let (client, fake) = connected(Revision::V2026_07_28, builder()).await;
    let mut requests = Vec::new();
    let calling = async {
        client.call("silent", json!({})).await.unwrap();
        client.set_log_level(LoggingLevel::Warning).await.unwrap();
        client.call("for all", json!({})).await.unwrap();
        let options = RequestOptions::new().log_level(LoggingLevel::Debug);
        client.call_with("for one", json!({}), options).await.unwrap();
        client.close().await;
    };
    tokio::join!(calling, fake.serve(answer_all(&mut requests)));
    let levels: Vec<_> = requests
        .iter()
        .map(|request| request["params"]["_meta"]["io.modelcontextprotocol/logLevel"].clone())
        .collect();
    assert_eq!(levels, [json!(null), json!("warning"), json!("debug")]);
}
