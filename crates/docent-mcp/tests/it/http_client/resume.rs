//! Streams that break and are taken up again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use docent_mcp::client::ServerEvent;
use docent_mcp::{ErrorKind, HttpLimits, Limits};
use serde_json::{Value, json};

use super::web::{Reply, Seen, Step, Web, event_with_id, until};
use super::{builder, connect, endpoint, session, text};

/// A legacy server whose calls and GET requests are answered by `stream`; a GET without a cursor
/// by 405.
fn streaming(
    stream: impl Fn(&Seen, &Value) -> Reply + Send + Sync + 'static,
) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
    let legacy = session("s", "2025-11-25");
    let call = Mutex::new(Value::Null);
    move |seen| match seen.method() {
        "tools/call" => {
            *call.lock().unwrap() = seen.body["id"].clone();
            stream(seen, &seen.body["id"])
        }
        "GET" if seen.header("last-event-id").is_some() => {
            stream(seen, &call.lock().unwrap().clone())
        }
        _ => legacy(seen),
    }
}

fn result(id: &Value, text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": { "content": [{ "type": "text", "text": text }] } })
}

/// Pauses between attempts are this long at most, in milliseconds.
fn hasty(pause: u64) -> Limits {
    let http =
        HttpLimits { reconnect_pause_max: Duration::from_millis(pause), ..HttpLimits::default() };
    Limits { http, ..Limits::default() }
}

/// [CLI-SSE-07] a stream that breaks after an event with an id is taken up there by GET.
#[tokio::test]
async fn a_call_goes_on_where_its_stream_broke() {
    for last in [true, false] {
        let web = Web::start(streaming(move |seen, id| match seen.header("last-event-id") {
            // The priming event, and nothing more.
            None => Reply::events([
                Step::Send("id: a-1\nretry: 20\ndata: \n\n".into()),
                if last { Step::Cut } else { Step::Send(String::new()) },
            ]),
            Some("a-1") => Reply::events([
                event_with_id("a-2", &json!({ "jsonrpc": "2.0", "method": "notifications/x" })),
                Step::Cut,
            ]),
            Some("a-2") => Reply::events([event_with_id("a-3", &result(id, "at last"))]),
            other => panic!("{other:?}"),
        }))
        .await;
        let client = connect(&web).await.unwrap();
        assert_eq!(text(&client.call("x", json!({})).await.unwrap()), "at last");
        assert_eq!(web.seen_of("tools/call").len(), 1, "the call itself is not repeated");
        for seen in web.seen_of("GET") {
            assert_eq!(seen.header("mcp-session-id"), Some("s"));
            assert_eq!(seen.header("mcp-protocol-version"), Some("2025-11-25"));
        }
    }
}

/// [CLI-SSE-07] the pause that the server asks for is kept: never shorter, hardly longer.
#[tokio::test]
async fn the_pause_is_the_servers() {
    let closed = std::sync::Arc::new(Mutex::new(None));
    let opened = closed.clone();
    let web = Web::start(streaming(move |seen, id| match seen.header("last-event-id") {
        None => {
            *opened.lock().unwrap() = Some(Instant::now());
            Reply::events([Step::Send("id: 1\nretry: 400\ndata:\n\n".into())])
        }
        Some(_) => {
            let waited = opened.lock().unwrap().unwrap().elapsed();
            Reply::events([event_with_id("2", &result(id, &waited.as_millis().to_string()))])
        }
    }))
    .await;
    let client = connect(&web).await.unwrap();
    let waited: u64 = text(&client.call("x", json!({})).await.unwrap()).parse().unwrap();
    assert!(waited >= 400, "{waited} ms");
}

/// [CLI-SSE-07] trap T15: every stream has a position of its own.
#[tokio::test]
async fn positions_are_per_stream() {
    let legacy = session("s", "2025-11-25");
    let calls = Mutex::new(Vec::new());
    let web = Web::start(move |seen| match (seen.method(), seen.header("last-event-id")) {
        ("tools/call", _) => {
            let name = seen.body["params"]["name"].as_str().unwrap().to_owned();
            calls.lock().unwrap().push((name.clone(), seen.body["id"].clone()));
            Reply::events([Step::Send(format!("id: {name}-1\nretry: 10\ndata:\n\n"))])
        }
        ("GET", None) => Reply::events([
            Step::Send("id: own-1\nretry: 10\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/one\"}\n\n".into()),
        ]),
        ("GET", Some("own-1")) => Reply::events([
            event_with_id("own-2", &json!({ "jsonrpc": "2.0", "method": "notifications/two" })),
            Step::Hang,
        ]),
        ("GET", Some(cursor)) => {
            let name = cursor.strip_suffix("-1").unwrap();
            let calls = calls.lock().unwrap();
            let (_, id) = calls.iter().find(|(other, _)| other == name).unwrap();
            Reply::events([event_with_id("end", &result(id, name))])
        }
        _ => legacy(seen),
    })
    .await;
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let client = builder()
        .on_event(move |event| drop(tell.send(event)))
        .connect(endpoint(&web))
        .await
        .unwrap();
    let calls = ["a", "b", "c"].map(|name| {
        let client = client.clone();
        (name, tokio::spawn(async move { client.call(name, json!({})).await }))
    });
    for (name, call) in calls {
        assert_eq!(text(&call.await.unwrap().unwrap()), name);
    }
    for expected in ["notifications/one", "notifications/two"] {
        let event = told.recv().await.unwrap();
        assert!(
            matches!(&event, ServerEvent::Other { method, .. } if method == expected),
            "{event:?}"
        );
    }
}

