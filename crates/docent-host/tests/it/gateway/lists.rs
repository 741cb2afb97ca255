//! What lists say, and when they are told to have changed.

use std::sync::Arc;

use docent_host::Gateway;
use docent_mcp::client::{RequestOptions, ServerEvent, Source};
use docent_mcp::transport::memory;
use docent_mcp::types::{CacheScope, JsonObject, Revision};
use serde_json::Value;
use tokio::sync::Notify;

use crate::fixture::{Behind, ERAS, Way, client, connect, event, host, server, soon, source};

/// The shortest time, and public only if all are.
#[tokio::test]
async fn freshness_is_that_of_the_shakiest_server() {
    use CacheScope::{Private, Public};
    for (hints, ttl_ms, scope) in [
        (vec![Some((5000, Public)), Some((9000, Public))], 5000, "public"),
        (vec![Some((5000, Public)), Some((9000, Private))], 5000, "private"),
        // A legacy server says nothing, so nothing can be relied on.
        (vec![Some((5000, Public)), None], 0, "private"),
    ] {
        let behind = Behind::default();
        let mut builder = host();
        for (number, hint) in hints.into_iter().enumerate() {
            let one = match hint {
                Some((ttl, scope)) => {
                    server(Revision::NEWEST_MODERN, &behind).cache_lists(ttl, scope)
                }
                None => server(Revision::NEWEST_LEGACY, &behind),
            };
            builder = builder.connector(format!("s{number}"), source(&one, &behind));
        }
        let gateway = Arc::new(Gateway::builder(builder.from_entries([])).build());
        let client = connect(&gateway, Way::Memory, client(Revision::NEWEST_MODERN).0).await;
        let listed = client.request("tools/list", JsonObject::new(), RequestOptions::new());
        let listed: Value = soon(listed).await.unwrap().decode().unwrap();
        assert_eq!((&listed["ttlMs"], &listed["cacheScope"]), (&ttl_ms.into(), &scope.into()));
    }
}

#[tokio::test]
async fn a_server_that_comes_late_is_told_of() {
    for era in ERAS {
        let behind = Behind::default();
        let (late, early) = (server(era, &behind), server(era, &behind));
        let come = Arc::new(Notify::new());
        let waiting = come.clone();
        let slow = move || {
            let (late, waiting) = (late.clone(), waiting.clone());
            Source::connector(move || {
                let (late, waiting) = (late.clone(), waiting.clone());
                async move {
                    waiting.notified().await;
                    let (near, far) = memory();
                    tokio::spawn(late.serve(far));
                    Ok(near)
                }
            })
        };
        let host = host().connector("late", slow).connector("early", source(&early, &behind));
        let gateway = Arc::new(Gateway::builder(host.from_entries([])).build());
        let (builder, mut events) = client(era);
        let client = connect(&gateway, Way::Memory, builder).await;
        soon(client.watch_lists()).await.unwrap();
        let names = |tools: Vec<docent_mcp::types::Tool>| -> Vec<String> {
            let echoes = tools.into_iter().map(|tool| tool.name);
            echoes.filter(|name| name.ends_with("__echo")).collect()
        };
        assert_eq!(names(soon(client.tools()).await.unwrap()), ["early__echo"]);
        come.notify_one();
        event(&mut events, |event| matches!(event, ServerEvent::ToolsChanged)).await;
        assert_eq!(names(soon(client.tools()).await.unwrap()), ["late__echo", "early__echo"]);
    }
}

#[tokio::test]
async fn instructions_of_servers_reach_the_model() {
    for era in ERAS {
        let behind = Behind::default();
        let one = server(Revision::NEWEST_MODERN, &behind);
        let host = host().connector("one", source(&one, &behind)).from_entries([]);
        let gateway = Arc::new(Gateway::builder(host).build());
        let client = connect(&gateway, Way::Memory, client(era).0).await;
        assert_eq!(client.server().instructions.as_deref(), Some("## one\nBe kind."), "{era}");
    }
}
