use docent_mcp::types::Revision;
use serde_json::{Value, json};

use super::caller::{Modern, ask, modern, server, service};

fn call() -> Modern {
    modern("tools/call", json!({ "name": "who", "arguments": {} }))
}

fn mirrored(arguments: Value) -> Modern {
    modern("tools/call", json!({ "name": "mirrored", "arguments": arguments }))
}

fn meta(key: &str, value: Option<Value>) -> Modern {
    let mut call = call();
    let meta = call.body["params"]["_meta"].as_object_mut().unwrap();
    let key = format!("io.modelcontextprotocol/{key}");
    match value {
        Some(value) => meta.insert(key, value),
        None => meta.remove(&key),
    };
    call
}

fn without_meta() -> Modern {
    let mut call = call();
    call.body["params"].as_object_mut().unwrap().remove("_meta");
    call
}

/// [SRV-HTTP-13] [SRV-HTTP-14] every rung with its status and code; the error keeps the id.
#[tokio::test]
async fn every_rung_has_its_status_and_code() {
    let service = service(server());
    let name = "mcp-name";
    for (what, request, status, code) in [
        ("all is well", call(), 200, None),
        ("no metadata", without_meta(), 400, Some(-32602)),
        ("no version claim", meta("protocolVersion", None), 400, Some(-32602)),
        ("a version that is no text", meta("protocolVersion", Some(json!(7))), 400, Some(-32602)),
        ("no capabilities", meta("clientCapabilities", None), 400, Some(-32602)),
        ("odd capabilities", meta("clientCapabilities", Some(json!([]))), 400, Some(-32602)),
        ("no client info", meta("clientInfo", None), 200, None),
        ("no version header", call().without("mcp-protocol-version"), 400, Some(-32020)),
        (
            "another version in the header",
            call().header("mcp-protocol-version", "2025-11-25"),
            400,
            Some(-32020),
        ),
        (
            "a version nobody speaks",
            meta("protocolVersion", Some(json!("v999.0.0")))
                .header("mcp-protocol-version", "v999.0.0"),
            400,
            Some(-32022),
        ),
        ("no method header", call().without("mcp-method"), 400, Some(-32020)),
        ("another method", call().header("mcp-method", "tools/list"), 400, Some(-32020)),
        ("another case", call().header("mcp-method", "Tools/Call"), 400, Some(-32020)),
        ("padding", call().header("mcp-method", " tools/call  "), 200, None),
        ("no name", call().without(name), 400, Some(-32020)),
        ("another name", call().header(name, "work"), 400, Some(-32020)),
        ("a name in Base64", call().header(name, "=?base64?d2hv?="), 200, None),
        ("a name in bad Base64", call().header(name, "=?base64?d2h?="), 400, Some(-32020)),
        ("an unknown tool", modern("tools/call", json!({"name": "no"})), 200, Some(-32602)),
        ("an unknown method", modern("unknown/method", json!({})), 404, Some(-32601)),
        ("initialize", modern("initialize", json!({})), 404, Some(-32601)),
        ("ping", modern("ping", json!({})), 404, Some(-32601)),
        ("setLevel", modern("logging/setLevel", json!({"level": "info"})), 404, Some(-32601)),
        ("subscribe", modern("resources/subscribe", json!({"uri": "a:b"})), 404, Some(-32601)),
        (
            "a method that tasks once had",
            modern("tasks/result", json!({"taskId": "t"})).without(name),
            404,
            Some(-32601),
        ),
        ("discovery", modern("server/discover", json!({})), 200, None),
    ] {
        let got = request.ask(&service).await;
        assert_eq!((got.status, got.code()), (status, code), "{what}: {got:?}");
        assert_eq!(got.media, "application/json", "{what}");
        assert_eq!(got.json()["id"], 1, "{what}");
        assert_eq!(got.session, None, "{what}: no session is ever made");
    }
    let twice = call();
    let mut headers: Vec<_> =
        twice.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    headers.push(("mcp-name", "work"));
    let got = ask(&service, "POST", &headers, &twice.body.to_string()).await;
    assert_eq!((got.status, got.code()), (400, Some(-32020)), "a name that is there twice");
}

