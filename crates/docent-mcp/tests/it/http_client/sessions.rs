//! Sessions of the legacy revisions.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_mcp::client::{RequestOptions, ServerEvent};
use docent_mcp::types::{ElicitAction, Revision, Root};
use docent_mcp::{Cancel, ErrorKind, Limits};
use serde_json::json;
use tokio::sync::Notify;

use super::web::{PATIENCE, Reply, Step, Web, answer, event, event_with_id, until};
use super::{builder, connect, connect_with, endpoint, session, text};

/// [CLI-SESS-06] [CLI-HTTP-09] the id and the revision go with everything after the handshake, and
/// the session is ended at the end.
#[tokio::test]
async fn ids_and_versions_go_along() {
    for (revision, header) in [
        ("2025-03-26", None),
        ("2025-06-18", Some("2025-06-18")),
        ("2025-11-25", Some("2025-11-25")),
    ] {
        let web = Web::start(session("s-1!~", revision)).await;
        let client = connect(&web).await.unwrap();
        client.tools().await.unwrap();
        client.notify("notifications/x", None).await.unwrap();
        until("the stream is asked for", || web.seen_of("GET").len() == 1).await;
        until("the notification", || web.seen_of("notifications/x").len() == 1).await;
        client.close().await;
        let seen = web.seen();
        let from = seen.iter().position(|seen| seen.method() == "initialize").unwrap();
        assert_eq!(seen[from].header("mcp-session-id"), None);
        assert_eq!(seen[from + 1].method(), "notifications/initialized", "before anything else");
        for seen in &seen[from + 1..] {
            assert_eq!(seen.header("mcp-session-id"), Some("s-1!~"), "{seen:?}");
            assert_eq!(seen.header("mcp-protocol-version"), header, "{seen:?}");
            assert_eq!(seen.header("mcp-method"), None);
            let accept = match seen.verb.as_str() {
                "GET" => Some("text/event-stream"),
                "POST" => Some("application/json, text/event-stream"),
                _ => Some("*/*"),
            };
            assert_eq!(seen.header("accept"), accept, "{}", seen.verb);
        }
        assert_eq!(seen.last().unwrap().verb, "DELETE");
    }
}

/// A server may ask through the stream of its own, and many lose what they ask while there is none.
#[tokio::test]
async fn the_first_request_waits_for_the_servers_own_stream() {
    let gate = Arc::new(Notify::new());
    let (held, others) = (gate.clone(), session("s", "2025-11-25"));
    let web = Web::start(move |seen| match seen.method() {
        "GET" => others(seen).behind(&held),
        _ => others(seen),
    })
    .await;
    let mut limits = Limits::default();
    limits.http.stream_open_timeout = PATIENCE;
    let client = connect_with(&web, limits).await.unwrap();
    let listing = tokio::spawn(async move { client.tools().await.map(|_| client) });
    until("the stream is asked for", || web.seen_of("GET").len() == 1).await;
    // Long enough for a request that does not wait to be seen.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(web.seen_of("tools/list").is_empty());
    gate.notify_one();
    listing.await.unwrap().unwrap().close().await;
    assert_eq!(web.seen_of("tools/list").len(), 1);
}

/// A server without sessions gets no id and no DELETE.
#[tokio::test]
async fn a_server_need_not_have_sessions() {
    let web = Web::start(|seen| match seen.method() {
        "initialize" => Reply::result(seen, super::initialized("2025-06-18")),
        "GET" => Reply::status(405),
        "tools/list" => Reply::result(seen, json!({ "tools": [] })),
        "notifications/initialized" => Reply::status(202),
        _ => Reply::status(400),
    })
    .await;
    let client = connect(&web).await.unwrap();
    client.tools().await.unwrap();
    client.close().await;
    assert!(web.seen().iter().all(|seen| seen.header("mcp-session-id").is_none()));
    assert!(web.seen_of("DELETE").is_empty());
}

#[tokio::test]
async fn an_id_that_is_no_id_is_refused() {
    let web = Web::start(|seen| match seen.method() {
        "initialize" => {
            Reply::result(seen, super::initialized("2025-06-18")).with("mcp-session-id", "a b")
        }
        _ => Reply::status(400),
    })
    .await;
    assert_eq!(connect(&web).await.unwrap_err().kind(), ErrorKind::InvalidResponse);
}

