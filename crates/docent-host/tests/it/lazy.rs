//! Lazy servers: nobody starts one who does not ask for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use docent_host::config::ServerEntry;
use docent_host::{ErrorKind, Gateway, Host, State};
use docent_mcp::types::Revision;
use serde_json::json;

use crate::fixture::{Behind, ERAS, Way, client, connect, host, server, soon, source, text};

/// A host of two servers of which one is lazy, and how often that one was started.
fn two() -> (Host, Behind) {
    let (behind, lazy) = (Behind::default(), Behind::default());
    let to_plain = source(&server(Revision::NEWEST_MODERN, &behind), &behind);
    let to_lazy = source(&server(Revision::NEWEST_MODERN, &lazy), &lazy);
    let mut entry = ServerEntry::http("lazy", "");
    entry.lazy = Some(true);
    let host = host()
        .reach(move |entry| Some(if entry.lazy == Some(true) { to_lazy() } else { to_plain() }))
        .from_entries([entry, ServerEntry::http("plain", "")]);
    (host, lazy)
}

fn started(lazy: &Behind) -> u32 {
    lazy.connections.load(Ordering::Relaxed)
}

#[tokio::test]
async fn what_concerns_others_does_not_start_it() {
    let echo = json!({ "message": "x" });
    // Each time with a host whose servers nobody has listed yet.
    for what in ["start", "dotted", "listed", "bare", "read", "prompt", "tools of"] {
        let (host, lazy) = two();
        match what {
            "start" => {
                host.start();
                host.settle().await;
                let states: Vec<_> = host.servers().into_iter().map(|one| one.state).collect();
                assert!(matches!(&states[..], [State::Idle, State::Ready(_)]), "{states:?}");
            }
            "dotted" => drop(host.call("plain.echo", &echo).await.unwrap()),
            "listed" => drop(host.call("plain__echo", &echo).await.unwrap()),
            "bare" => drop(host.call("echo", &echo).await.unwrap()),
            "read" => drop(host.read("memo://note").await.unwrap()),
            "prompt" => drop(host.prompt("greet", [("name", "Ada")]).await.unwrap()),
            _ => drop(host.tools_of("plain").await.unwrap()),
        }
        assert_eq!(started(&lazy), 0, "{what}");
        host.close().await;
    }
}

#[tokio::test]
async fn who_asks_for_it_or_for_everything_starts_it() {
    for what in ["call", "tools", "nowhere", "tools of"] {
        let (host, lazy) = two();
        match what {
            "call" => {
                let result = host.call("lazy.echo", json!({ "message": "x" })).await.unwrap();
                assert_eq!(text(&result), "x");
            }
            "tools" => {
                let tools = host.tools().await;
                let echoes = tools.iter().filter(|tool| tool.own == "echo").count();
                assert_eq!(echoes, 2);
            }
            // Only one that is not there yet can have it.
            "nowhere" => {
                let unknown = host.call("nowhere", json!({})).await.unwrap_err();
                assert_eq!(unknown.kind(), ErrorKind::UnknownName);
            }
            _ => drop(host.tools_of("lazy").await.unwrap()),
        }
        assert_eq!(started(&lazy), 1, "{what}");
        host.close().await;
    }
}

#[tokio::test]
async fn a_gateway_starts_it_for_a_list_and_not_for_a_client() {
    for era in ERAS {
        let (host, lazy) = two();
        let gateway = Arc::new(Gateway::new(host));
        let client = connect(&gateway, Way::Memory, client(era).0).await;
        for name in ["plain__echo", "echo"] {
            let result = soon(client.call(name, json!({ "message": "x" }))).await.unwrap();
            assert_eq!(text(&result), "x");
        }
        soon(client.read("memo://note")).await.unwrap();
        assert_eq!(started(&lazy), 0, "{era}");
        let tools = soon(client.tools()).await.unwrap();
        assert!(tools.iter().any(|tool| tool.name == "lazy__echo"), "{era}");
        assert_eq!(started(&lazy), 1, "{era}");
        gateway.close().await;
    }
}
