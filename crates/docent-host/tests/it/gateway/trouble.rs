//! Servers that are slow, broken or gone: they cost the others nothing.

use std::sync::Arc;
use std::time::Duration;

use docent_host::{Gateway, HostLimits};
use docent_mcp::client::Source;
use docent_mcp::transport::memory;
use docent_mcp::types::Revision;
use serde_json::json;
use tokio::time::Instant;

use crate::fixture::{Behind, Way, client, connect, host, server, soon, source, text};

/// Twenty servers, of which three never answer and two end at once.
fn twenty() -> Gateway {
    let behind = Behind::default();
    let mut builder = host();
    for number in 0..20 {
        let name = format!("s{number}");
        builder = match number {
            3 | 7 | 11 => builder.connector(name, || {
                Source::connector(|| async {
                    let (near, far) = memory();
                    // Kept, so that the connection stays open, and never read.
                    tokio::spawn(async move {
                        let _far = far;
                        std::future::pending::<()>().await;
                    });
                    Ok(near)
                })
            }),
            5 | 13 => builder.connector(name, || Source::connector(|| async { Ok(memory().0) })),
            _ => {
                let era = [Revision::NEWEST_LEGACY, Revision::NEWEST_MODERN][number % 2];
                builder.connector(name, source(&server(era, &behind), &behind))
            }
        };
    }
    Gateway::builder(builder.from_entries([])).build()
}

#[tokio::test(start_paused = true)]
async fn three_hung_and_two_broken_servers_delay_nobody() {
    let gateway = Arc::new(twenty());
    for era in crate::fixture::ERAS {
        let (builder, _events) = client(era);
        let client = connect(&gateway, Way::Memory, builder).await;
        let begun = Instant::now();
        let tools = soon(client.tools()).await.unwrap();
        let patience = HostLimits::default().list_patience;
        assert!(begun.elapsed() <= patience + Duration::from_millis(500), "{:?}", begun.elapsed());
        let with_echo = tools.iter().filter(|tool| tool.name.ends_with("__echo")).count();
        assert_eq!(with_echo, 15);
        let called = Instant::now();
        let result = client.call("s0__echo", json!({ "message": "quick" })).await.unwrap();
        assert_eq!(text(&result), "quick");
        let result = client.call("s19.echo", json!({ "message": "quick" })).await.unwrap();
        assert_eq!(text(&result), "quick");
        assert!(called.elapsed() < Duration::from_millis(250), "{:?}", called.elapsed());
        // One that is broken says so, and in whose name.
        let error = client.call("s5__echo", json!({ "message": "x" })).await.unwrap_err();
        assert!(format!("{error:#}").contains("server `s5` is not available"), "{error:#}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_comes_from_what_was_listed_before() {
    let gateway = Arc::new(twenty());
    let (builder, _events) = client(Revision::NEWEST_MODERN);
    let client = connect(&gateway, Way::Memory, builder).await;
    soon(client.tools()).await.unwrap();
    // The hung ones were given up on by now, as far as lists are concerned.
    tokio::time::sleep(HostLimits::default().startup_timeout).await;
    let begun = Instant::now();
    assert!(!soon(client.tools()).await.unwrap().is_empty());
    assert!(begun.elapsed() <= Duration::from_millis(250), "{:?}", begun.elapsed());
}
