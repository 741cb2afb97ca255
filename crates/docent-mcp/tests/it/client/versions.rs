//! Which revision is spoken, and what happens when there is none.

use docent_mcp::ErrorKind;
use docent_mcp::types::Revision;
use serde_json::{Value, json};

use super::fake::{connect_to, discovered, error, initialized};
use super::{builder, with_fixture};

/// [CLI-VER-03] a modern server that wants another revision gets it, on the second try.
#[tokio::test(start_paused = true)]
async fn a_common_revision_is_tried_once_more() {
    let unsupported = |supported: Value| json!({ "code": -32022, "message": "unsupported", "data": { "supported": supported } });
    let (client, ()) = connect_to(builder(), |mut fake| async move {
        let first = fake.expect("server/discover").await;
        fake.refuse(&first, unsupported(json!(["2099-01-01", "2026-07-28"]))).await;
        let second = fake.expect("server/discover").await;
        assert_ne!(second["id"], first["id"]);
        let version = &second["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
        assert_eq!(version, "2026-07-28");
        fake.answer(&second, discovered(&["2026-07-28"], json!({}))).await;
    })
    .await;
    assert_eq!(client.unwrap().server().revision, Revision::V2026_07_28);

    // And only once.
    let (client, rest) = connect_to(builder(), |mut fake| async move {
        for _ in 0..2 {
            let probe = fake.expect("server/discover").await;
            fake.refuse(&probe, unsupported(json!(["2026-07-28"]))).await;
        }
        fake.rest().await
    })
    .await;
    assert_eq!(client.unwrap_err().kind(), ErrorKind::Unsupported);
    assert_eq!(rest, Vec::<Value>::new());
}

/// [CLI-VER-03] Trap T7: a modern server without a common revision is an error that names both
/// lists, and never gets an `initialize`.
#[tokio::test(start_paused = true)]
async fn no_fallback_after_a_modern_error() {
    for (data, named) in [
        (
            json!({ "supported": ["2099-01-01", "2098-01-01"], "requested": "2026-07-28" }),
            "2099-01-01, 2098-01-01",
        ),
        (json!({ "supported": ["2025-11-25"] }), "2025-11-25"),
        (json!({ "supported": [] }), "2026-07-28"),
        (json!({ "supported": "all" }), "2026-07-28"),
        (json!(null), "2026-07-28"),
    ] {
        let (client, rest) = connect_to(builder(), |mut fake| async {
            let probe = fake.expect("server/discover").await;
            let error = json!({ "code": -32022, "message": "unsupported", "data": data });
            fake.refuse(&probe, error).await;
            fake.rest().await
        })
        .await;
        let error = client.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Unsupported, Some(-32022)));
        let message = error.to_string();
        assert!(message.contains(named) && message.contains("2025-11-25, 2026-07-28"), "{message}");
        assert_eq!(rest, Vec::<Value>::new(), "{data}");
    }
}

/// [CLI-VER-03] the other modern errors mean a modern server as well.
#[tokio::test(start_paused = true)]
async fn other_modern_errors_are_no_sign_of_a_legacy_server() {
    for code in [-32021, -32020] {
        let (client, rest) = connect_to(builder(), |mut fake| async move {
            let probe = fake.expect("server/discover").await;
            fake.refuse(&probe, error(code)).await;
            fake.rest().await
        })
        .await;
        assert_eq!(client.unwrap_err().code(), Some(code));
        assert_eq!(rest, Vec::<Value>::new());
    }
}

/// [CLI-VER-03] once a server has shown that it is modern, nothing it says or fails to say
/// afterwards makes it a legacy one.
#[tokio::test(start_paused = true)]
async fn what_follows_a_modern_error_does_not_change_the_era() {
    for answer in [Some(error(-32601)), None] {
        let (client, rest) = connect_to(builder(), |mut fake| async {
            let first = fake.expect("server/discover").await;
            let data = json!({ "supported": ["2026-07-28"] });
            fake.refuse(&first, json!({ "code": -32022, "message": "", "data": data })).await;
            let second = fake.expect("server/discover").await;
            if let Some(error) = &answer {
                fake.refuse(&second, error.clone()).await;
            }
            fake.rest().await
        })
        .await;
        let error = client.unwrap_err();
        assert!(error.is_timeout() || error.is_method_not_found(), "{error}");
        assert_eq!(rest, Vec::<Value>::new());
    }
}