/// [SRV-HTTP-13] arguments that headers repeat.
#[tokio::test]
async fn headers_repeat_arguments() {
    let service = service(server());
    let hello = || mirrored(json!({ "region": "Hello" }));
    let region = "mcp-param-region";
    for (what, request, expected) in [
        ("neither", mirrored(json!({})), 200),
        ("null is no value", mirrored(json!({ "region": null })), 200),
        ("both", hello().header(region, "Hello"), 200),
        ("in Base64", hello().header(region, "=?base64?SGVsbG8=?="), 200),
        ("without padding", hello().header(region, "=?base64?SGVsbG8?="), 400),
        ("not Base64", hello().header(region, "=?base64?SGVs!!!bG8=?="), 400),
        ("another case", hello().header(region, "hello"), 400),
        ("missing", hello(), 400),
        ("without a value", mirrored(json!({})).header(region, "Hello"), 400),
        ("empty", mirrored(json!({ "region": "" })).header(region, ""), 200),
        ("a number", mirrored(json!({ "size": 42 })).header("mcp-param-size", "42.0"), 200),
        ("another number", mirrored(json!({ "size": 42 })).header("mcp-param-size", "43"), 400),
        ("unknown ones", mirrored(json!({})).header("mcp-param-other", "x"), 200),
    ] {
        let got = request.ask(&service).await;
        assert_eq!(got.status, expected, "{what}: {got:?}");
        assert_eq!(got.code(), (expected == 400).then_some(-32020), "{what}");
    }
}

/// [SRV-HTTP-17] [SRV-VER-05] headers of the old era mean nothing, and nothing is served but POST.
#[tokio::test]
async fn the_old_era_can_be_off() {
    let modern_only = service(server().revisions([Revision::V2026_07_28]));
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        let got = ask(&modern_only, method, &[], "").await;
        assert_eq!(got.status, 405, "{method}");
    }
    for service in [&modern_only, &service(server())] {
        let got = call()
            .header("mcp-session-id", "unknown")
            .header("last-event-id", "1-1")
            .ask(service)
            .await;
        assert_eq!((got.status, got.session), (200, None));
    }
    // Whoever shakes hands is told what is spoken.
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" }
    }});
    let got = ask(&modern_only, "POST", &[], &body.to_string()).await;
    assert_eq!((got.status, got.code()), (400, Some(-32022)));
    assert_eq!(got.json()["error"]["data"]["supported"], json!(["2026-07-28"]));
}

/// [SRV-HTTP-03] [SRV-HTTP-20] what is no request, and what is no message at all.
#[tokio::test]
async fn other_messages() {
    let service = service(server());
    let modern = [("mcp-protocol-version", "2026-07-28")];
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(ask(&service, "POST", &modern, cancelled).await.status, 202);
    for (what, body, status, code) in [
        ("a notification of no session", cancelled, 400, -32600),
        ("an answer of no session", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, 400, -32600),
        ("no JSON", "{", 400, -32700),
        ("an array", "[]", 400, -32600),
        ("no message", r#"{"jsonrpc":"2.0"}"#, 400, -32600),
        ("nothing", "", 400, -32700),
    ] {
        let got = ask(&service, "POST", &[], body).await;
        assert_eq!((got.status, got.code()), (status, Some(code)), "{what}: {got:?}");
    }
    for (what, headers, status) in [
        ("plain text", &[("content-type", "text/plain")][..], 415),
        ("a form", &[("content-type", "application/x-www-form-urlencoded")], 415),
        ("compressed", &[("content-encoding", "gzip")], 415),
        ("nothing that we have", &[("accept", "text/html")], 406),
        ("another origin", &[("origin", "http://evil.example")], 403),
        ("another host", &[("host", "evil.example")], 403),
    ] {
        let mut headers = headers.to_vec();
        let call = call();
        headers.extend(call.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let got = ask(&service, "POST", &headers, &call.body.to_string()).await;
        assert_eq!(got.status, status, "{what}: {got:?}");
    }
}
