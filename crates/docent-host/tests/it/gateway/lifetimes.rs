//! Calls that wait for their client, and connections that belong to one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use docent_host::{Gateway, HostLimits};
use docent_mcp::client::{Client, RequestOptions, ServerEvent};
use docent_mcp::types::{JsonObject, LoggingLevel, Revision, Root};
use serde_json::{Value, json};

use crate::fixture::{
    Behind, Way, before, client, connect, event, host, server, soon, source, text,
};

/// A client that asks and never comes back leaves nothing behind.
#[tokio::test(start_paused = true)]
async fn a_held_call_is_given_up_in_the_end() {
    let behind = Behind::default();
    let one = server(Revision::NEWEST_LEGACY, &behind);
    let limits = HostLimits { held_calls_max: 1, ..HostLimits::default() };
    let patience = limits.held_call_timeout;
    let host = host().limits(limits).connector("one", source(&one, &behind)).from_entries([]);
    let gateway = Arc::new(Gateway::builder(host).build());
    let client = connect(&gateway, Way::Memory, client(Revision::NEWEST_MODERN).0).await;
    let ask = || {
        let params: JsonObject =
            serde_json::from_value(json!({ "name": "ask_name", "arguments": {} })).unwrap();
        client.request("tools/call", params, RequestOptions::new().hand_over_questions())
    };
    let asked: Value = ask().await.unwrap().decode().unwrap();
    assert_eq!(asked["resultType"], "input_required");
    let full = ask().await.unwrap_err();
    assert!(format!("{full:#}").contains("too many calls wait"), "{full:#}");
    tokio::time::sleep(patience + Duration::from_secs(1)).await;
    let again: Value = ask().await.unwrap().decode().unwrap();
    assert_eq!(again["resultType"], "input_required");
    let late = json!({
        "name": "ask_name",
        "arguments": {},
        "requestState": asked["requestState"],
        "inputResponses": {},
    });
    let late: JsonObject = serde_json::from_value(late).unwrap();
    let late = client.request("tools/call", late, RequestOptions::new().hand_over_questions());
    assert!(late.await.unwrap_err().is_invalid_params());
}

#[tokio::test]
async fn a_connection_ends_with_the_client_it_belongs_to() {
    let behind = Behind::default();
    let gateway = Arc::new(before(Revision::NEWEST_LEGACY, &behind).build());
    for round in 0..3 {
        let client = connect(&gateway, Way::Memory, client(Revision::NEWEST_LEGACY).0).await;
        let waiting = tokio::spawn({
            let client = client.clone();
            async move { client.call("wait", json!({})).await }
        });
        soon(behind.started.notified()).await;
        // One for lists, and one for each client.
        assert_eq!(behind.connections.load(Ordering::Relaxed), 2 + round);
        client.close().await;
        soon(behind.dropped.notified()).await;
        assert!(waiting.await.unwrap().is_err());
    }
}

/// A server of 2025-11-25 refuses a call until a page was visited; a modern client is asked to.
#[tokio::test]
async fn a_page_to_visit_is_a_question_to_a_modern_client() {
    let visited = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = visited.clone();
    let one = docent_mcp::Server::new("guarded", "1.0").revisions([Revision::NEWEST_LEGACY]).tool(
        "open",
        "Opens",
        move |_: docent_mcp::server::Context, (): ()| {
            let seen = seen.clone();
            async move {
                if seen.load(Ordering::Relaxed) {
                    return Ok::<_, docent_mcp::server::ToolError>("open");
                }
                let page = json!({
                    "mode": "url",
                    "message": "Log in",
                    "url": "https://login.example.com/",
                    "elicitationId": "1",
                });
                let error = docent_mcp::jsonrpc::ErrorObject::new(-32042, "log in first");
                Err(error.with_data(json!({ "elicitations": [page] })).into())
            }
        },
    );
    let behind = Behind::default();
    let host = host().connector("one", source(&one, &behind)).from_entries([]);
    let gateway = Arc::new(Gateway::builder(host).build());
    let builder = Client::builder("modern", "1.0")
        .revisions([Revision::NEWEST_MODERN])
        .on_elicit_url(move |page| {
            assert_eq!(page.url, "https://login.example.com/");
            visited.store(true, Ordering::Relaxed);
            async { Ok(docent_mcp::types::ElicitAction::Accept) }
        });
    let client = connect(&gateway, Way::Memory, builder).await;
    assert_eq!(text(&soon(client.call("open", json!({}))).await.unwrap()), "open");
}

#[tokio::test]
async fn log_messages_are_not_for_others() {
    for server_era in crate::fixture::ERAS {
        let gateway = Arc::new(before(server_era, &Behind::default()).build());
        let (caller, mut heard) = client(Revision::NEWEST_LEGACY);
        let (other, mut overheard) = client(Revision::NEWEST_LEGACY);
        let caller = connect(&gateway, Way::Http, caller).await;
        let other = connect(&gateway, Way::Http, other).await;
        for client in [&caller, &other] {
            client.set_log_level(LoggingLevel::Debug).await.unwrap();
            soon(client.call("echo", json!({ "message": "x" }))).await.unwrap();
        }
        soon(caller.call("log", json!({}))).await.unwrap();
        event(&mut heard, |event| matches!(event, ServerEvent::Log(_))).await;
        soon(other.call("echo", json!({ "message": "x" }))).await.unwrap();
        while let Ok(event) = overheard.try_recv() {
            assert!(!matches!(event, ServerEvent::Log(_)), "{server_era}: {event:?}");
        }
    }
}

#[tokio::test]
async fn other_folders_are_seen_at_the_next_look() {
    for alone in [true, false] {
        let builder = before(Revision::NEWEST_LEGACY, &Behind::default());
        let gateway = Arc::new(if alone { builder.build_for_one() } else { builder.build() });
        let builder = Client::builder("editor", "1.0")
            .revisions([Revision::NEWEST_LEGACY])
            .roots([Root::new("file:///one")]);
        let client = connect(&gateway, Way::Memory, builder).await;
        assert_eq!(text(&soon(client.call("roots", json!({}))).await.unwrap()), "file:///one");
        client.set_roots([Root::new("file:///two")]).await.unwrap();
        assert_eq!(text(&soon(client.call("roots", json!({}))).await.unwrap()), "file:///two");
    }
}

/// A question goes to whichever call of the client sat down last; if that one ends first, the
/// question goes on to another.
#[tokio::test]
async fn a_question_survives_the_call_that_it_was_handed_to() {
    for era in crate::fixture::ERAS {
        let gateway = Arc::new(before(Revision::NEWEST_LEGACY, &Behind::default()).build());
        let client = connect(&gateway, Way::Memory, client(era).0).await;
        for _ in 0..20 {
            let mut calling = tokio::task::JoinSet::new();
            for tool in ["ask_twice", "echo", "echo", "echo", "echo"] {
                let client = client.clone();
                calling.spawn(async move {
                    let arguments = match tool {
                        "echo" => json!({ "message": "x" }),
                        _ => json!({}),
                    };
                    let result = soon(client.call(tool, arguments)).await;
                    (tool, result)
                });
            }
            while let Some(called) = calling.join_next().await {
                let (tool, result) = called.unwrap();
                let result = result.unwrap_or_else(|error| panic!("{era} {tool}: {error:#}"));
                let expected = if tool == "echo" { "x" } else { "Ada Grace" };
                assert_eq!(text(&result), expected, "{era}");
            }
        }
    }
}
