use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};

use super::caller::{chunk, read, server, service};

fn request(method: &str, uri: &str, body: String) -> Request<Full<bytes::Bytes>> {
    let request = Request::builder().method(method).uri(uri).header("host", "localhost");
    let request = request.header("content-type", "application/json");
    request.body(Full::new(body.into())).unwrap()
}

/// [BOTH-SSE-18] the stream says first where to post, and every answer comes on it.
#[tokio::test(start_paused = true)]
async fn a_whole_connection() {
    let service = service(server());
    let mut stream = service.answer(request("GET", "/sse", String::new())).await;
    assert_eq!(stream.status(), 200);
    let first = chunk(&mut stream).await.unwrap();
    let address = first.strip_prefix("event: endpoint\ndata: ").unwrap().trim();
    assert!(address.starts_with("messages?sessionId="), "{address}");
    let address = format!("/{address}");
    for (body, expected) in [
        (
            json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2024-11-05", "capabilities": {},
                "clientInfo": { "name": "c", "version": "1" } } }),
            Some("/result/protocolVersion"),
        ),
        (json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), None),
        (
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "who" } }),
            Some("/result/content/0/text"),
        ),
    ] {
        let got = read(service.answer(request("POST", &address, body.to_string())).await).await;
        assert_eq!((got.status, got.body.as_str()), (202, ""));
        if let Some(pointer) = expected {
            let event = chunk(&mut stream).await.unwrap();
            let data = event.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
            let answer: Value = serde_json::from_str(data).unwrap();
            assert!(answer.pointer(pointer).is_some(), "{answer}");
        }
    }
    for (method, uri, status) in [
        ("POST", "/messages?sessionId=unknown", 404),
        ("POST", "/messages", 404),
        ("GET", address.as_str(), 405),
        ("POST", "/sse", 405),
    ] {
        let got = service.answer(request(method, uri, String::new())).await;
        assert_eq!(got.status(), status, "{method} {uri}");
    }
    drop(stream);
    tokio::task::yield_now().await;
    let late = service.answer(request("POST", &address, String::new())).await;
    assert_eq!(late.status(), 404, "the connection is over");
}
