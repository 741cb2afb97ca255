//! Which era a server is of.

use docent_mcp::types::Revision;
use docent_mcp::{ErrorKind, Limits};
use serde_json::{Value, json};

use super::builder;
use super::fake::{Fake, connect_to, connected, discovered, error, initialized, said};

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
    let methods: Vec<_> = rest.iter().map(|message| &message["method"]).collect();
    assert_eq!(methods, ["server/discover", "initialize"], "and neither is cancelled");
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
