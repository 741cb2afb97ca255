//! What lists say, and when they are told to have changed.

use std::sync::Arc;

use docent_host::Gateway;
use docent_mcp::Server;
use docent_mcp::client::{RequestOptions, ServerEvent, Source};
use docent_mcp::server::ServerResource;
use docent_mcp::transport::memory;
use docent_mcp::types::{CacheScope, JsonObject, Revision};
use serde_json::Value;
use tokio::sync::Notify;

use crate::fixture::{Behind, ERAS, Way, client, connect, event, host, server, soon, source};

/// Every list that says how long it is good.
const LISTS: [&str; 4] =
    ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];

/// The shortest time, and public only if all are.
#[tokio::test]
async fn freshness_is_that_of_the_shakiest_server() {
    use CacheScope::{Private, Public};
    for (hints, ttl_ms, scope) in [
        (vec![Some((5000, Public)), Some((9000, Public))], 5000, "public"),
        (vec![Some((5000, Public)), Some((9000, Private))], 5000, "private"),
        (vec![Some((9000, Private)), Some((5000, Public))], 5000, "private"),
        (vec![Some((5000, Private)), Some((0, Public))], 0, "private"),
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
        for list in LISTS {
            let listed = client.request(list, JsonObject::new(), RequestOptions::new());
            let listed: Value = soon(listed).await.unwrap().decode().unwrap();
            let said = (&listed["ttlMs"], &listed["cacheScope"]);
            assert_eq!(said, (&ttl_ms.into(), &scope.into()), "{list}");
        }
    }
}

/// What one server says of a resource is not another's to change.
#[tokio::test]
async fn freshness_of_a_resource_is_what_its_server_says() {
    use CacheScope::{Private, Public};
    let note = |uri: &str| ServerResource::new(uri, "note", |_, _| async { Ok("A note") });
    let behind = Behind::default();
    let modern = Server::new("modern", "1.0")
        .revisions([Revision::NEWEST_MODERN])
        .cache_lists(1, Private)
        .with_resource(note("memo://public").cache(5000, Public))
        .with_resource(note("memo://private").cache(7000, Private))
        .with_resource(note("memo://unsaid"));
    let legacy = Server::new("legacy", "1.0")
        .revisions([Revision::NEWEST_LEGACY])
        .with_resource(note("memo://old").cache(5000, Public));
    let host = host()
        .connector("modern", source(&modern, &behind))
        .connector("legacy", source(&legacy, &behind));
    let gateway = Arc::new(Gateway::new(host.from_entries([])));
    let client = connect(&gateway, Way::Memory, client(Revision::NEWEST_MODERN).0).await;
    for (uri, ttl_ms, scope) in [
        ("memo://public", 5000, "public"),
        ("memo://private", 7000, "private"),
        ("memo://unsaid", 0, "private"),
        // A legacy server says nothing, so nothing can be relied on.
        ("memo://old", 0, "private"),
    ] {
        let params = JsonObject::from_iter([("uri".to_owned(), uri.into())]);
        let read = client.request("resources/read", params, RequestOptions::new());
        let read: Value = soon(read).await.unwrap().decode().unwrap();
        let said = (&read["ttlMs"], &read["cacheScope"]);
        assert_eq!(said, (&ttl_ms.into(), &scope.into()), "{uri}");
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