/// [CLI-SESS-06] row 12, trap T13: a session that the server does not know any more is opened
/// again, and what it refused is carried out there: the caller notices nothing.
#[tokio::test]
async fn row_12_a_lost_session_is_opened_again() {
    let web = Web::start(session("first", "2025-11-25")).await;
    let client = connect(&web).await.unwrap();
    client.call("one", json!({})).await.unwrap();
    web.swap(session("second", "2025-11-25"));
    assert_eq!(text(&client.call("two", json!({})).await.unwrap()), "two");
    let calls = web.seen_of("tools/call");
    let sessions: Vec<_> =
        calls.iter().map(|seen| seen.header("mcp-session-id").unwrap()).collect();
    assert_eq!(sessions, ["first", "first", "second"]);
    assert_eq!(web.seen_of("initialize")[1].header("mcp-session-id"), None);
    client.close().await;
    let ended = web.seen_of("DELETE");
    assert_eq!(ended.len(), 1, "what is gone need not be ended");
    assert_eq!(ended[0].header("mcp-session-id"), Some("second"));
}

/// Row 12: a server that never keeps a session costs the caller one repetition, not an endless one.
#[tokio::test]
async fn row_12_a_server_that_always_loses_the_session() {
    let web = Web::start(|seen| match seen.method() {
        "tools/call" => Reply::status(404),
        _ => session("s", "2025-11-25")(seen),
    })
    .await;
    let client = connect(&web).await.unwrap();
    let error = client.call("x", json!({})).await.unwrap_err();
    assert_eq!(error.http_status(), Some(404), "{error}");
    assert_eq!(web.seen_of("tools/call").len(), 2);
    assert_eq!(web.seen_of("initialize").len(), 2);
}