/// Row 9: a server that answers 200 and closes at once is asked at most six times, with pauses,
/// and then the caller is told.
#[tokio::test]
async fn row_09_a_stream_that_brings_nothing_is_given_up() {
    let web = Web::start(streaming(|seen, _| match seen.header("last-event-id") {
        None => Reply::events([Step::Send("id: 1\nretry: 1\ndata:\n\n".into())]),
        Some(_) => Reply::events([]),
    }))
    .await;
    let limits = hasty(20);
    let client = super::connect_with(&web, limits).await.unwrap();
    let error = client.call("x", json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transport);
    assert!(error.to_string().contains("6 times"), "{error}");
    let resumed =
        web.seen_of("GET").iter().filter(|seen| seen.header("last-event-id").is_some()).count();
    assert_eq!(resumed, 6);
    client.ping().await.unwrap();
}

/// Row 9: the same for the stream that belongs to no request; and nobody else notices.
#[tokio::test]
async fn row_09_the_sessions_own_stream_is_given_up() {
    let replies: [fn() -> Reply; 2] = [|| Reply::events([]), || Reply::status(503)];
    for reply in replies {
        let legacy = session("s", "2025-11-25");
        let web = Web::start(move |seen| match seen.method() {
            "GET" => reply(),
            _ => legacy(seen),
        })
        .await;
        let limits = hasty(10);
        let client = super::connect_with(&web, limits).await.unwrap();
        until("six attempts", || web.seen_of("GET").len() == 6).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(web.seen_of("GET").len(), 6);
        client.ping().await.unwrap();
    }
}

/// Row 10: a server without such a stream is asked once, however it says so.
#[tokio::test]
async fn row_10_no_stream_is_asked_for_twice() {
    let replies: [fn() -> Reply; 4] = [
        || Reply::status(405),
        || Reply::text(200, "text/html", "<h1>Welcome</h1>"),
        || Reply::status(404),
        || Reply::status(400),
    ];
    for reply in replies {
        let legacy = session("s", "2025-11-25");
        let web = Web::start(move |seen| match seen.method() {
            "GET" => reply(),
            _ => legacy(seen),
        })
        .await;
        let client = connect(&web).await.unwrap();
        until("it is asked for", || web.seen_of("GET").len() == 1).await;
        tokio::time::sleep(Duration::from_millis(400)).await;
        client.tools().await.unwrap();
        assert_eq!(web.seen_of("GET").len(), 1);
        assert_eq!(web.seen_of("initialize").len(), 1);
    }
}

/// A stream without ids cannot be taken up: the caller is told at once.
#[tokio::test]
async fn without_ids_there_is_no_way_back() {
    let web =
        Web::start(streaming(|_, _| Reply::events([Step::Send(": x\n\n".into()), Step::Cut])))
            .await;
    let client = connect(&web).await.unwrap();
    let error = client.call("x", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("may have been carried out"), "{error}");
    assert!(web.seen_of("GET").iter().all(|seen| seen.header("last-event-id").is_none()));
}

/// A server that fails for a moment is asked again; one that refuses is not.
#[tokio::test]
async fn what_passes_is_waited_out() {
    for (status, expected) in [(503, 4), (409, 4), (400, 1), (405, 1), (401, 1)] {
        let tries = AtomicU32::new(0);
        let web = Web::start(streaming(move |seen, id| match seen.header("last-event-id") {
            None => Reply::events([Step::Send("id: 1\nretry: 5\ndata:\n\n".into())]),
            Some(_) if tries.fetch_add(1, Ordering::SeqCst) < 3 => Reply::status(status),
            Some(_) => Reply::events([event_with_id("2", &result(id, "fine"))]),
        }))
        .await;
        let limits = hasty(10);
        let client = super::connect_with(&web, limits).await.unwrap();
        let outcome = client.call("x", json!({})).await;
        match expected {
            1 => assert_eq!(outcome.unwrap_err().http_status(), Some(status)),
            _ => assert_eq!(text(&outcome.unwrap()), "fine"),
        }
        let resumed =
            web.seen_of("GET").iter().filter(|seen| seen.header("last-event-id").is_some()).count();
        assert_eq!(resumed, expected, "{status}");
    }
}

/// A session that is lost while a call runs: nobody knows whether it was carried out, so it is not
/// made again.
#[tokio::test]
async fn a_call_whose_session_is_lost_is_not_repeated() {
    let web = Web::start(streaming(|seen, _| match seen.header("last-event-id") {
        None => Reply::events([Step::Send("id: 1\nretry: 5\ndata:\n\n".into())]),
        Some(_) => Reply::status(404),
    }))
    .await;
    let client = connect(&web).await.unwrap();
    assert_eq!(client.call("x", json!({})).await.unwrap_err().http_status(), Some(404));
    assert_eq!(web.seen_of("tools/call").len(), 1);
}
