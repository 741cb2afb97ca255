//! Failures of other servers, by the number they have in our list of known ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use docent_mcp::server::{Context, ToolError};
use docent_mcp::transport::http::HttpService;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::task::JoinSet;

use super::caller::{
    Got, Modern, Nothing, ask, begin, chunk, modern, send, server, service, small,
};

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

async fn echo(_: Context, args: Text) -> Result<String, ToolError> {
    // Gives way, so that calls really are in flight at the same time.
    tokio::task::yield_now().await;
    Ok(args.text)
}

fn echoing() -> HttpService {
    service(server().tool("echo", "Gives back its text", echo))
}

fn say(text: &str) -> Modern {
    modern("tools/call", json!({ "name": "echo", "arguments": { "text": text } }))
}

fn said(got: &Got) -> String {
    got.json()["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

/// Row 6: a request leaves no task behind, answered or dropped.
#[tokio::test]
async fn row_06_no_task_stays() {
    let service = echoing();
    let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = alive();
    for n in 0..2000 {
        match n % 2 {
            0 => drop(say("x").ask(&service).await),
            _ => {
                let call = say("x");
                tokio::select! {
                    biased;
                    _ = call.send(&service) => {}
                    () = std::future::ready(()) => {}
                }
            }
        }
    }
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(alive() <= before + 1, "{} tasks before, {} after", before, alive());
}

/// Row 7: an answer of 50 MB arrives whole.
#[tokio::test]
async fn row_07_a_large_answer() {
    async fn large(_: Context, _: Nothing) -> Result<String, ToolError> {
        Ok("x".repeat(50 << 20))
    }
    let limits = small(|limits| limits.tool_result_bytes_max = 64 << 20);
    let service = service(server().limits(limits).tool("large", "Says a lot", large));
    let got = modern("tools/call", json!({ "name": "large" })).ask(&service).await;
    assert_eq!(said(&got).len(), 50 << 20);
}

/// Row 14: calls that are dropped at any moment cost the others nothing.
#[tokio::test]
async fn row_14_dropped_at_any_moment() {
    let service = echoing();
    let session = begin(&service, "2025-11-25", &[]).await;
    let with = [("mcp-session-id", session.as_str())];
    for n in 0..3000_u32 {
        let polls = AtomicUsize::new((n % 7) as usize);
        let call = say("dropped");
        let gone = std::future::poll_fn(|cx| match polls.load(Ordering::Relaxed) {
            0 => std::task::Poll::Ready(()),
            left => {
                polls.store(left - 1, Ordering::Relaxed);
                cx.waker().wake_by_ref();
                std::task::Poll::Pending
            }
        });
        tokio::select! {
            _ = call.send(&service) => {}
            () = gone => {}
        }
        // The same in a session: the request and its cancellation, in one breath.
        let body = json!({ "jsonrpc": "2.0", "id": n, "method": "tools/call",
            "params": { "name": "echo", "arguments": { "text": "x" } } });
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": n } });
        let (body, cancel) = (body.to_string(), cancel.to_string());
        let (answer, cancelled) = tokio::join!(
            ask(&service, "POST", &with, &body),
            ask(&service, "POST", &with, &cancel),
        );
        assert_eq!(cancelled.status, 202);
        assert!(matches!(answer.status, 200 | 202), "{answer:?}");
    }
    assert_eq!(said(&say("still here").ask(&service).await), "still here");
    let ping = ask(&service, "POST", &with, r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#).await;
    assert_eq!((ping.status, ping.code()), (200, None));
}

/// Row 16: a thousand requests at once that all have the same id; each gets its own answer.
#[tokio::test(flavor = "multi_thread")]
async fn row_16_the_same_id() {
    let service = echoing();
    let mut calls = JoinSet::new();
    for n in 0..1000 {
        let service = service.clone();
        calls.spawn(async move {
            let text = format!("text {n}");
            assert_eq!(said(&say(&text).ask(&service).await), text);
        });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
}

fn listen() -> Modern {
    modern("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }))
}

/// Row 18: a server with a hundred subscriptions ends all of them, each with its result.
#[tokio::test(start_paused = true)]
async fn row_18_closing_under_subscriptions() {
    let service = echoing();
    let mut streams = Vec::new();
    for _ in 0..100 {
        let mut stream = listen().send(&service).await;
        chunk(&mut stream).await.unwrap();
        streams.push(stream);
    }
    service.shut_down();
    for mut stream in streams {
        assert!(chunk(&mut stream).await.unwrap().contains("resultType"));
        assert_eq!(chunk(&mut stream).await, None);
    }
}

/// A server that has waited long enough answers what is running, in both eras.
#[tokio::test(start_paused = true)]
async fn giving_up_answers_everybody() {
    let service = echoing();
    let session = begin(&service, "2025-11-25", &[]).await;
    let with = [("mcp-session-id", session.as_str())];
    let params = json!({ "name": "work", "arguments": { "pause_ms": 3_600_000 } });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let body = body.to_string();
    let endless = modern("tools/call", params);
    let patience = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        service.give_up();
    };
    let (one, other, ()) =
        tokio::join!(endless.ask(&service), ask(&service, "POST", &with, &body), patience);
    assert_eq!((one.code(), other.code()), (Some(-32603), Some(-32603)));
    let again = modern("tools/call", json!({ "name": "work", "arguments": { "pause_ms": 1 } }));
    assert_eq!(again.ask(&service).await.code(), Some(-32603), "nothing waits any more");
}

/// Row 19: two thousand sessions with open streams that end at once.
#[tokio::test]
async fn row_19_many_ends_at_once() {
    let service = echoing();
    let mut open = Vec::new();
    for _ in 0..2000 {
        let session = begin(&service, "2025-11-25", &[]).await;
        let stream = send(&service, "GET", &[("mcp-session-id", &session)], "").await;
        open.push((session, stream));
    }
    service.shut_down();
    let mut ended = JoinSet::new();
    for (_, mut stream) in open {
        ended.spawn(async move { assert_eq!(chunk(&mut stream).await, None) });
    }
    while let Some(end) = ended.join_next().await {
        end.unwrap();
    }
}

/// Row 26: ten thousand notifications for a client that reads slowly; nothing is lost or reordered.
#[tokio::test(start_paused = true)]
async fn row_26_a_slow_reader() {
    let limits = small(|limits| limits.outbox_bytes_max = 4096);
    let service = service(server().limits(limits));
    let arguments = json!({ "steps": 10_000 });
    let mut call = modern("tools/call", json!({ "name": "work", "arguments": arguments }));
    call.body["params"]["_meta"]["progressToken"] = json!(1);
    let mut stream = call.send(&service).await;
    let mut steps = 0;
    while let Some(text) = chunk(&mut stream).await {
        tokio::time::sleep(Duration::from_millis(1)).await;
        for line in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
            let message: serde_json::Value = serde_json::from_str(line).unwrap();
            match message["params"]["progress"].as_f64() {
                Some(step) => {
                    steps += 1;
                    assert_eq!(step, f64::from(steps));
                }
                None => assert_eq!(message["result"]["content"][0]["text"], "10000 steps"),
            }
        }
    }
    assert_eq!(steps, 10_000);
}

/// Row 32: a thousand streams on which nothing happens are in nobody's way.
#[tokio::test]
async fn row_32_idle_streams() {
    let service = Arc::new(echoing());
    let mut streams = Vec::new();
    for _ in 0..1000 {
        streams.push(listen().send(&service).await);
    }
    for n in 0..100 {
        let text = n.to_string();
        assert_eq!(said(&say(&text).ask(&service).await), text);
    }
}
