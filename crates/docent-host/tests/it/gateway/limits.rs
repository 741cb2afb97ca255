//! Limits of the gateway, at the limit and one past it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use docent_host::{Gateway, HostLimits};
use docent_mcp::client::Client;
use docent_mcp::server::{Context, ServerResource, ToolError};
use docent_mcp::transport::stream;
use docent_mcp::types::{
    CallToolResult, ContentBlock, ReadResourceResult, ResourceContents, Revision, method,
};
use docent_mcp::{Result, Server};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::fixture::{Behind, Way, client, connect, host, server, source, text};
use crate::instead::{Answering, Instead};

/// A gateway with these limits before a server of a legacy era.
fn gateway(limits: HostLimits, behind: &Behind) -> Arc<Gateway> {
    let one = server(Revision::NEWEST_LEGACY, behind);
    let host = host().limits(limits).connector("one", source(&one, behind)).from_entries([]);
    Arc::new(Gateway::new(host))
}

/// A client that can be asked, and so has a connection of its own to such a server.
async fn caller(gateway: &Arc<Gateway>) -> Client {
    connect(gateway, Way::Memory, client(Revision::NEWEST_LEGACY).0).await
}

async fn echo(client: &Client) -> Result<CallToolResult> {
    client.call("one__echo", json!({ "message": "x" })).await
}

#[tokio::test(start_paused = true)]
async fn so_many_callers_have_connections_of_their_own() {
    let behind = Behind::default();
    let limits = HostLimits { homes_per_server_max: 2, ..HostLimits::default() };
    let gateway = gateway(limits, &behind);
    let (first, second, third) =
        (caller(&gateway).await, caller(&gateway).await, caller(&gateway).await);
    for client in [&first, &second, &first] {
        echo(client).await.unwrap();
    }
    let full = echo(&third).await.unwrap_err();
    assert!(format!("{full:#}").contains("`one` has too many callers: try later"), "{full:#}");
    // One for lists, and one for each of the two.
    assert_eq!(behind.connections.load(Ordering::Relaxed), 3);
    echo(&first).await.expect("who has one keeps it");
    second.close().await;
    // Its end is noticed in a moment.
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(text(&echo(&third).await.unwrap()), "x");
    gateway.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_nobody_uses_is_ended() {
    let behind = Behind::default();
    let limits = HostLimits::default();
    let idle = limits.home_idle_timeout;
    let gateway = gateway(limits, &behind);
    let client = caller(&gateway).await;
    let moment = Duration::from_secs(1);
    // Looked at again after a quarter of the time, at the latest.
    let over = idle + idle / 4;
    for (waited, connections) in
        [(moment, 2), (idle - moment, 2), (idle - moment, 2), (over + moment, 3), (moment, 3)]
    {
        tokio::time::sleep(waited).await;
        echo(&client).await.unwrap();
        assert_eq!(behind.connections.load(Ordering::Relaxed), connections, "{waited:?}");
    }
    gateway.close().await;
}

#[derive(Deserialize, JsonSchema)]
struct Link {
    uri: String,
}

/// A server that names resources which no list has, and reads whatever it is asked for.
fn naming(word: &'static str) -> Server {
    let read = Instead::new(move |call| {
        (call.method == method::RESOURCES_READ).then(|| -> Answering {
            let params: Value = call.params.as_ref().unwrap().decode().unwrap();
            let contents = vec![ResourceContents::text(params["uri"].as_str().unwrap(), word)];
            let result = ReadResourceResult { contents, ..Default::default() };
            let context = call.context.clone();
            Box::pin(async move { Ok(context.reply(result)) })
        })
    });
    Server::new("naming", "1.0")
        .revisions([Revision::NEWEST_MODERN])
        .tool("name", "Names a resource", |_: Context, args: Link| async move {
            Ok::<_, ToolError>(vec![ContentBlock::resource_link(args.uri, "link")])
        })
        .with_resource(ServerResource::new(format!("memo://{word}"), "own", |_, _| async {
            Ok("never read")
        }))
        .layer(read)
}

#[tokio::test(start_paused = true)]
async fn so_many_addresses_of_no_list_are_remembered() {
    let behind = Behind::default();
    let limits = HostLimits { links_max: 2, ..HostLimits::default() };
    let host = host()
        .limits(limits)
        .connector("one", source(&naming("first"), &behind))
        .connector("two", source(&naming("second"), &behind))
        .from_entries([]);
    let gateway = Arc::new(Gateway::new(host));
    let client = connect(&gateway, Way::Memory, client(Revision::NEWEST_MODERN).0).await;
    let name = async |server: &str, uri: &str| {
        client.call(&format!("{server}__name"), json!({ "uri": uri })).await.unwrap();
    };
    let read = async |uri: &str| {
        let read = client.read(uri).await.ok()?;
        read.contents[0].as_text().map(str::to_owned)
    };
    assert_eq!(read("memo://a").await, None, "nobody has named it");
    name("one", "memo://a").await;
    name("two", "memo://b").await;
    // What is known already takes no room.
    name("two", "memo://b").await;
    assert_eq!(read("memo://a").await.as_deref(), Some("first"));
    assert_eq!(read("memo://b").await.as_deref(), Some("second"));
    // One more than there is room for: the others are forgotten.
    name("two", "memo://c").await;
    assert_eq!(read("memo://c").await.as_deref(), Some("second"));
    assert_eq!((read("memo://a").await, read("memo://b").await), (None, None));
    gateway.close().await;
}

/// How many of so many progress reports reach a client that reads nothing before all are made.
async fn reported(notices_max: usize, steps: usize) -> usize {
    let mut limits = HostLimits { notices_max, ..HostLimits::default() };
    // Little room on the way, so that what waits has to wait for the call.
    limits.connection.outbox_bytes_max = 500;
    let behind = Behind::default();
    let one = server(Revision::NEWEST_MODERN, &behind);
    let host = host().limits(limits).connector("one", source(&one, &behind)).from_entries([]);
    host.tools().await;
    let gateway = Gateway::new(host);
    let (near, far) = tokio::io::duplex(100);
    let (read, write) = tokio::io::split(far);
    let serving = async { gateway.serve(stream(read, write)).await.unwrap() };
    let asking = async {
        let (read, mut write) = tokio::io::split(near);
        let request = json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {
                "name": "one__progress",
                "arguments": { "steps": steps },
                "_meta": {
                    "progressToken": "t",
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": { "name": "slow", "version": "1" },
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            },
        });
        write.write_all(format!("{request}\n").as_bytes()).await.unwrap();
        // Time goes on only when nobody has anything left to do.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mut lines = BufReader::new(read).lines();
        let mut reports = 0;
        loop {
            let line = lines.next_line().await.unwrap().expect("an answer comes");
            match line.contains("notifications/progress") {
                true => reports += 1,
                false => break assert!(line.contains("done"), "{line}"),
            }
        }
        write.shutdown().await.unwrap();
        reports
    };
    let (reports, ()) = tokio::join!(asking, serving);
    reports
}

#[tokio::test(start_paused = true)]
async fn so_many_reports_wait_for_a_slow_client() {
    // What has room on the way is the same for steps of as many digits.
    let on_the_way = reported(1, 500).await - 1;
    assert!(on_the_way < 100, "{on_the_way}");
    let most = on_the_way + 100;
    for (steps, expected) in [(most, most), (most + 1, most), (999, most)] {
        assert_eq!(reported(100, steps).await, expected, "of {steps}");
    }
}
