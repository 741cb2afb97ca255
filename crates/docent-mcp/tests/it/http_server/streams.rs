use std::time::Duration;

use docent_mcp::server::{Context, ToolError};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::caller::{Modern, ask, begin, chunk, modern, read, send, server, service, small};

fn working(steps: u32, pause_ms: u64) -> Modern {
    let arguments = json!({ "steps": steps, "pause_ms": pause_ms });
    let mut call = modern("tools/call", json!({ "name": "work", "arguments": arguments }));
    call.body["params"]["_meta"]["progressToken"] = json!("p");
    call
}

fn legacy_work(id: u32, arguments: Value) -> String {
    let params =
        json!({ "name": "work", "arguments": arguments, "_meta": { "progressToken": id } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

/// The events of a stream: id and message.
fn events(text: &str) -> Vec<(Option<String>, Value)> {
    let field = |event: &str, name: &str| {
        let prefix = format!("{name}: ");
        event.lines().find_map(|line| line.strip_prefix(&prefix).map(str::to_owned))
    };
    text.split("\n\n")
        .filter(|event| event.contains("data: "))
        .map(|event| {
            let data = field(event, "data").unwrap_or_default();
            (field(event, "id"), serde_json::from_str(&data).unwrap_or_default())
        })
        .collect()
}

/// [SRV-HTTP-15] a reply is JSON unless something streams; streams have no ids and no requests.
#[tokio::test(start_paused = true)]
async fn json_unless_something_streams() {
    let service = service(server());
    let got = working(0, 10).ask(&service).await;
    assert_eq!((got.status, got.media.as_str()), (200, "application/json"));
    let got = working(3, 10).ask(&service).await;
    assert_eq!((got.status, got.media.as_str()), (200, "text/event-stream"));
    let events = events(&got.body);
    let methods: Vec<_> = events.iter().map(|(_, message)| message["method"].as_str()).collect();
    assert_eq!(methods[..3], [Some("notifications/progress"); 3]);
    assert_eq!(events[3].1["result"]["content"][0]["text"], "3 steps");
    assert_eq!(events.len(), 4);
    assert!(events.iter().all(|(id, _)| id.is_none()), "nothing can be resumed");
    // One that takes long becomes a stream that shows signs of life.
    let got = working(0, 20_000).ask(&service).await;
    assert_eq!(got.media, "text/event-stream");
    assert!(got.body.starts_with(":\n\n"), "{}", got.body);
    // Whoever takes no events gets the answer alone.
    let got = working(3, 4000).header("accept", "application/json").ask(&service).await;
    assert_eq!(got.media, "application/json");
    assert_eq!(got.json()["result"]["content"][0]["text"], "3 steps");
    let got = working(0, 0).header("accept", "text/event-stream").ask(&service).await;
    assert_eq!(got.media, "text/event-stream");
}

/// [SRV-HTTP-17] proxies are told not to hold events back.
#[tokio::test(start_paused = true)]
async fn proxies_are_told() {
    let response = working(1, 1).send(&service(server())).await;
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    assert_eq!(response.headers()["cache-control"], "no-cache");
}

/// [SRV-HTTP-16] [CLI-CANC-03] closing the stream is cancellation, before and after it began.
#[tokio::test(start_paused = true)]
async fn closing_cancels() {
    let (dropped, mut drops) = mpsc::unbounded_channel();
    struct OnDrop(mpsc::UnboundedSender<Option<String>>, Context);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            let _ = self.0.send(self.1.cancellation().reason());
        }
    }
    let stuck = move |context: Context, _: docent_mcp::types::JsonObject| {
        let dropped = dropped.clone();
        async move {
            let _guard = OnDrop(dropped, context.clone());
            context.progress(1.0, None, None).await?;
            std::future::pending::<()>().await;
            Ok::<String, ToolError>(String::new())
        }
    };
    let service = service(server().tool("stuck", "Never ends", stuck));
    let mut call = modern("tools/call", json!({ "name": "stuck" }));
    let before = tokio::time::timeout(Duration::from_secs(1), call.send(&service));
    assert!(before.await.is_err(), "no reply has begun");
    assert_eq!(drops.recv().await.unwrap().as_deref(), Some("the client closed the connection"));
    call.body["params"]["_meta"]["progressToken"] = json!(1);
    let mut response = call.send(&service).await;
    chunk(&mut response).await.unwrap();
    drop(response);
    assert!(drops.recv().await.unwrap().is_some());
}

/// [SRV-SUB-01] a subscription over HTTP: acknowledged first, told of changes, alive, ended.
#[tokio::test(start_paused = true)]
async fn subscriptions() {
    let server = server();
    let service = service(server.clone());
    let listen =
        modern("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
    let mut stream = listen.send(&service).await;
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let first = chunk(&mut stream).await.unwrap();
    let acknowledged = &events(&first)[0].1;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(chunk(&mut stream).await.unwrap(), ":\n\n", "a sign of life");
    server.remove_tool("who");
    let told = chunk(&mut stream).await.unwrap();
    assert_eq!(events(&told)[0].1["method"], "notifications/tools/list_changed");
    service.shut_down();
    let last = chunk(&mut stream).await.unwrap();
    assert_eq!(events(&last)[0].1["result"]["resultType"], "complete");
    assert_eq!(chunk(&mut stream).await, None);
}

/// [SRV-HTTP-04] [SRV-SSE-08] a stream that breaks is resumed from where it broke, and only it.
#[tokio::test(start_paused = true)]
async fn broken_streams_are_resumed() {
    let service = service(server());
    let session = begin(&service, "2025-11-25", &[]).await;
    let with = [("mcp-session-id", session.as_str())];
    let slow = legacy_work(1, json!({ "steps": 3, "pause_ms": 1000 }));
    let mut broken = send(&service, "POST", &with, &slow).await;
    let other = legacy_work(2, json!({ "steps": 2, "pause_ms": 1000 }));
    let other = send(&service, "POST", &with, &other).await;
    let first = events(&chunk(&mut broken).await.unwrap());
    assert_eq!(first[0], (Some("1-0".to_owned()), Value::Null), "where to resume");
    assert_eq!(first[1].0.as_deref(), Some("1-1"));
    drop(broken);
    // A connection that broke cancels nothing.
    tokio::time::sleep(Duration::from_secs(10)).await;
    let resume = [("mcp-session-id", session.as_str()), ("last-event-id", "1-1")];
    let rest = read(send(&service, "GET", &resume, "").await).await;
    let rest = events(&rest.body);
    let ids: Vec<_> = rest.iter().map(|(id, _)| id.clone().unwrap()).collect();
    assert_eq!(ids, ["1-2", "1-3", "1-4"]);
    assert_eq!(rest[2].1["result"]["content"][0]["text"], "3 steps");
    let again = read(send(&service, "GET", &resume, "").await).await;
    assert_eq!(events(&again.body), rest, "as often as it breaks");
    let others = events(&read(other).await.body);
    assert!(others.iter().all(|(id, _)| id.as_ref().unwrap().starts_with("2-")), "{others:?}");
    for unknown in ["1-99", "9-0", "x", "1-", "-1", "1-1-1", "18446744073709551615-0"] {
        let resume = [("mcp-session-id", session.as_str()), ("last-event-id", unknown)];
        assert_eq!(ask(&service, "GET", &resume, "").await.status, 400, "{unknown}");
    }
}

/// [SRV-SSE-08] a server sends its client away, and the client comes back for the answer.
#[tokio::test(start_paused = true)]
async fn polling() {
    let service = service(server());
    let session = begin(&service, "2025-11-25", &[]).await;
    let with = [("mcp-session-id", session.as_str())];
    let work = legacy_work(1, json!({ "steps": 1, "pause_ms": 3000, "come_back": true }));
    let got = ask(&service, "POST", &with, &work).await;
    assert!(got.body.ends_with("retry: 750\n\n"), "{}", got.body);
    let seen = events(&got.body);
    let last = seen.last().unwrap().0.clone().unwrap();
    let resume = [("mcp-session-id", session.as_str()), ("last-event-id", last.as_str())];
    let rest = events(&ask(&service, "GET", &resume, "").await.body);
    assert_eq!(rest[0].1["result"]["content"][0]["text"], "1 steps");
    // Elsewhere it means nothing.
    let older = begin(&service, "2025-06-18", &[]).await;
    let got = ask(&service, "POST", &[("mcp-session-id", &older)], &work).await;
    assert!(!got.body.contains("retry"), "{}", got.body);
    assert!(!got.body.contains("data: \n"), "no event without a message: {}", got.body);
}

/// [SRV-HTTP-03] [SRV-HTTP-04] the stream of what belongs to no request, which one client reads.
#[tokio::test(start_paused = true)]
async fn the_general_stream() {
    let server = server();
    let service = service(server.clone());
    let session = begin(&service, "2025-11-25", &[]).await;
    let with = [("mcp-session-id", session.as_str())];
    let mut stream = send(&service, "GET", &with, "").await;
    assert_eq!(stream.status(), 200);
    assert_eq!(ask(&service, "GET", &with, "").await.status, 409, "it cannot be stolen");
    server.remove_tool("who");
    let told = events(&chunk(&mut stream).await.unwrap());
    assert_eq!(told[0].1["method"], "notifications/tools/list_changed");
    // An answer never comes here.
    let got = ask(&service, "POST", &with, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    assert_eq!(got.json()["id"], 1);
    drop(stream);
    server.remove_tool("work");
    let resume =
        [("mcp-session-id", session.as_str()), ("last-event-id", told[0].0.as_deref().unwrap())];
    let mut stream = send(&service, "GET", &resume, "").await;
    let told = events(&chunk(&mut stream).await.unwrap());
    assert_eq!(told[0].1["method"], "notifications/tools/list_changed", "nothing was lost");
    assert_eq!(ask(&service, "DELETE", &with, "").await.status, 204);
    assert_eq!(chunk(&mut stream).await, None, "it ends with its session");
    let got =
        ask(&service, "GET", &[("mcp-session-id", &session), ("accept", "text/html")], "").await;
    assert_eq!(got.status, 406);
}

/// [BOTH-CANC-01] [SRV-CANC-02] in a session, a notification cancels, from another connection.
#[tokio::test(start_paused = true)]
async fn cancellation_in_a_session() {
    let service = service(server());
    let session = begin(&service, "2025-11-25", &[]).await;
    let with = [("mcp-session-id", session.as_str())];
    let work = legacy_work(5, json!({ "steps": 1, "pause_ms": 60_000 }));
    let mut stream = send(&service, "POST", &with, &work).await;
    chunk(&mut stream).await.unwrap();
    let same = ask(&service, "POST", &with, &work).await;
    assert_eq!(same.code(), Some(-32600), "row 16: the id is in use: {same:?}");
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
    assert_eq!(ask(&service, "POST", &with, cancel).await.status, 202);
    assert_eq!(chunk(&mut stream).await, None, "no answer, and the stream is over");
    let again = ask(&service, "POST", &with, &legacy_work(5, json!({}))).await;
    assert_eq!(again.json()["result"]["content"][0]["text"], "0 steps");
}

/// What is kept of streams is bounded in time.
#[tokio::test(start_paused = true)]
async fn streams_are_not_kept_forever() {
    let limits = small(|limits| limits.http.resume_timeout = Duration::from_secs(30));
    let service = service(server().limits(limits));
    let session = begin(&service, "2025-11-25", &[]).await;
    let with = [("mcp-session-id", session.as_str())];
    let got = ask(&service, "POST", &with, &legacy_work(1, json!({ "steps": 1 }))).await;
    assert_eq!(got.media, "text/event-stream");
    let resume = [("mcp-session-id", session.as_str()), ("last-event-id", "1-0")];
    assert_eq!(ask(&service, "GET", &resume, "").await.status, 200);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(ask(&service, "GET", &resume, "").await.status, 400);
}
