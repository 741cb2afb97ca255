//! Each limit at the limit and one past it.

use std::time::Duration;

use docent_mcp::Limits;
use serde_json::{Value, json};

use super::line::{Line, modern};
use crate::fixture;

fn code(message: &Value) -> Option<i64> {
    message["error"]["code"].as_i64()
}

/// An `echo` call whose whole line has the given length.
fn call_of_length(id: u32, length: usize) -> String {
    let call = |message: &str| {
        json!({
            "jsonrpc": "2.0", "method": "tools/call",
            "params": { "name": "echo", "arguments": { "message": message } },
            "id": id,
        })
        .to_string()
    };
    call(&"x".repeat(length - call("").len()))
}

#[tokio::test]
async fn message_length() {
    let limits = Limits { message_bytes_max: 1000, ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits).open("2025-11-25").await;
    line.send_text(&call_of_length(1, 1000)).await;
    assert!(line.receive().await["result"].is_object());
    line.send_text(&call_of_length(2, 1001)).await;
    let refused = line.receive().await;
    assert_eq!((refused["id"].as_u64(), code(&refused)), (Some(2), Some(-32600)));
    // One that is far too long, so that it is never held whole; its id comes last.
    line.send_text(&call_of_length(3, 3_000_000)).await;
    let refused = line.receive().await;
    assert_eq!((refused["id"].as_u64(), code(&refused)), (Some(3), Some(-32600)));
    assert!(line.call(4, "echo", json!({ "message": "on" })).await["result"].is_object());
}

/// The same for a modern request.
#[tokio::test]
async fn message_length_modern() {
    let limits = Limits { message_bytes_max: 1000, ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits);
    let params = json!({ "name": "echo", "arguments": { "message": "x".repeat(2000) }, "_meta": modern(json!({})) });
    let refused = line.request("big", "tools/call", params).await;
    assert_eq!((refused["id"].as_str(), code(&refused)), (Some("big"), Some(-32600)));
}

#[tokio::test]
async fn depth() {
    let mut line = Line::default(fixture::server()).open("2025-11-25").await;
    for (depth, expected) in [(64, None), (65, Some(-32600)), (100_000, Some(-32600))] {
        // The message and its parameters are two of the levels.
        let nested = format!("{}{}", "[".repeat(depth - 2), "]".repeat(depth - 2));
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":{depth},"method":"ping","params":{{"x":{nested}}}}}"#
        );
        line.send_text(&text).await;
        let answer = line.receive().await;
        assert_eq!((answer["id"].as_u64(), code(&answer)), (Some(depth as u64), expected));
    }
}

/// The same for modern requests.
#[tokio::test]
async fn depth_modern() {
    let mut line = Line::default(fixture::server());
    for (depth, expected) in [(64, None), (65, Some(-32600))] {
        let nested = format!("{}{}", "[".repeat(depth - 2), "]".repeat(depth - 2));
        let meta = modern(json!({}));
        let params = format!(
            r#"{{"name":"echo","arguments":{{"message":"x"}},"x":{nested},"_meta":{meta}}}"#
        );
        line.send_text(&format!(
            r#"{{"jsonrpc":"2.0","id":{depth},"method":"tools/call","params":{params}}}"#
        ))
        .await;
        let answer = line.receive().await;
        assert_eq!((answer["id"].as_u64(), code(&answer)), (Some(depth as u64), expected));
    }
}

#[tokio::test]
async fn id_length() {
    let limits = Limits { id_bytes_max: 20, ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits).open("2025-11-25").await;
    // The quotes count too.
    let id = "i".repeat(18);
    assert_eq!(line.request(id.clone(), "ping", json!({})).await["id"], id);
    let refused = line.request("i".repeat(19), "ping", json!({})).await;
    assert_eq!(code(&refused), Some(-32600));
    let refused = line.request("i".repeat(1 << 20), "ping", json!({})).await;
    assert_eq!(code(&refused), Some(-32600));
}

#[tokio::test]
async fn batch_length() {
    let mut line = Line::default(fixture::server()).open("2025-03-26").await;
    let batch = |count: usize| {
        let ping = |id| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
        Value::Array((0..count).map(ping).collect())
    };
    line.send(batch(100)).await;
    assert_eq!(line.receive().await.as_array().unwrap().len(), 100);
    line.send(batch(101)).await;
    assert_eq!(code(&line.receive().await), Some(-32600));
}

/// Past the limit, requests wait instead of being refused; all are answered in the end.
#[tokio::test(start_paused = true)]
async fn requests_in_flight() {
    let limits = Limits { in_flight_max: 3, ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits).open("2025-11-25").await;
    for id in 0..10 {
        let params = json!({ "name": "slow", "arguments": { "ms": 1000 } });
        line.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .await;
    }
    let started = tokio::time::Instant::now();
    let mut seconds = Vec::new();
    for _ in 0..10 {
        assert!(line.receive().await["result"].is_object());
        seconds.push(started.elapsed().as_secs());
    }
    assert_eq!(seconds, [1, 1, 1, 2, 2, 2, 3, 3, 3, 4]);
}

/// When the backlog is full and nothing finishes, the backlog is refused, and what stands behind it
/// is read: here the cancellation that frees a place.
#[tokio::test(start_paused = true)]
async fn a_stalled_backlog_is_refused() {
    let limits = Limits { in_flight_max: 1, backlog_max: 2, ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits).open("2025-11-25").await;
    for id in 0..3 {
        let params = json!({ "name": "slow", "arguments": { "ms": 100_000_000 } });
        line.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .await;
    }
    // Time for the server to read this much, and no more.
    tokio::time::sleep(Duration::from_secs(1)).await;
    line.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 0 } })).await;
    line.send(json!({ "jsonrpc": "2.0", "id": 9, "method": "ping" })).await;
    for id in 1..3 {
        let refused = line.receive().await;
        assert_eq!((refused["id"].as_u64(), code(&refused)), (Some(id), Some(-32603)));
    }
    assert_eq!(line.receive().await["id"], 9);
}