/// A discovery that lists no revision in common says so.
#[tokio::test(start_paused = true)]
async fn a_discovery_without_a_common_revision_is_an_error() {
    let (client, rest) = connect_to(builder(), |mut fake| async {
        let probe = fake.expect("server/discover").await;
        fake.answer(&probe, discovered(&["2099-01-01"], json!({}))).await;
        fake.rest().await
    })
    .await;
    let error = client.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(
        error.to_string().contains("the server speaks 2099-01-01, this client 2024-11-05"),
        "{error}"
    );
    assert_eq!(rest, Vec::<Value>::new());
}

/// A server with sessions may know the discovery, and list only what needs a handshake: then that
/// is what it gets. The Go SDK answers like this unless it is told to keep no sessions.
#[tokio::test(start_paused = true)]
async fn a_discovery_of_legacy_revisions_leads_to_a_session() {
    let (client, ()) = connect_to(builder(), |mut fake| async move {
        let probe = fake.expect("server/discover").await;
        fake.answer(&probe, discovered(&["2025-11-25", "2025-06-18"], json!({}))).await;
        let initialize = fake.expect("initialize").await;
        fake.answer(&initialize, initialized("2025-11-25", json!({}))).await;
        fake.expect("notifications/initialized").await;
    })
    .await;
    assert_eq!(client.unwrap().server().revision, Revision::V2025_11_25);

    let modern = builder().revisions([Revision::V2026_07_28]);
    let (client, rest) = connect_to(modern, |mut fake| async {
        let probe = fake.expect("server/discover").await;
        fake.answer(&probe, discovered(&["2025-11-25"], json!({}))).await;
        fake.rest().await
    })
    .await;
    assert_eq!(client.unwrap_err().kind(), ErrorKind::Unsupported);
    assert_eq!(rest, Vec::<Value>::new());
}

/// A client that is allowed only modern revisions says why a legacy server is of no use to it.
#[tokio::test(start_paused = true)]
async fn a_modern_client_does_not_shake_hands() {
    let builder = builder().revisions([Revision::V2026_07_28]);
    let (client, rest) = connect_to(builder, |mut fake| async move {
        let probe = fake.expect("server/discover").await;
        fake.refuse(&probe, error(-32601)).await;
        fake.rest().await
    })
    .await;
    let error = client.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("2026-07-28"), "{error}");
    assert_eq!(rest, Vec::<Value>::new());
}

/// A client of every age agrees with a server of every age on the revision that the client wants.
#[tokio::test(start_paused = true)]
async fn the_server_speaks_what_the_client_wants() {
    for revision in Revision::ALL {
        let client = with_fixture(revision, builder()).await;
        check_fixture(&client, revision).await;
    }
}

/// And the other way round: a client that speaks everything finds out what a server of one revision
/// speaks.
#[tokio::test(start_paused = true)]
async fn the_client_speaks_what_the_server_wants() {
    for revision in Revision::ALL {
        let (near, far) = docent_mcp::transport::memory();
        tokio::spawn(crate::fixture::server().revisions([revision]).serve(far));
        let client = builder().connect(near).await.unwrap();
        check_fixture(&client, revision).await;
    }
}

async fn check_fixture(client: &docent_mcp::Client, revision: Revision) {
    let server = client.server();
    assert_eq!(server.revision, revision);
    assert_eq!(server.info.unwrap().name, "fixture");
    assert_eq!(server.instructions.as_deref(), Some("Call echo."));
    assert!(server.capabilities.tools.is_some());
    client.ping().await.unwrap();
}
