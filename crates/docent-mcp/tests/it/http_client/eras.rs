//! Which era a server is of, and which way it speaks.

use docent_mcp::ErrorKind;
use docent_mcp::types::Revision;
use serde_json::{Value, json};

use super::web::{Reply, Seen, Web};
use super::{builder, connect, discovered, endpoint, modern, session};

/// A legacy server after a probe that is answered by `refuse`.
fn after_probe(
    refuse: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
    let legacy = session("s", "2025-11-25");
    move |seen| match seen.method() {
        "server/discover" => refuse(seen),
        _ => legacy(seen),
    }
}

#[tokio::test]
async fn a_discovery_result_means_modern() {
    let web = Web::start(modern).await;
    let client = connect(&web).await.unwrap();
    assert_eq!(client.server().revision, Revision::V2026_07_28);
    assert_eq!(web.methods(), ["server/discover"]);
}

/// Traps T1 and T21: a refusal that is about the message means a session, and nothing modern is
/// said in it.
#[tokio::test]
async fn other_refusals_of_the_probe_mean_a_session() {
    let refusals: [fn(&Seen) -> Reply; 8] = [
        |_| Reply::status(404),
        |_| Reply::status(405),
        |_| Reply::text(400, "text/plain", "Bad Request: no session"),
        |_| Reply::text(406, "text/html", "<h1>Not Acceptable</h1>"),
        |seen| Reply::error(seen, 404, -32601, Value::Null),
        |seen| Reply::error(seen, 400, -32600, Value::Null),
        |seen| Reply::error(seen, 200, -32601, Value::Null),
        |seen| Reply::result(seen, json!({})),
    ];
    for refuse in refusals {
        let web = Web::start(after_probe(refuse)).await;
        let client = connect(&web).await.unwrap();
        assert_eq!(client.server().revision, Revision::V2025_11_25);
        let initialize = &web.seen_of("initialize")[0];
        for header in ["mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id"] {
            assert_eq!(initialize.header(header), None, "{header}");
        }
        client.close().await;
    }
}

/// Trap T21: who may not come in, and what fails, says nothing about the era.
#[tokio::test]
async fn authorization_and_failures_are_no_evidence() {
    for status in [401, 403, 407, 429, 500, 502, 503, 302] {
        let web = Web::start(after_probe(move |_| Reply::status(status))).await;
        let error = connect(&web).await.unwrap_err();
        assert_eq!(error.http_status(), Some(status), "{error}");
        assert_eq!(error.kind(), ErrorKind::Http, "{error}");
        assert_eq!(web.methods(), ["server/discover"], "{status}");
    }
    let gone = Web::start(modern).await.url.clone();
    let endpoint = docent_mcp::transport::http::HttpEndpoint::new(gone).unwrap();
    let error = builder().connect(endpoint).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transport, "{error}");
    assert!(error.to_string().contains("cannot be reached"), "{error}");
}

/// [CLI-VER-03] a modern error is corrected or told, and never followed by `initialize`.
#[tokio::test]
async fn modern_errors_never_lead_to_a_session() {
    // Says no once, and names the very revision that was asked for.
    let web = Web::start(|seen| {
        let first = seen.body["id"] == 1;
        let data = json!({ "supported": ["2026-07-28"], "requested": "2026-07-28" });
        match first {
            true => Reply::error(seen, 400, -32022, data),
            false => modern(seen),
        }
    })
    .await;
    assert!(connect(&web).await.unwrap().server().revision.is_modern());
    assert_eq!(web.methods(), ["server/discover", "server/discover"]);

    for code in [-32020, -32021, -32022] {
        let data = json!({ "supported": ["2099-01-01"], "requiredCapabilities": {} });
        let web =
            Web::start(after_probe(move |seen| Reply::error(seen, 400, code, data.clone()))).await;
        let error = connect(&web).await.unwrap_err();
        assert_eq!(error.code(), Some(code), "{error}");
        assert_eq!(web.methods(), ["server/discover"], "{code}");
    }
}

/// A client that speaks nothing modern asks for a session at once.
#[tokio::test]
async fn legacy_only_clients_do_not_probe() {
    let web = Web::start(session("s", "2025-06-18")).await;
    let client = builder().revisions([Revision::V2025_06_18]).connect(endpoint(&web)).await;
    assert_eq!(client.unwrap().server().revision, Revision::V2025_06_18);
    assert_eq!(web.methods()[0], "initialize");
}

#[tokio::test]
async fn modern_only_clients_do_not_fall_back() {
    let web = Web::start(session("s", "2025-06-18")).await;
    let client = builder().revisions([Revision::V2026_07_28]).connect(endpoint(&web)).await;
    let error = client.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert_eq!(web.methods(), ["server/discover"]);
}

/// [CLI-VER-04] a server that was replaced by one of another era is found out, without a failure:
/// the request was not carried out, so it is made again.
#[tokio::test]
async fn a_server_of_another_era_takes_the_place() {
    let web = Web::start(modern).await;
    let client = connect(&web).await.unwrap();
    client.call("one", json!({})).await.unwrap();
    web.swap(session("s", "2025-11-25"));
    client.call("two", json!({})).await.unwrap();
    assert_eq!(client.server().revision, Revision::V2025_11_25);
    web.swap(|seen| match seen.header("mcp-method") {
        Some(_) => modern(seen),
        None if seen.header("mcp-session-id").is_some() => Reply::status(404),
        None => Reply::error(
            seen,
            400,
            -32022,
            json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" }),
        ),
    });
    // Twice within moments: the second time there is a pause before the next attempt.
    tokio::time::sleep(std::time::Duration::from_millis(450)).await;
    client.call("three", json!({})).await.unwrap();
    assert_eq!(client.server().revision, Revision::V2026_07_28);
    assert_eq!(web.seen_of("tools/call").len(), 5, "two were refused and made again");
}

/// [CLI-VER-04] what was found out is remembered: after the loss of a session nobody probes.
#[tokio::test]
async fn the_verdict_is_remembered() {
    let web = Web::start(session("first", "2025-11-25")).await;
    let client = connect(&web).await.unwrap();
    web.swap(session("second", "2025-11-25"));
    client.call("x", json!({})).await.unwrap();
    assert_eq!(web.seen_of("server/discover").len(), 1);
    assert_eq!(web.seen_of("initialize").len(), 2);
}

/// Trap T12: what a modern server adds or leaves out does not matter.
#[tokio::test]
async fn sloppy_discoveries_are_taken() {
    let web = Web::start(|seen| {
        let mut result = discovered();
        result["serverInfo"] = json!({ "name": "x" });
        result.as_object_mut().unwrap().remove("resultType");
        Reply::result(seen, result)
    })
    .await;
    assert!(connect(&web).await.unwrap().server().revision.is_modern());
}
