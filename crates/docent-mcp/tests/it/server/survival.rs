//! Panics, cancellation, slow handlers and the end of input.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use docent_mcp::layer::{
    CatchPanicLayer, ConcurrencyLimitLayer, LogLayer, RateLimitLayer, TimeoutLayer,
};
use docent_mcp::server::{Context, Server, ToolError};
use serde_json::json;

use super::line::{Line, modern};
use crate::fixture;

/// A handler that ignores its token is dropped at its next await all the same.
#[tokio::test(start_paused = true)]
async fn a_cancelled_handler_does_not_run_on() {
    let finished = Arc::new(AtomicUsize::new(0));
    let counter = finished.clone();
    let deaf = move |_: Context, (): ()| {
        let counter = counter.clone();
        async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            counter.fetch_add(1, Ordering::Relaxed);
            Ok::<_, ToolError>("done")
        }
    };
    let mut line = Line::default(Server::new("s", "1").tool("deaf", "Does not listen", deaf))
        .open("2025-11-25")
        .await;
    let params = json!({ "name": "deaf" });
    line.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })).await;
    tokio::task::yield_now().await;
    line.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } })).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(line.request(2, "ping", json!({})).await["id"], 2);
    assert_eq!(finished.load(Ordering::Relaxed), 0);
}

/// Handlers that hold the thread are found out and no longer hold up the connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_holds_the_thread_is_moved_away() {
    async fn hold(_: Context, (): ()) -> Result<&'static str, ToolError> {
        std::thread::sleep(Duration::from_millis(60));
        Ok("held")
    }
    let mut line = Line::default(Server::new("s", "1").tool("hold", "Holds the thread", hold))
        .open("2025-11-25")
        .await;
    assert!(line.call(1, "hold", json!({})).await["result"].is_object());
    line.send(
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "hold" } }),
    )
    .await;
    // The answer to the ping comes first, because the call runs elsewhere by now.
    assert_eq!(line.request(3, "ping", json!({})).await["id"], 3);
    assert_eq!(line.receive().await["id"], 2);
}

/// A panic before and after an await, in both eras; the next request is served.
#[tokio::test]
async fn panics_are_answered() {
    async fn late(_: Context, (): ()) -> Result<&'static str, ToolError> {
        tokio::task::yield_now().await;
        panic!("late")
    }
    let server = fixture::server().tool("late", "Panics late", late);
    let mut line = Line::default(server).open("2025-06-18").await;
    for (id, tool) in [(1, "panic"), (2, "late")] {
        assert_eq!(line.call(id, tool, json!({})).await["error"]["code"], -32603);
        let params = json!({ "name": tool, "_meta": modern(json!({})) });
        assert_eq!(line.request(id + 10, "tools/call", params).await["error"]["code"], -32603);
    }
    assert!(line.call(5, "echo", json!({ "message": "on" })).await["result"].is_object());
}

/// Many replies at once, each whole: a partial line would break the count.
#[tokio::test]
async fn large_replies_are_not_torn() {
    let mut line = Line::default(fixture::server()).open("2025-11-25").await;
    for id in 0..50 {
        let params = json!({ "name": "echo", "arguments": { "message": "x".repeat(64 << 10) } });
        line.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .await;
        assert_eq!(line.receive().await["id"], id);
    }
}

/// Many notifications to a slow reader neither deadlock nor pile up without bound.
#[tokio::test]
async fn a_slow_reader_slows_its_own_requests() {
    let mut line = Line::default(fixture::server()).open("2025-11-25").await;
    let params = json!({ "name": "progress", "arguments": { "steps": 10_000 }, "_meta": { "progressToken": 1 } });
    line.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })).await;
    for step in 1..=10_000 {
        assert_eq!(line.receive().await["params"]["progress"], f64::from(step));
    }
    assert_eq!(line.receive().await["id"], 1);
}

/// A legacy peer that does not answer pings is given up.
#[tokio::test(start_paused = true)]
async fn keep_alive() {
    let mut line = Line::default(fixture::server().keep_alive(Duration::from_secs(10)))
        .open("2025-11-25")
        .await;
    let ping = line.receive().await;
    assert_eq!(ping["method"], "ping");
    line.send(json!({ "jsonrpc": "2.0", "id": ping["id"], "result": {} })).await;
    assert_eq!(line.receive().await["method"], "ping");
    let error = line.serving.await.unwrap().unwrap_err();
    assert!(error.is_timeout(), "{error}");
}

/// [SRV-TOOLS-13] [BOTH-COMP-04] [SRV-LOG-03] limits, access control and rates are layers.
#[tokio::test(start_paused = true)]
async fn layers_on_the_server() {
    let server = fixture::server().layer(TimeoutLayer::new(Duration::from_secs(1)));
    let mut line = Line::default(server).open("2025-11-25").await;
    assert_eq!(line.call(1, "slow", json!({ "ms": 5000 })).await["error"]["code"], -32603);
    assert!(line.call(2, "slow", json!({ "ms": 5 })).await["result"].is_object());

    let server = fixture::server().layer(RateLimitLayer::new(3, Duration::from_secs(1)));
    let mut line = Line::default(server).open("2025-11-25").await;
    // The handshake took one of the three.
    for (id, refused) in [(1, false), (2, false), (3, true)] {
        let params = json!({ "ref": { "type": "ref/prompt", "name": "greet" }, "argument": { "name": "style", "value": "" } });
        let answer = line.request(id, "completion/complete", params).await;
        assert_eq!(answer["error"]["data"]["retryAfterMs"].is_u64(), refused, "{answer}");
    }

    let server = fixture::server().layer(CatchPanicLayer).layer(LogLayer);
    let mut line = Line::default(server).open("2025-11-25").await;
    assert_eq!(line.call(1, "panic", json!({})).await["error"]["code"], -32603);

    let server = fixture::server().layer(ConcurrencyLimitLayer::new(1));
    let mut line = Line::default(server).open("2025-11-25").await;
    for (id, ms) in [(1, 2000), (2, 1)] {
        let params = json!({ "name": "slow", "arguments": { "ms": ms } });
        line.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .await;
    }
    assert_eq!(line.receive().await["id"], 1);
    assert_eq!(line.receive().await["id"], 2);
}
