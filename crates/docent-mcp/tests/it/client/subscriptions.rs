//! Changes that are watched.

use std::time::Duration;

use docent_mcp::ErrorKind;
use docent_mcp::client::{Client, ClientBuilder, ServerEvent};
use docent_mcp::types::Revision;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::fake::{Fake, connected, error, heard, said};
use super::{ERAS, builder, with_fixture};

const MODERN: Revision = Revision::V2026_07_28;
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// A client that passes on what it is told.
fn listening() -> (ClientBuilder, UnboundedReceiver<ServerEvent>) {
    let (tell, told) = unbounded_channel();
    (builder().on_event(move |event| drop(tell.send(event))), told)
}

/// Takes a listen request up: all of it, or this part.
async fn acknowledge(fake: &mut Fake, listen: &Value, honored: Option<Value>) {
    let honored = honored.unwrap_or_else(|| listen["params"]["notifications"].clone());
    let meta = json!({ SUBSCRIPTION: listen["id"] });
    fake.notify(
        "notifications/subscriptions/acknowledged",
        json!({ "notifications": honored, "_meta": meta }),
    )
    .await;
}

/// Tells of a change on behalf of a listen request.
async fn updated(fake: &mut Fake, listen: &Value, uri: &str) {
    let params = json!({ "uri": uri, "_meta": { SUBSCRIPTION: listen["id"] } });
    fake.notify("notifications/resources/updated", params).await;
}

/// Subscribes, and returns the listen request that the server took up.
async fn subscribed(client: &Client, fake: &mut Fake, uri: &str) -> Value {
    let (watching, listen) = tokio::join!(client.subscribe(uri), async {
        let listen = fake.expect("subscriptions/listen").await;
        acknowledge(fake, &listen, None).await;
        listen
    });
    watching.unwrap();
    listen
}

/// Changes reach the program in every revision, and stop when they are no longer wanted.
#[tokio::test(start_paused = true)]
async fn changes_are_told_in_every_revision() {
    for revision in Revision::ALL {
        let (builder, mut told) = listening();
        let client = with_fixture(revision, builder).await;
        client.watch_lists().await.unwrap();
        client.subscribe("memo://hello").await.unwrap();
        client.call("touch", json!({})).await.unwrap();
        let event = told.recv().await.unwrap();
        assert!(
            matches!(&event, ServerEvent::ResourceUpdated(uri) if uri == "memo://hello"),
            "{event:?}"
        );
        client.call("add_tool", json!({})).await.unwrap();
        let event = told.recv().await.unwrap();
        assert!(matches!(event, ServerEvent::ToolsChanged), "{event:?}");
        assert!(client.tool("extra").await.unwrap().is_some());

        client.unsubscribe("memo://hello").await.unwrap();
        client.call("touch", json!({})).await.unwrap();
        client.call("echo", json!({ "message": "on" })).await.unwrap();
        assert!(told.try_recv().is_err(), "{revision}");
    }
}

/// [CLI-SUB-02] one listen request holds everything that is watched; a change of that opens another
/// before the one before is ended.
#[tokio::test(start_paused = true)]
async fn what_is_watched_is_one_request() {
    let (client, mut fake) = connected(MODERN, builder()).await;
    let first = subscribed(&client, &mut fake, "memo://a").await;
    assert_eq!(first["params"]["notifications"], json!({ "resourceSubscriptions": ["memo://a"] }));
    assert_eq!(
        first["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28",
        "it is a modern request like any other",
    );
    let (watching, second) = tokio::join!(client.watch_lists(), async {
        let second = fake.expect("subscriptions/listen").await;
        fake.expect_silence().await;
        acknowledge(&mut fake, &second, None).await;
        let cancelled = fake.expect("notifications/cancelled").await;
        assert_eq!(
            cancelled["params"]["requestId"], first["id"],
            "only now that the next one is up"
        );
        second
    });
    watching.unwrap();
    assert_eq!(
        second["params"]["notifications"],
        json!({
            "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
            "resourceSubscriptions": ["memo://a"],
        }),
    );
    let (watching, third) = tokio::join!(client.unsubscribe("memo://a"), async {
        let third = fake.expect("subscriptions/listen").await;
        acknowledge(&mut fake, &third, None).await;
        assert_eq!(
            fake.expect("notifications/cancelled").await["params"]["requestId"],
            second["id"]
        );
        third
    });
    watching.unwrap();
    assert!(third["params"]["notifications"].get("resourceSubscriptions").is_none());
}

/// When nothing is left to watch, the request is ended and none takes its place.
#[tokio::test(start_paused = true)]
async fn nothing_to_watch_is_no_request() {
    let (client, mut fake) = connected(MODERN, builder()).await;
    let listen = subscribed(&client, &mut fake, "memo://a").await;
    client.unsubscribe("memo://a").await.unwrap();
    assert_eq!(fake.expect("notifications/cancelled").await["params"]["requestId"], listen["id"]);
    fake.expect_silence().await;
}

/// [CLI-SUB-02] what the server takes up is held against what was asked for: a resource that it
/// does not watch is an error, and is not asked for again.
#[tokio::test(start_paused = true)]
async fn the_acknowledgment_is_compared() {
    let (client, mut fake) = connected(MODERN, builder()).await;
    let (watching, ()) = tokio::join!(client.subscribe("memo://refused"), async {
        let listen = fake.expect("subscriptions/listen").await;
        acknowledge(&mut fake, &listen, Some(json!({}))).await;
    });
    let error = watching.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("memo://refused"), "{error}");
    let (watching, ()) = tokio::join!(client.subscribe("memo://fine"), async {
        let listen = fake.expect("subscriptions/listen").await;
        assert_eq!(
            listen["params"]["notifications"]["resourceSubscriptions"],
            json!(["memo://fine"])
        );
        acknowledge(&mut fake, &listen, None).await;
        fake.expect("notifications/cancelled").await;
    });
    watching.unwrap();

    // A list that the server says it tells of, and then does not.
    let (watching, ()) = tokio::join!(client.watch_lists(), async {
        let listen = fake.expect("subscriptions/listen").await;
        let honored = json!({ "toolsListChanged": true, "resourcesListChanged": true });
        acknowledge(&mut fake, &listen, Some(honored)).await;
        fake.expect("notifications/cancelled").await;
    });
    assert!(watching.unwrap_err().to_string().contains("prompts"));
    let (watching, ()) =
        tokio::join!(client.watch_extension("com.example/x", json!(["1"])), async {
            let listen = fake.expect("subscriptions/listen").await;
            assert_eq!(listen["params"]["notifications"]["com.example/x"], json!(["1"]));
            acknowledge(&mut fake, &listen, Some(json!({}))).await;
            fake.expect("notifications/cancelled").await;
        });
    assert_eq!(watching.unwrap_err().kind(), ErrorKind::Unsupported);
}

