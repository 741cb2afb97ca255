//! Stateless requests (2026-07-28).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use docent_mcp::client::{RequestOptions, ServerEvent};
use docent_mcp::jsonrpc::RawObject;
use docent_mcp::{Cancel, ErrorKind, Limits};
use serde_json::{Value, json};

use super::web::{Reply, Step, Web, answer, event, until};
use super::{builder, connect, connect_with, content, endpoint, modern, text};

/// [CLI-HTTP-11] every request repeats its revision, its method and what it is about.
#[tokio::test]
async fn headers_repeat_the_message() {
    let web = Web::start(|seen| match seen.method() {
        "prompts/get" => Reply::result(seen, json!({ "resultType": "complete", "messages": [] })),
        "resources/read" => {
            Reply::result(seen, json!({ "resultType": "complete", "contents": [] }))
        }
        "tasks/get" => Reply::result(seen, json!({ "resultType": "complete" })),
        _ => modern(seen),
    })
    .await;
    let client = connect(&web).await.unwrap();
    client.tools().await.unwrap();
    client.call("plain name", json!({ "name": "other" })).await.unwrap();
    client.call("größe", json!({})).await.unwrap();
    client.call("=?base64?eA==?=", json!({})).await.unwrap();
    client.prompt("p", [("a", "b")]).await.unwrap();
    client.read("file:///ä b").await.unwrap();
    let task = RawObject::from_iter([("taskId", json!("t-1"))]);
    client.request("tasks/get", task, RequestOptions::new()).await.unwrap();

    let names: Vec<_> = web
        .seen()
        .iter()
        .map(|seen| {
            assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
            assert_eq!(
                seen.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"],
                "2026-07-28"
            );
            assert_eq!(seen.header("mcp-method"), seen.body["method"].as_str());
            assert_eq!(seen.header("accept"), Some("application/json, text/event-stream"));
            assert_eq!(seen.header("content-type"), Some("application/json"));
            assert_eq!(seen.header("mcp-session-id"), None);
            (seen.verb == "POST").then(|| seen.header("mcp-name").unwrap_or("-").to_owned())
        })
        .map(Option::unwrap)
        .collect();
    assert_eq!(
        names,
        [
            "-",
            "-",
            "plain name",
            "=?base64?Z3LDtsOfZQ==?=",
            "=?base64?PT9iYXNlNjQ/ZUE9PT89?=",
            "p",
            "=?base64?ZmlsZTovLy/DpCBi?=",
            "t-1"
        ]
    );
}

/// [CLI-HTTP-19] any request may be answered by JSON or by a stream.
#[tokio::test]
async fn answers_come_as_json_or_as_a_stream() {
    let web = Web::start(|seen| match seen.method() {
        "server/discover" => Reply::events([event(&answer(seen, super::discovered()))]),
        "tools/list" => modern(seen),
        _ => {
            let token = &seen.body["params"]["_meta"]["progressToken"];
            let progress = |done: u32| {
                let params = json!({ "progressToken": token, "progress": done });
                event(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }))
            };
            Reply::events([
                Step::Send(": hello\n\n".into()),
                progress(1),
                Step::Send(": still here\n\n".into()),
                progress(2),
                event(&answer(seen, content("streamed"))),
            ])
        }
    })
    .await;
    let client = connect(&web).await.unwrap();
    let reports = Arc::new(AtomicU32::new(0));
    let options = RequestOptions::new().on_progress({
        let reports = reports.clone();
        move |_| {
            reports.fetch_add(1, Ordering::SeqCst);
        }
    });
    let result = client.call_with("x", json!({}), options).await.unwrap();
    assert_eq!(text(&result), "streamed");
    assert_eq!(reports.load(Ordering::SeqCst), 2);
    assert!(client.tools().await.unwrap().is_empty());
    assert_eq!(web.sockets(), 1, "the stream was read to its end");
}

/// Row 15: a dropped call closes its stream, which is how a modern server hears of it; nothing
/// else is sent.
#[tokio::test]
async fn row_15_dropping_a_call_closes_its_stream() {
    let web = Web::start(|seen| match seen.method() {
        "tools/call" => Reply::events([Step::Hang]),
        _ => modern(seen),
    })
    .await;
    let client = connect(&web).await.unwrap();
    let cancel = Cancel::new();
    for kind in ["dropped", "cancelled", "late"] {
        let before = web.hung_up();
        let options = match kind {
            "late" => RequestOptions::new().timeout(Duration::from_millis(50)),
            _ => RequestOptions::new().cancel(cancel.clone()),
        };
        let calling = client.call_with(kind, json!({}), options);
        if kind == "late" {
            assert!(calling.await.unwrap_err().is_timeout());
        } else {
            let called = tokio::spawn({
                let client = client.clone();
                let options = RequestOptions::new().cancel(cancel.clone());
                async move { client.call_with(kind, json!({}), options).await }
            });
            drop(calling);
            until("the call arrives", || {
                web.seen_of("tools/call").iter().any(|seen| seen.body["params"]["name"] == kind)
            })
            .await;
            match kind {
                "dropped" => called.abort(),
                _ => cancel.cancel(None),
            }
            assert!(called.await.map_or(true, |result| result.unwrap_err().is_cancelled()));
        }
        until("the stream is closed", || web.hung_up() > before).await;
    }
    client.ping().await.unwrap();
    assert!(web.seen_of("notifications/cancelled").is_empty());
}