/// A cancellation reaches a request that still waits in the backlog.
#[tokio::test(start_paused = true)]
async fn a_waiting_request_can_be_cancelled() {
    let limits = Limits { in_flight_max: 1, ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits).open("2025-11-25").await;
    for id in 0..3 {
        let params = json!({ "name": "slow", "arguments": { "ms": 1000 } });
        line.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .await;
    }
    line.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } })).await;
    assert_eq!(line.receive().await["id"], 0);
    assert_eq!(line.receive().await["id"], 2);
    line.end().await;
    assert_eq!(line.try_receive().await, None);
}

#[tokio::test]
async fn subscriptions() {
    let limits = Limits { subscriptions_max: 2, ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits).open("2025-11-25").await;
    for (uri, expected) in
        [("memo://a", None), ("memo://b", None), ("memo://c", Some(-32600)), ("memo://a", None)]
    {
        let answer = line.request(uri, "resources/subscribe", json!({ "uri": uri })).await;
        assert_eq!(code(&answer), expected, "{uri}");
    }
    let filter = json!({ "resourceSubscriptions": ["memo://a", "memo://b", "memo://c"] });
    let params = json!({ "notifications": filter, "_meta": modern(json!({})) });
    assert_eq!(code(&line.request("L", "subscriptions/listen", params).await), Some(-32602));
}

#[tokio::test]
async fn page_size() {
    for (page_entries_max, more) in [(16, false), (15, true)] {
        let limits = Limits { page_entries_max, ..Limits::default() };
        let mut line = Line::new(fixture::server(), &limits).open("2025-11-25").await;
        let page = line.request(1, "tools/list", json!({})).await;
        assert_eq!(page["result"]["tools"].as_array().unwrap().len(), page_entries_max);
        assert_eq!(page["result"].get("nextCursor").is_some(), more);
        let bad = line.request(2, "tools/list", json!({ "cursor": "made up" })).await;
        assert_eq!(code(&bad), Some(-32602));
    }
}

#[tokio::test]
async fn tool_result_length() {
    let limits = Limits { tool_result_bytes_max: 10, ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits).open("2025-11-25").await;
    let text = |answer: &Value| answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    let whole = line.call(1, "echo", json!({ "message": "1234567890" })).await;
    assert_eq!(text(&whole), "1234567890");
    let cut = line.call(2, "echo", json!({ "message": "12345678901" })).await;
    assert!(text(&cut).starts_with("1234567890\n[cut here: 1 more bytes"), "{cut}");
}

/// What is still running when the input ended is answered with an error when nothing finishes for
/// the time of the limit.
#[tokio::test(start_paused = true)]
async fn draining() {
    let limits = Limits { drain_timeout: Duration::from_secs(5), ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits).open("2025-11-25").await;
    for (id, ms) in [(1, 4_000), (2, 8_000), (3, 100_000)] {
        let params = json!({ "name": "slow", "arguments": { "ms": ms } });
        line.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .await;
    }
    tokio::task::yield_now().await;
    line.end().await;
    assert_eq!(line.receive().await["result"]["content"][0]["text"], "finished");
    assert_eq!(line.receive().await["result"]["content"][0]["text"], "finished");
    let given_up = line.receive().await;
    assert_eq!((given_up["id"].as_u64(), code(&given_up)), (Some(3), Some(-32603)));
    assert_eq!(line.try_receive().await, None);
    line.serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn rounds_of_questions() {
    let limits = Limits { input_rounds_max: 2, ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits);
    let mut state = None;
    for (round, expected) in [(1, None), (2, None), (3, Some(-32603))] {
        let mut params =
            json!({ "name": "ask_name", "_meta": modern(json!({ "elicitation": {} })) });
        if let Some(state) = &state {
            params["requestState"] = Value::clone(state);
        }
        let answer = line.request(round, "tools/call", params).await;
        assert_eq!(code(&answer), expected);
        state = Some(answer["result"]["requestState"].clone());
    }
}

/// A peer that reads slowly gets all of its answers; one that does not read at all cannot keep the
/// server from ending.
#[tokio::test(start_paused = true)]
async fn flushing() {
    let limits = Limits { stall_timeout: Duration::from_secs(10), ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits).open("2025-11-25").await;
    for id in 0..10 {
        let params = json!({ "name": "echo", "arguments": { "message": "x".repeat(20_000) } });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        line.send(call).await;
    }
    line.end().await;
    tokio::time::sleep(Duration::from_secs(9)).await;
    assert!(!line.serving.is_finished());
    let error = line.serving.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), docent_mcp::ErrorKind::Transport);
}

/// A peer that only writes is not read any further once this much is waiting for it, whether its
/// messages are served or refused.
#[tokio::test]
async fn a_peer_that_only_writes_has_to_wait() {
    let limits = Limits { outbox_bytes_max: 10_000, ..Limits::default() };
    for text in ["x", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#] {
        let mut line = Line::new(fixture::server(), &limits).open("2025-11-25").await;
        let writing = async {
            for _ in 0..100_000 {
                line.send_text(text).await;
            }
        };
        let patience = Duration::from_millis(500);
        assert!(tokio::time::timeout(patience, writing).await.is_err(), "all of it was read");
        // Once it reads, everything goes on: this is more than was waiting.
        for _ in 0..1_500 {
            line.receive().await;
        }
    }
}