/// [CLI-SUB-02] a server that never promised to tell of a list is not held to it.
#[tokio::test(start_paused = true)]
async fn lists_that_were_never_promised_are_no_error() {
    let (transport, mut fake) = Fake::pair();
    let opening = fake.open_with(MODERN, json!({ "tools": { "listChanged": true } }));
    let (client, _) = tokio::join!(builder().connect(transport), opening);
    let client = client.unwrap();
    let (watching, ()) = tokio::join!(client.watch_lists(), async {
        let listen = fake.expect("subscriptions/listen").await;
        acknowledge(&mut fake, &listen, Some(json!({ "toolsListChanged": true }))).await;
    });
    watching.unwrap();
}

/// [CLI-SUB-02] messages are told apart by the listen request they name: the acknowledgment of
/// another one does not count, and a change for one that was ended is not passed on.
#[tokio::test(start_paused = true)]
async fn messages_are_told_apart_by_their_request() {
    let (builder, mut told) = listening();
    let (client, mut fake) = connected(MODERN, builder).await;
    let first = subscribed(&client, &mut fake, "memo://a").await;
    let (watching, second) = tokio::join!(client.subscribe("memo://b"), async {
        let second = fake.expect("subscriptions/listen").await;
        acknowledge(&mut fake, &first, Some(json!({ "resourceSubscriptions": ["memo://b"] })))
            .await;
        fake.expect_silence().await;
        // Both are open for a moment, and both count.
        updated(&mut fake, &first, "memo://a").await;
        acknowledge(&mut fake, &second, None).await;
        fake.expect("notifications/cancelled").await;
        second
    });
    watching.unwrap();
    updated(&mut fake, &first, "memo://late").await;
    updated(&mut fake, &json!({ "id": "nobody's" }), "memo://foreign").await;
    updated(&mut fake, &second, "memo://b").await;
    for expected in ["memo://a", "memo://b"] {
        let event = told.recv().await.unwrap();
        assert!(
            matches!(&event, ServerEvent::ResourceUpdated(uri) if uri == expected),
            "{event:?}"
        );
    }
    fake.expect_silence().await;
    assert!(told.try_recv().is_err());
}

/// A listen request that the server refuses is that error at once, and what was watched before
/// stays watched.
#[tokio::test(start_paused = true)]
async fn a_refused_subscription_is_an_error() {
    let (builder, mut told) = listening();
    let (client, mut fake) = connected(MODERN, builder).await;
    let listen = subscribed(&client, &mut fake, "memo://a").await;
    for outcome in [Err(error(-32602)), Ok(json!({}))] {
        let (watching, ()) = tokio::join!(client.subscribe("memo://b"), async {
            let refused = fake.expect("subscriptions/listen").await;
            match &outcome {
                Err(error) => fake.refuse(&refused, error.clone()).await,
                Ok(result) => fake.answer(&refused, result.clone()).await,
            }
        });
        let kind = watching.unwrap_err().kind();
        assert!(matches!(kind, ErrorKind::Rpc | ErrorKind::InvalidResponse), "{kind:?}");
    }
    fake.expect_silence().await;
    updated(&mut fake, &listen, "memo://a").await;
    assert!(matches!(told.recv().await.unwrap(), ServerEvent::ResourceUpdated(_)));
}

