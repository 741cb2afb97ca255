//! Traces and metrics, as a collector on loopback gets them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_host::{Gateway, Telemetry};
use docent_mcp::client::{Called, Client, RequestOptions};
use docent_mcp::types::{CompletionReference, Meta, Revision};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::fixture::{Behind, Way, before, client, connect, soon, text};

/// What came, by path, with the headers.
type Taken = Arc<Mutex<Vec<(String, Value)>>>;

/// A collector that answers with a status.
async fn collector(status: &'static str) -> (String, Taken) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let taken = Taken::default();
    let kept = taken.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(take(stream, status, kept.clone()));
        }
    });
    (url, taken)
}

async fn take(mut stream: TcpStream, status: &str, kept: Taken) -> Option<()> {
    let mut bytes = Vec::new();
    let (head, mut body) = loop {
        let mut more = [0; 4096];
        let count = stream.read(&mut more).await.ok().filter(|count| *count > 0)?;
        bytes.extend(&more[..count]);
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break (
                String::from_utf8_lossy(&bytes[..end]).to_lowercase(),
                bytes.split_off(end + 4),
            );
        }
    };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    let length: usize = length.trim().parse().ok()?;
    while body.len() < length {
        let mut more = [0; 4096];
        let count = stream.read(&mut more).await.ok().filter(|count| *count > 0)?;
        body.extend(&more[..count]);
    }
    kept.lock().unwrap().push((head, serde_json::from_slice(&body).ok()?));
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    stream.write_all(answer.as_bytes()).await.ok()
}

fn telemetry(url: &str, more: &[(&str, &str)]) -> Telemetry {
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", url),
        ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=hunter2"),
        ("OTEL_SERVICE_NAME", "under test"),
        ("OTEL_BSP_SCHEDULE_DELAY", "10"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "20"),
    ];
    let all: Vec<_> = variables.iter().chain(more).copied().collect();
    let found = |name: &str| {
        let one = all.iter().rev().find(|(known, _)| *known == name);
        one.map(|(_, value)| (*value).to_owned())
    };
    Telemetry::from_variables(found).expect("a collector is named")
}

fn gateway(telemetry: Telemetry) -> Arc<Gateway> {
    let builder = before(Revision::NEWEST_MODERN, &Behind::default());
    Arc::new(builder.telemetry(telemetry).build())
}

/// All spans that came so far.
fn spans(taken: &Taken) -> Vec<Value> {
    let taken = taken.lock().unwrap();
    let traces = taken.iter().filter(|(head, _)| head.starts_with("post /v1/traces "));
    let lists = traces.filter_map(|(_, body)| {
        body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().cloned()
    });
    lists.flatten().collect()
}

fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let all = span["attributes"].as_array().expect("attributes");
    let found = all.iter().find(|one| one["key"] == key);
    found.map_or(&Value::Null, |one| &one["value"]["stringValue"])
}

async fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    soon(async {
        loop {
            if let Some(found) = look() {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
}

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "00f067aa0ba902b7";

#[tokio::test]
async fn a_call_is_two_spans_in_the_callers_trace() {
    let (url, taken) = collector("200 OK").await;
    let gateway = gateway(telemetry(&url, &[]));
    let client = connect(&gateway, Way::Memory, client(Revision::NEWEST_MODERN).0).await;
    let mut meta = Meta::new();
    let traceparent = json!(format!("00-{TRACE}-{PARENT}-01"));
    meta.insert(Meta::TRACEPARENT.to_owned(), traceparent);
    let options = RequestOptions::new().meta(meta);
    let called =
        soon(client.call_with("echo", json!({ "message": "secret words" }), options)).await;
    assert_eq!(text(&called.unwrap()), "secret words");
    let find = |kind: i32, name: &str| {
        let (taken, name) = (taken.clone(), name.to_owned());
        until(move || {
            spans(&taken).into_iter().find(|span| span["kind"] == kind && span["name"] == *name)
        })
    };
    let received = find(2, "tools/call one__echo").await;
    let sent = find(3, "tools/call echo").await;
    assert_eq!((&received["traceId"], &sent["traceId"]), (&json!(TRACE), &json!(TRACE)));
    assert_eq!(received["parentSpanId"], PARENT);
    assert_eq!(sent["parentSpanId"], received["spanId"]);
    assert_eq!(attribute(&received, "mcp.method.name"), "tools/call");
    assert_eq!(attribute(&received, "gen_ai.tool.name"), "one__echo");
    assert_eq!(attribute(&received, "mcp.protocol.version"), "2026-07-28");
    assert_eq!(attribute(&sent, "docent.server.name"), "one");
    let head = taken.lock().unwrap()[0].0.clone();
    assert!(head.contains("api-key: hunter2") && head.contains("content-type: application/json"));

    // What fails is told by its code, or as a tool's own failure.
    soon(client.call("fail", json!({}))).await.unwrap();
    let failed = find(2, "tools/call one__fail").await;
    assert_eq!(attribute(&failed, "error.type"), "tool_error");
    assert_eq!(failed["status"]["code"], 2);
    soon(client.call("no such tool", json!({}))).await.unwrap_err();
    let unknown = find(2, "tools/call").await;
    assert_eq!(attribute(&unknown, "rpc.response.status_code"), "-32602");

    // Durations are added up, and servers that are there are told.
    let metric = |name: &str| {
        let (taken, name) = (taken.clone(), name.to_owned());
        until(move || {
            let taken = taken.lock().unwrap();
            let (_, body) =
                taken.iter().rfind(|(head, _)| head.starts_with("post /v1/metrics "))?;
            let all = body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array()?;
            let found = all.iter().find(|metric| metric["name"] == *name)?.clone();
            // The failure above is in it.
            found
                .to_string()
                .contains(if name.starts_with("mcp") { "tool_error" } else { "one" })
                .then_some(found)
        })
    };
    for name in ["mcp.server.operation.duration", "mcp.client.operation.duration"] {
        let histogram = metric(name).await;
        let points = histogram["histogram"]["dataPoints"].as_array().unwrap();
        for point in points {
            let counts = point["bucketCounts"].as_array().unwrap();
            assert_eq!(counts.len(), point["explicitBounds"].as_array().unwrap().len() + 1);
            let sum: u64 =
                counts.iter().map(|count| count.as_str().unwrap().parse::<u64>().unwrap()).sum();
            assert_eq!(point["count"], sum.to_string());
        }
    }
    assert_eq!(metric("docent.gateway.server.up").await["gauge"]["dataPoints"][0]["asInt"], "1");
    let all =
        format!("{:?}", taken.lock().unwrap().iter().map(|(_, body)| body).collect::<Vec<_>>());
    assert!(
        all.contains("under test") && !all.contains("secret words") && !all.contains("hunter2")
    );
}

#[tokio::test]
async fn completions_and_tasks_are_seen_at_their_servers_as_well() {
    let (url, taken) = collector("200 OK").await;
    let gateway = gateway(telemetry(&url, &[]));
    let builder = client(Revision::NEWEST_MODERN).0.tasks();
    let client = connect(&gateway, Way::Memory, builder).await;
    let reference = CompletionReference::prompt("one__greet");
    soon(client.complete(reference, "name", "A", Default::default())).await.unwrap();
    match soon(client.call_task("one__task", json!({}))).await.unwrap() {
        Called::Task(task) => drop(soon(task.wait()).await.unwrap()),
        Called::Done(result) => panic!("no task, but {result:?}"),
    }
    for name in ["completion/complete", "tasks/get"] {
        let of_kind = |kind: i32| {
            let taken = taken.clone();
            until(move || {
                spans(&taken)
                    .into_iter()
                    .find(|span| span["kind"] == kind && attribute(span, "mcp.method.name") == name)
            })
        };
        let (received, sent) = (of_kind(2).await, of_kind(3).await);
        assert_eq!(sent["traceId"], received["traceId"], "{name}");
        assert_eq!(attribute(&sent, "docent.server.name"), "one", "{name}");
    }
    let name = "completion/complete greet";
    let completed = spans(&taken).into_iter().find(|span| span["name"] == name);
    assert_eq!(attribute(&completed.unwrap(), "gen_ai.prompt.name"), "greet");
}

#[tokio::test]
async fn a_trace_that_is_not_kept_is_not_sent_but_goes_on() {
    let (url, taken) = collector("200 OK").await;
    let gateway = gateway(telemetry(&url, &[]));
    let client = connect(&gateway, Way::Memory, client(Revision::NEWEST_MODERN).0).await;
    let call = async |flags: &str, message: &str| {
        let mut meta = Meta::new();
        let traceparent = json!(format!("00-{TRACE}-{PARENT}-{flags}"));
        meta.insert(Meta::TRACEPARENT.to_owned(), traceparent);
        let options = RequestOptions::new().meta(meta);
        soon(client.call_with(message, json!({}), options)).await.unwrap();
    };
    call("00", "link").await;
    call("01", "fail").await;
    until(|| spans(&taken).into_iter().find(|span| span["name"] == "tools/call one__fail")).await;
    assert!(!spans(&taken).iter().any(|span| span["name"] == "tools/call one__link"));
}

/// A collector that is not there, or that takes nothing, costs no call anything, and memory only so
/// much.
#[tokio::test]
async fn nothing_waits_for_a_collector() {
    let (refusing, _taken) = collector("503 Service Unavailable").await;
    for url in ["http://127.0.0.1:1", &refusing] {
        let gateway = gateway(telemetry(url, &[("OTEL_BSP_MAX_QUEUE_SIZE", "4")]));
        let client: Client =
            connect(&gateway, Way::Memory, client(Revision::NEWEST_MODERN).0).await;
        for number in 0..50 {
            let message = number.to_string();
            let called = soon(client.call("echo", json!({ "message": message }))).await.unwrap();
            assert_eq!(text(&called), message);
        }
        client.close().await;
        soon(gateway.close()).await;
    }
}
