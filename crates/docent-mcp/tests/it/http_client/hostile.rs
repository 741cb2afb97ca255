//! Servers that answer too much, too little or something else.

use std::time::Duration;

use docent_mcp::{ErrorKind, Limits};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::web::{Reply, Step, Web, answer, event};
use super::{builder, connect, connect_with, content, modern, text};

/// What is longer than a message may be is not held, however it comes; the caller is told and the
/// next request works.
#[tokio::test]
async fn oversize_answers_are_not_held() {
    let web = Web::start(|seen| {
        let Some(name) = seen.body["params"]["name"].as_str() else { return modern(seen) };
        let large = answer(seen, content(&"x".repeat(300_000)));
        match name {
            "body" => Reply::json(200, &large),
            "stream" => Reply::events([event(&large), Step::Hang]),
            "claim" => Reply::text(200, "application/json", "{")
                .with("content-length", (1u64 << 40).to_string()),
            "lie" => Reply::text(200, "application/json", "{}").with("content-length", "90000"),
            _ => modern(seen),
        }
    })
    .await;
    let limits = Limits {
        message_bytes_max: 100_000,
        request_timeout: Duration::from_secs(5),
        ..Limits::default()
    };
    let client = connect_with(&web, limits).await.unwrap();
    for name in ["body", "stream", "claim"] {
        let error = client.call(name, json!({})).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{name}: {error}");
    }
    let limits = Limits { request_timeout: Duration::from_millis(200), ..Limits::default() };
    let impatient = connect_with(&web, limits).await.unwrap();
    assert!(impatient.call("lie", json!({})).await.unwrap_err().is_timeout());
    assert_eq!(text(&client.call("fine", json!({})).await.unwrap()), "fine");
}

/// What is no answer is said to be none, with what it was.
#[tokio::test]
async fn something_else_is_no_answer() {
    let web = Web::start(|seen| {
        let Some(name) = seen.body["params"]["name"].as_str() else { return modern(seen) };
        match name {
            "html" => Reply::text(200, "text/html", "<html><title>Sign in</title>"),
            "nothing" => Reply::status(202),
            "no content" => Reply::status(204).with("content-length", "0"),
            "another id" => {
                Reply::json(200, &json!({ "jsonrpc": "2.0", "id": 9999, "result": {} }))
            }
            "a request" => {
                Reply::json(200, &json!({ "jsonrpc": "2.0", "id": seen.body["id"], "method": "x" }))
            }
            "no error" => {
                Reply::json(200, &json!({ "jsonrpc": "2.0", "id": seen.body["id"] , "error": 1 }))
            }
            "array" => Reply::text(200, "application/json", "[]"),
            "junk" => Reply::events([
                Step::Send("data: junk\n\nevent: x\ndata: y\n\n".repeat(50_000)),
                event(&answer(seen, content("found"))),
            ]),
            "untyped" => Reply::text(200, "", answer(seen, content("found")).to_string()),
            other => panic!("{other}"),
        }
    })
    .await;
    let client = connect(&web).await.unwrap();
    for (name, says) in [
        ("html", "text/html: <html><title>Sign in</title>"),
        ("nothing", "(nothing)"),
        ("no content", "(nothing)"),
        ("another id", "no answer"),
        ("a request", "no answer"),
        ("no error", "malformed"),
        ("array", "no answer"),
    ] {
        let error = client.call(name, json!({})).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidResponse, "{name}: {error}");
        assert!(error.to_string().contains(says), "{name}: {error}");
    }
    // Row 11: junk around the answer is skipped, however much it is.
    for name in ["junk", "untyped"] {
        assert_eq!(text(&client.call(name, json!({})).await.unwrap()), "found");
    }
}

/// Row 17: peers that are no MCP server at all, or none that answers: connecting ends with an
/// error in the time that it was given.
#[tokio::test]
async fn row_17_peers_that_are_no_server() {
    let limits = || Limits {
        probe_timeout: Duration::from_millis(300),
        connect_timeout: Duration::from_millis(300),
        ..Limits::default()
    };
    for kind in ["silent", "closes", "garbage", "tls", "half a head", "endless head"] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            let mut open = Vec::new();
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut some = [0; 100];
                let _ = socket.read(&mut some).await;
                let reply: &[u8] = match kind {
                    "closes" => continue,
                    "garbage" => b"220 mail.example.com ESMTP\r\n",
                    "tls" => b"\x15\x03\x01\x00\x02\x02\x46",
                    "half a head" => b"HTTP/1.1 200 OK\r\ncontent-",
                    "endless head" => &[b'x'; 1 << 20],
                    _ => b"",
                };
                let _ = socket.write_all(reply).await;
                open.push(socket);
            }
        });
        let endpoint = docent_mcp::transport::http::HttpEndpoint::new(url).unwrap();
        let connecting = builder().limits(limits()).connect(endpoint);
        let outcome = tokio::time::timeout(Duration::from_secs(5), connecting).await;
        let error = outcome.unwrap_or_else(|_| panic!("{kind}: stuck")).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Transport | ErrorKind::Timeout),
            "{kind}: {error:?}"
        );
        serving.abort();
    }
    let html = Web::start(|_| Reply::text(200, "text/html", "<h1>It works!</h1>")).await;
    let error = connect_with(&html, limits()).await.unwrap_err();
    assert!(error.to_string().contains("is it an MCP endpoint?"), "{error}");
}

/// Row 17: closing does not wait for a server that hangs.
#[tokio::test]
async fn row_17_closing_under_a_hanging_call() {
    let web = Web::start(|seen| match seen.method() {
        "tools/call" => Reply::events([Step::Hang]),
        _ => modern(seen),
    })
    .await;
    let client = connect(&web).await.unwrap();
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.call("x", json!({})).await })
        })
        .collect();
    super::web::until("all arrive", || web.seen_of("tools/call").len() == 10).await;
    tokio::time::timeout(Duration::from_secs(5), client.close()).await.expect("it ends");
    for call in calls {
        assert!(call.await.unwrap().unwrap_err().is_closed());
    }
    super::web::until("all streams are closed", || web.hung_up() == 10).await;
}