/// A server that does not answer costs the time of a request, and the request is taken back.
#[tokio::test(start_paused = true)]
async fn an_acknowledgment_that_never_comes_is_a_timeout() {
    let (client, mut fake) = connected(MODERN, builder()).await;
    let (watching, ()) = tokio::join!(client.subscribe("memo://a"), async {
        let listen = fake.expect("subscriptions/listen").await;
        let cancelled = fake.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], listen["id"]);
    });
    assert!(watching.unwrap_err().is_timeout());
}

/// Listening has no time limit.
#[tokio::test(start_paused = true)]
async fn listening_goes_on() {
    let (builder, mut told) = listening();
    let (client, mut fake) = connected(MODERN, builder).await;
    let listen = subscribed(&client, &mut fake, "memo://a").await;
    tokio::time::sleep(Duration::from_secs(30 * 24 * 3600)).await;
    fake.expect_silence().await;
    updated(&mut fake, &listen, "memo://a").await;
    assert!(told.recv().await.is_some());
}

/// [CLI-SUB-02] when the server ends a listen request, by its result or by a cancellation, it is
/// made again.
#[tokio::test(start_paused = true)]
async fn a_request_that_the_server_ends_is_made_again() {
    let (builder, mut told) = listening();
    let (client, mut fake) = connected(MODERN, builder).await;
    let mut listen = subscribed(&client, &mut fake, "memo://a").await;
    for by_result in [true, false] {
        tokio::time::sleep(Duration::from_secs(60)).await;
        match by_result {
            true => fake.answer(&listen, json!({ "_meta": { SUBSCRIPTION: listen["id"] } })).await,
            false => {
                fake.notify("notifications/cancelled", json!({ "requestId": listen["id"] })).await
            }
        }
        let again = fake.expect("subscriptions/listen").await;
        assert_ne!(again["id"], listen["id"]);
        assert_eq!(again["params"]["notifications"], listen["params"]["notifications"]);
        acknowledge(&mut fake, &again, None).await;
        updated(&mut fake, &again, "memo://a").await;
        assert!(matches!(told.recv().await.unwrap(), ServerEvent::ResourceUpdated(_)));
        listen = again;
    }
}

/// But not forever: a server that keeps ending it is left alone, and the program is told.
#[tokio::test(start_paused = true)]
async fn a_server_that_keeps_ending_it_is_left_alone() {
    let (builder, mut told) = listening();
    let (client, mut fake) = connected(MODERN, builder).await;
    let mut listen = subscribed(&client, &mut fake, "memo://a").await;
    let mut attempts = 0;
    let event = loop {
        fake.answer(&listen, json!({})).await;
        tokio::select! {
            event = told.recv() => break event.unwrap(),
            again = fake.expect("subscriptions/listen") => listen = again,
        }
        acknowledge(&mut fake, &listen, None).await;
        attempts += 1;
        assert!(attempts < 20, "this goes on forever");
    };
    assert!(matches!(event, ServerEvent::SubscriptionsEnded), "{event:?}");
    assert_eq!(attempts, 6);
    fake.expect_silence().await;
    let (called, ()) = tokio::join!(client.call("any", json!({})), async {
        let call = fake.expect("tools/call").await;
        fake.answer(&call, said("fine")).await;
    });
    assert_eq!(heard(&called.unwrap()), "fine");
}

/// In a session each resource is subscribed to by itself; one that the server refuses is not
/// remembered.
#[tokio::test(start_paused = true)]
async fn a_session_subscribes_to_each_resource() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    for (method, unsubscribe) in [("resources/subscribe", false), ("resources/unsubscribe", true)] {
        let changing = async {
            match unsubscribe {
                false => client.subscribe("memo://a").await,
                true => client.unsubscribe("memo://a").await,
            }
        };
        let (changed, ()) = tokio::join!(changing, async {
            let request = fake.expect(method).await;
            assert_eq!(request["params"], json!({ "uri": "memo://a" }));
            fake.answer(&request, json!({})).await;
        });
        changed.unwrap();
    }
    let (watching, ()) = tokio::join!(client.subscribe("memo://missing"), async {
        let request = fake.expect("resources/subscribe").await;
        fake.refuse(&request, error(-32002)).await;
    });
    assert!(watching.unwrap_err().is_resource_not_found());
    client.watch_lists().await.unwrap();
    fake.expect_silence().await;
}

/// Closing with many subscriptions open is no different from closing.
#[tokio::test(start_paused = true)]
async fn closing_ends_all_subscriptions() {
    for revision in ERAS {
        let client = with_fixture(revision, builder()).await;
        for n in 0..100 {
            client.subscribe(format!("memo://item/{n}")).await.unwrap();
        }
        client.close().await;
    }
}
