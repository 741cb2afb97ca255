//! How a session is opened.

use docent_mcp::ErrorKind;
use docent_mcp::types::Revision;
use serde_json::{Value, json};

use super::fake::{Fake, connect_to, initialized};
use super::{LEGACY, builder};

/// [CLI-INIT-01] a session opens with `initialize`, which names the newest revision that is spoken
/// here, and goes on with `initialized`.
#[tokio::test(start_paused = true)]
async fn the_handshake_comes_first() {
    for newest in LEGACY {
        let allowed = LEGACY.into_iter().filter(|revision| *revision <= newest);
        let opening = connect_to(builder().revisions(allowed), |mut fake| async move {
            fake.expect_like(json!({
                "jsonrpc": "2.0",
                "id": "…",
                "method": "initialize",
                "params": {
                    "protocolVersion": newest.as_str(),
                    "capabilities": {},
                    "clientInfo": { "name": "test", "version": "1.0" },
                },
            }))
            .await;
            // Answered by hand, so that the order of what follows is plain to see.
            fake.send(json!({ "jsonrpc": "2.0", "id": 1, "result": initialized(newest.as_str(), json!({})) }))
                .await;
            fake.expect_like(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
                .await;
            fake
        });
        let (client, mut fake) = opening.await;
        let client = client.unwrap();
        assert_eq!(client.server().revision, newest);
        let (_, ping) = tokio::join!(client.ping(), async {
            let ping = fake.expect("ping").await;
            fake.answer(&ping, json!({})).await;
            ping
        });
        assert_ne!(ping["id"], 1, "the id of `initialize` is not used again");
    }
}

/// [CLI-INIT-01] a client of both eras that finds a legacy server says its newest legacy revision,
/// never a modern one.
#[tokio::test(start_paused = true)]
async fn after_the_probe_the_newest_legacy_revision_is_asked_for() {
    for spoken in LEGACY {
        let (transport, mut fake) = Fake::pair();
        let (client, initialize) = tokio::join!(builder().connect(transport), fake.open(spoken));
        assert_eq!(initialize["params"]["protocolVersion"], "2025-11-25");
        assert!(initialize["params"].get("_meta").is_none(), "{initialize}");
        let server = client.unwrap().server();
        assert_eq!(server.revision, spoken, "an older revision that the server prefers is fine");
        assert_eq!(server.info.unwrap().name, "fake");
        assert_eq!(server.instructions.as_deref(), Some("Be kind."));
    }
}

/// [CLI-INIT-03] a revision that is not spoken here ends the connection, without `initialized`.
#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_spoken_ends_the_connection() {
    for version in ["1999-01-01", "2026-07-28", "2024-11-05", "draft", ""] {
        let builder = builder().revisions([Revision::V2025_06_18, Revision::V2025_11_25]);
        let (client, rest) = connect_to(builder, |mut fake| async move {
            let initialize = fake.expect("initialize").await;
            fake.answer(&initialize, initialized(version, json!({}))).await;
            fake.rest().await
        })
        .await;
        let error = client.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{version}");
        let message = error.to_string();
        assert!(
            message.contains(version) && message.contains("2025-06-18, 2025-11-25"),
            "{message}"
        );
        assert_eq!(rest, Vec::<Value>::new(), "{version}");
    }
}

/// An answer to `initialize` that makes no sense is an error that says so.
#[tokio::test(start_paused = true)]
async fn a_broken_handshake_is_an_error() {
    for result in [json!({}), json!(null), json!([]), json!({ "protocolVersion": 7 })] {
        let builder = builder().revisions(LEGACY);
        let (client, rest) = connect_to(builder, |mut fake| async {
            let initialize = fake.expect("initialize").await;
            fake.answer(&initialize, result.clone()).await;
            fake.rest().await
        })
        .await;
        assert_eq!(client.unwrap_err().kind(), ErrorKind::InvalidResponse, "{result}");
        assert_eq!(rest, Vec::<Value>::new());
    }
}

/// [BOTH-INIT-04] until the handshake is answered the client sends nothing but answers to pings,
/// and does nothing else for the server.
#[tokio::test(start_paused = true)]
async fn only_pings_before_the_session_is_open() {
    let builder = builder().revisions(LEGACY).roots([docent_mcp::types::Root::new("file:///a")]);
    let (client, ()) = connect_to(builder, |mut fake| async move {
        let initialize = fake.expect("initialize").await;
        fake.expect_silence().await;
        let pong = fake.ask("early", "ping", json!({})).await;
        assert_eq!(pong["result"], json!({}));
        let refused = fake.ask("too early", "roots/list", json!({})).await;
        assert_eq!(refused["error"]["code"], -32601);
        fake.expect_silence().await;
        fake.answer(&initialize, initialized("2025-11-25", json!({}))).await;
        fake.expect("notifications/initialized").await;
        let roots = fake.ask(1, "roots/list", json!({})).await;
        assert_eq!(roots["result"]["roots"], json!([{ "uri": "file:///a" }]));
    })
    .await;
    client.unwrap();
}