/// Row 13: a hundred calls that find the session gone share one handshake, and all are carried out.
#[tokio::test]
async fn row_13_a_hundred_in_flight_share_one_handshake() {
    let web = Web::start(session("first", "2025-11-25")).await;
    let client = connect(&web).await.unwrap();
    for round in ["second", "third"] {
        web.swap(session(round, "2025-11-25"));
        let calls: Vec<_> = (0..100)
            .map(|n| {
                let client = client.clone();
                tokio::spawn(async move { client.call(&n.to_string(), json!({})).await })
            })
            .collect();
        for (n, call) in calls.into_iter().enumerate() {
            assert_eq!(text(&call.await.unwrap().unwrap()), n.to_string());
        }
        // The second loss within moments has to wait for its turn.
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert_eq!(web.seen_of("initialize").len(), 3);
}

/// Row 12: a server that is down for a while, and has forgotten everything when it is back.
#[tokio::test]
async fn row_12_a_server_that_restarts_under_load() {
    let web = Web::start(session("first", "2025-11-25")).await;
    let client = connect(&web).await.unwrap();
    let stop = Arc::new(AtomicU32::new(0));
    let load: Vec<_> = (0..8)
        .map(|_| {
            let (client, stop) = (client.clone(), stop.clone());
            tokio::spawn(async move {
                let mut failed = 0;
                while stop.load(Ordering::SeqCst) == 0 {
                    if client.call("x", json!({})).await.is_err() {
                        // The one retry that a caller makes, once the server is back.
                        until("the server is back", || stop.load(Ordering::SeqCst) < 2).await;
                        failed += u32::from(client.call("x", json!({})).await.is_err());
                    }
                }
                failed
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(30)).await;
    stop.store(2, Ordering::SeqCst);
    web.swap(|_| Reply::events([Step::Cut]));
    tokio::time::sleep(Duration::from_millis(30)).await;
    web.swap(session("second", "2025-11-25"));
    stop.store(1, Ordering::SeqCst);
    for task in load {
        assert_eq!(task.await.unwrap(), 0);
    }
    client.call("x", json!({})).await.unwrap();
}

/// Requests of the server come on the stream of a call or on the session's own, and their answers
/// are posted. Notifications come on either.
#[tokio::test]
async fn the_server_asks_and_tells() {
    let answers = Arc::new(Mutex::new(Vec::new()));
    let answered = answers.clone();
    let legacy = session("s", "2025-11-25");
    let web = Web::start(move |seen| {
        if seen.body.get("result").is_some() {
            answered.lock().unwrap().push(seen.body.clone());
            return Reply::status(202);
        }
        match seen.method() {
            "GET" => Reply::events([
                event(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })),
                event(&json!({ "jsonrpc": "2.0", "id": "r", "method": "roots/list" })),
                Step::Hang,
            ]),
            "tools/call" => Reply::events([
                event(&json!({ "jsonrpc": "2.0", "id": "e", "method": "elicitation/create", "params": {
                    "mode": "url", "message": "m", "url": "https://example.com", "elicitationId": "1" } })),
                event(&answer(seen, json!({ "content": [] }))),
            ]),
            _ => legacy(seen),
        }
    })
    .await;
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let client = builder()
        .roots([Root { uri: "file:///x".into(), ..Default::default() }])
        .on_elicit_url(|_| async { Ok(ElicitAction::Decline) })
        .on_event(move |event| drop(tell.send(event)))
        .connect(endpoint(&web))
        .await
        .unwrap();
    assert!(matches!(told.recv().await, Some(ServerEvent::ToolsChanged)));
    client.call("x", json!({})).await.unwrap();
    until("both answers", || answers.lock().unwrap().len() == 2).await;
    let answers = answers.lock().unwrap().clone();
    let find =
        |id: &str| answers.iter().find(|answer| answer["id"] == id).unwrap()["result"].clone();
    assert_eq!(find("r")["roots"][0]["uri"], "file:///x");
    assert_eq!(find("e")["action"], "decline");
}

/// Row 15: in a session, cancelling is a message; nobody waits for the stream afterwards.
#[tokio::test]
async fn row_15_cancelling_is_a_message() {
    let legacy = session("s", "2025-11-25");
    let web = Web::start(move |seen| match seen.method() {
        "tools/call" => Reply::events([
            event_with_id("1", &json!({ "jsonrpc": "2.0", "method": "notifications/x" })),
            Step::Hang,
        ]),
        _ => legacy(seen),
    })
    .await;
    let client = connect(&web).await.unwrap();
    let cancel = Cancel::new();
    let options = RequestOptions::new().cancel(cancel.clone());
    let calling = tokio::spawn({
        let client = client.clone();
        async move { client.call_with("x", json!({}), options).await }
    });
    until("the call arrives", || web.seen_of("tools/call").len() == 1).await;
    cancel.cancel(None);
    assert!(calling.await.unwrap().unwrap_err().is_cancelled());
    until("the cancellation", || web.seen_of("notifications/cancelled").len() == 1).await;
    let cancelled = &web.seen_of("notifications/cancelled")[0];
    assert_eq!(cancelled.body["params"]["requestId"], web.seen_of("tools/call")[0].body["id"]);
    until("the stream is closed", || web.hung_up() == 1).await;
    client.ping().await.unwrap();
    assert_eq!(web.seen_of("GET").len(), 1, "a stream that nobody waits for is not taken up");
}

/// [BOTH-RPC-04] an answer in a batch is an answer (2025-03-26).
#[tokio::test]
async fn batches_are_taken() {
    let legacy = session("s", "2025-03-26");
    let web = Web::start(move |seen| match seen.method() {
        "tools/call" => {
            let told = json!({ "jsonrpc": "2.0", "method": "notifications/x" });
            let result = json!({ "content": [{ "type": "text", "text": "batched" }] });
            Reply::json(200, &json!([told, answer(seen, result)]))
        }
        _ => legacy(seen),
    })
    .await;
    let client = connect(&web).await.unwrap();
    assert_eq!(text(&client.call("x", json!({})).await.unwrap()), "batched");
}

/// A server that does not answer DELETE does not keep the client from ending.
#[tokio::test]
async fn leaving_does_not_wait_forever() {
    let legacy = session("s", "2025-11-25");
    let web = Web::start(move |seen| match seen.method() {
        "DELETE" | "GET" => Reply::events([Step::Hang]),
        _ => legacy(seen),
    })
    .await;
    let client =
        builder().revisions([Revision::V2025_11_25]).connect(endpoint(&web)).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), client.close()).await.expect("it ends");
    assert_eq!(web.seen_of("DELETE").len(), 1);
}
