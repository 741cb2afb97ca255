//! Notifications beyond the protocol between sides of which one is a session: nothing is declared
//! there but experiments, so whose they are follows from whose connection they come by.

use std::sync::{Arc, Mutex};

use docent_host::{Gateway, GatewayBuilder};
use docent_mcp::Server;
use docent_mcp::client::{Client, ServerEvent};
use docent_mcp::server::{Context, ToolError};
use docent_mcp::types::{JsonObject, Revision};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::fixture::{Behind, ERAS, Way, client, connect, host, soon, source, text};

const STEP: &str = "notifications/com.example/step";
const POKE: &str = "notifications/com.example/poke";

/// What a server hears, and when it goes on.
#[derive(Clone, Default)]
struct Inside {
    heard: Arc<Mutex<Vec<Value>>>,
    later: Arc<Notify>,
}

fn word(word: &str) -> JsonObject {
    JsonObject::from_iter([("word".to_owned(), json!(word))])
}

/// Tells of a step beside a call, and of another one when the call is long over.
fn experimental(name: &str, revision: Revision, inside: &Inside) -> Server {
    let (heard, later) = (inside.heard.clone(), inside.later.clone());
    Server::new(name, "1.0")
        .revisions([revision])
        .experimental("steps", JsonObject::new())
        .tool("step", "Tells of steps", move |ctx: Context, (): ()| {
            let later = later.clone();
            async move {
                ctx.notify(STEP, word("beside")).await?;
                let session = ctx.beyond();
                tokio::spawn(async move {
                    later.notified().await;
                    session.notify(STEP, word("later")).await
                });
                Ok::<_, ToolError>("told")
            }
        })
        .on_notification(move |method, params, _| {
            if method == POKE {
                let said = params.and_then(|params| params.decode().ok()).unwrap_or_default();
                heard.lock().unwrap().push(said);
            }
        })
}

fn before(revision: Revision, inside: &Inside) -> GatewayBuilder {
    let server = experimental("one", revision, inside);
    let way = source(&server, &Behind::default());
    Gateway::builder(host().connector("one", way).from_entries([]))
}

/// A client that can be asked, so that connections of its own lead to servers in sessions.
async fn connected(
    gateway: &Arc<Gateway>,
    way: Way,
    revision: Revision,
) -> (Client, mpsc::UnboundedReceiver<ServerEvent>) {
    let (builder, events) = client(revision);
    let builder = builder.extension("com.example/steps", JsonObject::new());
    (connect(gateway, way, builder).await, events)
}

/// The word of the next notification that is not of the protocol.
async fn next_word(events: &mut mpsc::UnboundedReceiver<ServerEvent>) -> Value {
    let other = |event: &ServerEvent| matches!(event, ServerEvent::Other { .. });
    match crate::fixture::event(events, other).await {
        ServerEvent::Other { method, params: Some(params) } => {
            assert_eq!(method, STEP);
            params.decode::<Value>().unwrap()["word"].clone()
        }
        event => panic!("{event:?}"),
    }
}

#[tokio::test]
async fn what_a_server_tells_beside_a_call_reaches_its_caller() {
    for (client_era, server_era) in [(ERAS[0], ERAS[0]), (ERAS[0], ERAS[1]), (ERAS[1], ERAS[0])] {
        for way in [Way::Memory, Way::Http] {
            let gateway = Arc::new(before(server_era, &Inside::default()).build());
            let (caller, mut told) = connected(&gateway, way, client_era).await;
            let (_other, mut other) = connected(&gateway, way, client_era).await;
            let result = soon(caller.call("one__step", json!({}))).await.unwrap();
            let which = format!("{client_era} {server_era} {way:?}");
            assert_eq!(text(&result), "told", "{which}");
            assert_eq!(next_word(&mut told).await, "beside", "{which}");
            other.close();
            while let Some(event) = other.recv().await {
                assert!(!matches!(event, ServerEvent::Other { .. }), "{which}: {event:?}");
            }
            gateway.close().await;
        }
    }
}

#[tokio::test]
async fn what_a_server_tells_between_calls_reaches_the_session_it_is_for() {
    for way in [Way::Memory, Way::Http] {
        let inside = Inside::default();
        let gateway = Arc::new(before(Revision::NEWEST_LEGACY, &inside).build());
        let (caller, mut told) = connected(&gateway, way, Revision::NEWEST_LEGACY).await;
        soon(caller.call("one__step", json!({}))).await.unwrap();
        assert_eq!(next_word(&mut told).await, "beside", "{way:?}");
        inside.later.notify_one();
        assert_eq!(next_word(&mut told).await, "later", "{way:?}");
        gateway.close().await;
    }
}

#[tokio::test]
async fn what_a_session_tells_reaches_the_one_server_that_may_know_it() {
    for way in [Way::Memory, Way::Http] {
        let inside = Inside::default();
        let gateway = Arc::new(before(Revision::NEWEST_LEGACY, &inside).build());
        let (client, _told) = connected(&gateway, way, Revision::NEWEST_LEGACY).await;
        // Its own connection to the server is there once it has called something.
        soon(client.call("one__step", json!({}))).await.unwrap();
        soon(client.notify(POKE, Some(word("hello")))).await.unwrap();
        soon(async {
            while inside.heard.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
        })
        .await;
        assert_eq!(*inside.heard.lock().unwrap(), [json!({ "word": "hello" })], "{way:?}");
        gateway.close().await;
    }
}

#[tokio::test]
async fn what_several_servers_may_be_meant_by_reaches_none() {
    let (behind, inside) = (Behind::default(), Inside::default());
    let mut builder = host();
    for name in ["one", "two"] {
        let server = experimental(name, Revision::NEWEST_LEGACY, &inside);
        builder = builder.connector(name, source(&server, &behind));
    }
    let gateway = Arc::new(Gateway::new(builder.from_entries([])));
    let (client, _told) = connected(&gateway, Way::Memory, Revision::NEWEST_LEGACY).await;
    for name in ["one__step", "two__step"] {
        soon(client.call(name, json!({}))).await.unwrap();
    }
    soon(client.notify(POKE, Some(word("hello")))).await.unwrap();
    // Comes after it on the same connections.
    for name in ["one__step", "two__step"] {
        soon(client.call(name, json!({}))).await.unwrap();
    }
    assert!(inside.heard.lock().unwrap().is_empty());
    gateway.close().await;
}
