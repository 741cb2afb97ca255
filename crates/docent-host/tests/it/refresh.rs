//! Lists are fetched again when the time that their server gave is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use docent_host::Host;
use docent_mcp::Server;
use docent_mcp::types::{CacheScope, ListToolsResult, Revision, Tool, method};
use serde_json::json;

use crate::fixture::{Behind, host, source};
use crate::instead::{Answering, Instead};

/// A server whose only tool has another name each time that it is listed, and tells nobody.
fn changing(ttl_ms: Option<u64>, listed: &Arc<AtomicU32>) -> Host {
    let listed = listed.clone();
    let layer = Instead::new(move |call| {
        (call.method == method::TOOLS_LIST).then(|| -> Answering {
            let tool = json!({
                "name": format!("v{}", listed.fetch_add(1, Ordering::Relaxed) + 1),
                "inputSchema": { "type": "object" },
            });
            let tool: Tool = serde_json::from_value(tool).unwrap();
            let result = ListToolsResult {
                tools: vec![tool],
                ttl_ms,
                cache_scope: Some(CacheScope::Public),
                ..Default::default()
            };
            let context = call.context.clone();
            Box::pin(async move { Ok(context.reply(result)) })
        })
    });
    let server = Server::new("changing", "1.0").revisions([Revision::NEWEST_MODERN]);
    let server = server.will_have_tools().layer(layer);
    host().connector("one", source(&server, &Behind::default())).from_entries([])
}

/// What is listed at once, and what is when that had its effect.
async fn twice(host: &Host) -> [String; 2] {
    let name = async || host.tools().await.iter().map(|tool| tool.own.clone()).collect();
    let before: String = name().await;
    // Long enough to be fetched, and too short to be over.
    tokio::time::sleep(Duration::from_secs(1)).await;
    [before, name().await]
}

#[tokio::test(start_paused = true)]
async fn a_list_is_shown_from_memory_and_fetched_behind_when_its_time_is_over() {
    let ttl = Duration::from_secs(60);
    for (ttl_ms, waited, expected) in [
        (Some(60_000), ttl, ["v1", "v1"]),
        (Some(60_000), ttl + Duration::from_millis(1), ["v1", "v2"]),
        // Without a time, only what the server tells counts.
        (Some(0), 100 * ttl, ["v1", "v1"]),
        (None, 100 * ttl, ["v1", "v1"]),
    ] {
        let listed = Arc::new(AtomicU32::new(0));
        let host = changing(ttl_ms, &listed);
        assert_eq!(host.tools().await[0].own, "v1");
        tokio::time::advance(waited).await;
        let seen = twice(&host).await;
        assert_eq!(seen, expected, "{ttl_ms:?} after {waited:?}");
        host.close().await;
    }
}
