//! The era probe, version selection and the handshake.

use docent_mcp::types::Revision;
use docent_mcp::{ErrorKind, Limits};
use serde_json::{Value, json};

use super::fake::{Fake, connect_to, connected, discovered, error, initialized, said};
use super::{builder, with_fixture};

const LEGACY: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

fn methods(messages: &[Value]) -> Vec<&str> {
    messages.iter().filter_map(|message| message["method"].as_str()).collect()
}

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

/// Trap T1: whatever else a server makes of the probe, it is a legacy server. Raw lines, because
/// some are no messages at all; `ID` stands for the id of the probe.
#[tokio::test(start_paused = true)]
async fn any_other_reply_to_the_probe_means_legacy() {
    let replies = [
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"method not found"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32600,"message":"not initialized"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"bad parameters"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"oops"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32700,"message":"parse error"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"server not ready"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"header mismatch, draft"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32002,"message":"not initialized"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32004,"message":"version, draft"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":{"code":0,"message":""}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":{"capabilities":{},"serverInfo":{"name":"x"}}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":{"supportedVersions":"2026-07-28"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":{"supportedVersions":["2026-07-28"]},"error":{"code":1,"message":"both"}}"#,
        r#"{"jsonrpc":"2.0","id":ID}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":"no object"}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"whose?"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"whose?"}}"#,
        r#"{"jsonrpc":"2.0","id":"ID","result":{"supportedVersions":["2026-07-28"]}}"#,
        "Server started, waiting for initialize",
        "{",
        "",
    ];
    for reply in replies {
        let (client, revision) = connect_to(builder(), |mut fake| async move {
            let probe = fake.expect("server/discover").await;
            fake.send(reply.replace("ID", &probe["id"].to_string())).await;
            let mut initialize = fake.receive().await.expect("another try");
            // Lines that are no messages may be complained about first.
            while initialize["method"] != "initialize" {
                assert!(initialize.get("error").is_some(), "{reply}: {initialize}");
                initialize = fake.receive().await.expect("another try");
            }
            fake.answer(&initialize, initialized("2025-03-26", json!({}))).await;
            fake.expect("notifications/initialized").await;
            initialize["params"]["protocolVersion"].clone()
        })
        .await;
        assert_eq!(client.expect(reply).server().revision, Revision::V2025_03_26, "{reply}");
        assert_eq!(revision, "2025-11-25", "{reply}");
    }
}

/// Trap T1: a server that closes the connection on the probe, where there is only that one, is
/// reported as closed.
#[tokio::test(start_paused = true)]
async fn a_connection_that_cannot_be_had_again_is_closed() {
    let (client, _) = connect_to(builder(), |mut fake| async move {
        fake.expect("server/discover").await;
    })
    .await;
    assert!(client.unwrap_err().is_closed());
}

/// Trap T2: a server that exits on the probe, at once or after an error, is started again and gets
/// nothing but the handshake.
#[tokio::test(start_paused = true)]
async fn a_server_that_dies_of_the_probe_is_started_again() {
    for answers_first in [false, true] {
        let (source, mut fakes) = Fake::source();
        let serving = async {
            let mut first = fakes.next().await;
            let probe = first.expect("server/discover").await;
            if answers_first {
                first.refuse(&probe, error(-32600)).await;
            }
            drop(first);
            let mut second = fakes.next().await;
            let initialize = second.expect("initialize").await;
            assert_eq!(initialize["params"]["protocolVersion"], "2025-11-25");
            second.answer(&initialize, initialized("2025-11-25", json!({}))).await;
            second.expect("notifications/initialized").await;
            assert!(fakes.try_next().is_none());
            second
        };
        let (client, _server) = tokio::join!(builder().connect(source), serving);
        assert_eq!(client.unwrap().server().revision, Revision::V2025_11_25);
    }
}

/// A server that also dies of the handshake is not started forever.
#[tokio::test(start_paused = true)]
async fn a_server_that_dies_of_everything_is_given_up() {
    let (source, mut fakes) = Fake::source();
    let serving = async {
        fakes.next().await.expect("server/discover").await;
        fakes.next().await.expect("initialize").await;
    };
    let (client, ()) = tokio::join!(builder().connect(source), serving);
    assert!(client.unwrap_err().is_closed());
    assert!(fakes.try_next().is_none());
}

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
        assert_eq!(methods(&rest), Vec::<&str>::new());
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

/// A modern server that was too slow for the probe tells what it is when it is asked to shake
/// hands.
#[tokio::test(start_paused = true)]
async fn a_slow_modern_server_is_recognized_late() {
    let (client, ()) = connect_to(builder(), |mut fake| async move {
        fake.expect("server/discover").await;
        let initialize = fake.expect("initialize").await;
        let data = json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" });
        fake.refuse(&initialize, json!({ "code": -32022, "message": "", "data": data })).await;
        let probe = fake.expect("server/discover").await;
        fake.answer(&probe, discovered(&["2026-07-28"], json!({}))).await;
    })
    .await;
    assert_eq!(client.unwrap().server().revision, Revision::V2026_07_28);
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

/// [CLI-VER-04] the era of a connection is found out once: no request after the first asks again,
/// and what a legacy server refuses later is no new evidence.
#[tokio::test(start_paused = true)]
async fn the_era_is_kept_for_the_connection() {
    for revision in super::ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        let calling = async {
            client.call("one", json!({})).await.unwrap();
            let refused = client.call("two", json!({})).await.unwrap_err();
            assert!(refused.is_method_not_found());
            client.call("three", json!({})).await.unwrap();
        };
        let serving = async {
            for n in 0..3 {
                let call = fake.expect("tools/call").await;
                let modern = call["params"].get("_meta").is_some();
                assert_eq!(modern, revision.is_modern(), "{call}");
                match n {
                    1 => fake.refuse(&call, error(-32601)).await,
                    _ => fake.answer(&call, said("yes")).await,
                }
            }
        };
        tokio::join!(calling, serving);
        assert_eq!(client.server().revision, revision);
    }
}

/// A server that answers nothing at all, ever, costs the two timeouts and no more.
#[tokio::test(start_paused = true)]
async fn silence_is_a_timeout() {
    let limits = Limits::default();
    let patience = limits.probe_timeout + limits.connect_timeout;
    let started = tokio::time::Instant::now();
    let (client, rest) = connect_to(builder().limits(limits), |fake| fake.rest()).await;
    assert!(client.unwrap_err().is_timeout());
    assert_eq!(methods(&rest), ["server/discover", "initialize"], "and neither is cancelled");
    assert!(started.elapsed() >= patience, "the clock of this test stands still otherwise");
}

/// A source that does not answer either is a failed connection.
#[tokio::test(start_paused = true)]
async fn a_source_that_hangs_is_a_timeout() {
    let source = docent_mcp::client::Source::connector(std::future::pending);
    let error = builder().connect(source).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Transport);
    assert!(format!("{error:#}").contains("timed out"), "{error:#}");
}

/// Giving up while connecting closes the connection; `initialize` is never cancelled by a
/// notification.
#[tokio::test(start_paused = true)]
async fn giving_up_while_connecting_closes_the_connection() {
    for answer_probe in [false, true] {
        let (transport, mut fake) = Fake::pair();
        let connecting = tokio::spawn(builder().connect(transport));
        let probe = fake.expect("server/discover").await;
        if answer_probe {
            fake.refuse(&probe, error(-32601)).await;
            fake.expect("initialize").await;
        }
        connecting.abort();
        assert_eq!(fake.rest().await, Vec::<Value>::new());
    }
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
