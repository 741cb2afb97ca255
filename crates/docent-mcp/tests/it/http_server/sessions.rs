use serde_json::json;

use super::caller::{ask, begin, modern, server, service, small};

const LIST: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#;

/// [SRV-SESS-05] a session begins, is needed, is not somebody else's, and ends.
#[tokio::test]
async fn a_session_from_beginning_to_end() {
    let service = service(server());
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = begin(&service, revision, &[]).await;
        let with = [("mcp-session-id", session.as_str())];
        let got = ask(&service, "POST", &with, LIST).await;
        assert_eq!((got.status, got.code()), (200, None), "{got:?}");
        assert_eq!(got.json()["result"]["tools"].as_array().unwrap().len(), 3);
        let got = ask(&service, "POST", &[], LIST).await;
        assert_eq!(got.status, 400, "no session");
        assert!(got.body.contains("Mcp-Session-Id"), "says what is missing: {}", got.body);
        let other = [("mcp-session-id", "other")];
        assert_eq!(ask(&service, "POST", &other, LIST).await.status, 404, "unknown");
        assert_eq!(ask(&service, "GET", &other, "").await.status, 404);
        assert_eq!(ask(&service, "DELETE", &other, "").await.status, 404);
        assert_eq!(ask(&service, "DELETE", &with, "").await.status, 204);
        assert_eq!(ask(&service, "POST", &with, LIST).await.status, 404, "ended");
    }
}

/// [SEC-03] whoever knows the id of a session still has to be its principal (A9).
#[tokio::test]
async fn sessions_of_others_do_not_exist() {
    let service = service(server());
    let session = begin(&service, "2025-11-25", &[("principal", "ada")]).await;
    let who = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who"}}"#;
    let as_ada = [("mcp-session-id", session.as_str()), ("principal", "ada")];
    let got = ask(&service, "POST", &as_ada, who).await;
    assert_eq!(got.json()["result"]["content"][0]["text"], "ada");
    for other in [&[("principal", "bob")][..], &[]] {
        let mut headers = vec![("mcp-session-id", session.as_str())];
        headers.extend(other);
        for method in ["POST", "GET", "DELETE"] {
            assert_eq!(ask(&service, method, &headers, who).await.status, 404, "{method}");
        }
    }
    assert_eq!(ask(&service, "POST", &as_ada, who).await.status, 200, "still there");
    let modern = modern("tools/call", json!({ "name": "who" })).header("principal", "cleo");
    assert_eq!(modern.ask(&service).await.json()["result"]["content"][0]["text"], "cleo");
}

/// [SRV-HTTP-10] the version header: absent, known, or refused.
#[tokio::test]
async fn version_headers() {
    let service = service(server());
    let session = begin(&service, "2025-06-18", &[]).await;
    for (version, status) in
        [("2025-06-18", 200), ("2025-03-26", 200), ("1999-01-01", 400), ("x", 400)]
    {
        let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", version)];
        assert_eq!(ask(&service, "POST", &headers, LIST).await.status, status, "{version}");
    }
    // A header of the modern era without its metadata is a modern request that forgot it.
    let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", "2026-07-28")];
    let got = ask(&service, "POST", &headers, LIST).await;
    assert_eq!((got.status, got.code()), (400, Some(-32602)));
}

/// [BOTH-RPC-04] [BOTH-RPC-05] batches, in the one revision that has them.
#[tokio::test]
async fn batches() {
    let service = service(server());
    let session = begin(&service, "2025-03-26", &[]).await;
    let with = [("mcp-session-id", session.as_str())];
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},
        {"jsonrpc":"2.0","method":"notifications/x"},
        {"jsonrpc":"2.0","id":2,"method":"initialize","params":{}},
        {"jsonrpc":"2.0","id":3,"method":"ping","params":{"_meta":
            {"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}},
        {"jsonrpc":"2.0"}]"#;
    let got = ask(&service, "POST", &with, batch).await;
    assert_eq!(got.status, 200);
    let answers = got.json();
    let mut codes: Vec<_> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| {
            (answer["id"].as_i64(), answer.pointer("/error/code").and_then(|c| c.as_i64()))
        })
        .collect();
    codes.sort_unstable();
    assert_eq!(
        codes,
        [(None, Some(-32600)), (Some(1), None), (Some(2), Some(-32600)), (Some(3), Some(-32600)),]
    );
    let silent = r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#;
    let got = ask(&service, "POST", &with, silent).await;
    assert_eq!((got.status, got.body.as_str()), (202, ""));
    let newer = begin(&service, "2025-06-18", &[]).await;
    let got = ask(&service, "POST", &[("mcp-session-id", &newer)], silent).await;
    assert_eq!((got.status, got.code()), (400, Some(-32600)));
}

/// The cap on sessions, and that a session which was refused leaves nothing behind.
#[tokio::test]
async fn too_many_sessions() {
    let service = service(server().limits(small(|limits| limits.http.sessions_max = 2)));
    let first = begin(&service, "2025-11-25", &[]).await;
    begin(&service, "2025-11-25", &[]).await;
    let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" }
    }}).to_string();
    let refused = super::caller::send(&service, "POST", &[], &initialize).await;
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.headers()["retry-after"], "1");
    assert_eq!(ask(&service, "DELETE", &[("mcp-session-id", &first)], "").await.status, 204);
    begin(&service, "2025-11-25", &[]).await;
}

/// Rows 4 and 5: sessions that end, and requests that are refused, leave nothing behind.
#[tokio::test]
async fn rows_04_and_05_nothing_stays() {
    let service = service(server().limits(small(|limits| limits.http.sessions_max = 1)));
    for _ in 0..300 {
        let session = begin(&service, "2025-11-25", &[]).await;
        let with = [("mcp-session-id", session.as_str())];
        assert_eq!(ask(&service, "GET", &[("mcp-session-id", "x")], "").await.status, 404);
        assert_eq!(ask(&service, "DELETE", &with, "").await.status, 204);
    }
    // A handshake that fails is no session.
    for _ in 0..3 {
        let got =
            ask(&service, "POST", &[], r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#).await;
        assert_eq!((got.code(), got.session), (Some(-32602), None));
    }
    begin(&service, "2025-11-25", &[]).await;
}