/// A stream that ends before the answer: a call is not made again, a list is, once.
#[tokio::test]
async fn a_broken_stream_is_told_and_only_lists_are_made_again() {
    for cut in [true, false] {
        let lists = AtomicU32::new(0);
        let end = move || if cut { Step::Cut } else { Step::Send(String::new()) };
        let web = Web::start(move |seen| match seen.method() {
            "tools/call" => Reply::events([Step::Send(": hm\n\n".into()), end()]),
            "tools/list" if lists.fetch_add(1, Ordering::SeqCst) == 0 => Reply::events([end()]),
            "prompts/list" => Reply::events([end()]),
            _ => modern(seen),
        })
        .await;
        let client = connect(&web).await.unwrap();
        let error = client.call("x", json!({})).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Transport);
        assert!(error.to_string().contains("may have been carried out"), "{error}");
        assert_eq!(web.seen_of("tools/call").len(), 1);

        client.tools().await.unwrap();
        let listed = web.seen_of("tools/list");
        assert_eq!(listed.len(), 2);
        assert_ne!(listed[0].body["id"], listed[1].body["id"], "a new request");

        client.prompts().await.unwrap_err();
        assert_eq!(web.seen_of("prompts/list").len(), 2, "once, and not forever");
    }
}

/// A refusal reaches exactly the caller it belongs to, with its status and what to do.
#[tokio::test]
async fn refusals_are_errors_with_a_status() {
    let web = Web::start(|seen| {
        if seen.method() != "tools/call" {
            return modern(seen);
        }
        match seen.body["params"]["name"].as_str().unwrap() {
            "rpc" => Reply::error(seen, 400, -32602, json!("x")),
            "unknown" => Reply::error(seen, 404, -32601, Value::Null),
            "busy" => Reply::text(503, "text/html", "<h1>Over\u{7}loaded</h1>\n  please wait"),
            "who" => Reply::status(401),
            "slow down" => Reply::status(429),
            "fine" => modern(seen),
            other => panic!("{other}"),
        }
    })
    .await;
    let client = connect(&web).await.unwrap();
    let calls = ["rpc", "unknown", "busy", "who", "slow down", "fine"].map(|name| {
        let client = client.clone();
        tokio::spawn(async move { client.call(name, json!({})).await })
    });
    let mut outcomes = Vec::new();
    for call in calls {
        outcomes.push(call.await.unwrap());
    }
    let error = |at: usize| outcomes[at].as_ref().unwrap_err();
    assert_eq!((error(0).code(), error(0).http_status()), (Some(-32602), Some(400)));
    assert!(error(1).is_method_not_found());
    assert_eq!((error(2).kind(), error(2).http_status()), (ErrorKind::Http, Some(503)));
    assert!(error(2).to_string().ends_with("(<h1>Over loaded</h1> please wait)"), "{}", error(2));
    assert!(error(3).to_string().contains("token"), "{}", error(3));
    assert_eq!(error(4).http_status(), Some(429));
    assert_eq!(text(outcomes[5].as_ref().unwrap()), "fine");
}

/// Row 8: one pool, and connections are used again: 10,000 calls need two sockets at most.
#[tokio::test]
async fn row_08_ten_thousand_calls_on_two_sockets() {
    let web = Web::start(|seen| match seen.body["id"].as_u64().unwrap_or(0) % 2 {
        0 if seen.method() == "tools/call" => {
            Reply::events([event(&answer(seen, content("streamed")))])
        }
        _ => modern(seen),
    })
    .await;
    let client = connect(&web).await.unwrap();
    for _ in 0..10_000 {
        client.call("x", json!({})).await.unwrap();
    }
    assert!(web.sockets() <= 2, "{} sockets", web.sockets());
}

/// A listen request is a stream that stays; it is taken up again when the server ends it, and
/// closed when nobody wants it any more.
#[tokio::test]
async fn subscriptions_are_a_stream() {
    let listens = AtomicU32::new(0);
    let web = Web::start(move |seen| match seen.method() {
        "subscriptions/listen" => {
            let id = &seen.body["id"];
            let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
            let acknowledged = json!({ "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                "params": { "notifications": seen.body["params"]["notifications"], "_meta": meta } });
            let updated = json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated",
                "params": { "uri": "test://a", "_meta": meta } });
            let last = match listens.fetch_add(1, Ordering::SeqCst) {
                0 => Step::Cut,
                _ => Step::Hang,
            };
            Reply::events([event(&acknowledged), event(&updated), last])
        }
        _ => modern(seen),
    })
    .await;
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let client = builder()
        .on_event(move |event| drop(tell.send(event)))
        .connect(endpoint(&web))
        .await
        .unwrap();
    client.subscribe("test://a").await.unwrap();
    for _ in 0..2 {
        let event = told.recv().await.unwrap();
        assert!(matches!(event, ServerEvent::ResourceUpdated(uri) if uri == "test://a"));
    }
    assert_eq!(web.seen_of("subscriptions/listen").len(), 2);
    client.unsubscribe("test://a").await.unwrap();
    until("the stream is closed", || web.hung_up() == 1).await;
    client.close().await;
}

/// What is asked for at the same time is answered in any order.
#[tokio::test]
async fn requests_do_not_wait_for_each_other() {
    let web = Web::start(|seen| match seen.body["params"]["name"].as_str() {
        Some("slow") => Reply::events([Step::Hang]),
        _ => modern(seen),
    })
    .await;
    let client = connect_with(&web, Limits::default()).await.unwrap();
    let slow = tokio::spawn({
        let client = client.clone();
        async move { client.call("slow", json!({})).await }
    });
    for _ in 0..20 {
        client.call("fast", json!({})).await.unwrap();
    }
    assert!(!slow.is_finished());
    client.close().await;
    assert!(slow.await.unwrap().unwrap_err().is_closed());
}
