//! Ends of requests that the caller wants.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use docent_mcp::Cancel;
use docent_mcp::client::RequestOptions;
use docent_mcp::types::{CreateMessageResult, Revision};
use serde_json::{Value, json};

use super::fake::{Fake, connected, heard, said};
use super::{ERAS, builder, with_fixture};

/// The notification that takes a request back.
fn cancelled(request: &Value) -> Value {
    json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": request["id"], "reason": "…" },
    })
}

/// [CLI-CANC-03] dropping a request's future tells the server, by notification, in either era.
#[tokio::test(start_paused = true)]
async fn dropping_a_request_cancels_it() {
    for revision in Revision::ALL {
        let (client, mut fake) = connected(revision, builder()).await;
        let calling = tokio::spawn({
            let client = client.clone();
            async move { client.call("slow", json!({})).await }
        });
        let call = fake.expect("tools/call").await;
        calling.abort();
        fake.expect_like(cancelled(&call)).await;
        fake.expect_silence().await;
    }
}

/// [CLI-CANC-03] a token does the same, and the caller gets an error that says so.
#[tokio::test(start_paused = true)]
async fn a_token_cancels_the_request() {
    for revision in ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        let cancel = Cancel::new();
        let options = RequestOptions::new().cancel(cancel.clone());
        let (called, ()) = tokio::join!(client.call_with("slow", json!({}), options), async {
            let call = fake.expect("tools/call").await;
            cancel.cancel(None);
            fake.expect_like(cancelled(&call)).await;
        });
        assert!(called.unwrap_err().is_cancelled());
    }
}

/// A token that was used already keeps a request from being made at all.
#[tokio::test(start_paused = true)]
async fn a_used_token_sends_nothing() {
    let (client, mut fake) = connected(Revision::V2026_07_28, builder()).await;
    let cancel = Cancel::new();
    cancel.cancel(None);
    let options = RequestOptions::new().cancel(cancel);
    assert!(client.call_with("any", json!({}), options).await.unwrap_err().is_cancelled());
    fake.expect_silence().await;
}

/// [BOTH-CANC-01] only what is in flight is cancelled: a request that was answered, and a token
/// that is used afterwards, are no reason to say anything.
#[tokio::test(start_paused = true)]
async fn nothing_is_cancelled_after_the_answer() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    let cancel = Cancel::new();
    let options = RequestOptions::new().cancel(cancel.clone());
    let (called, ()) = tokio::join!(client.call_with("any", json!({}), options), async {
        let call = fake.expect("tools/call").await;
        fake.answer(&call, said("done")).await;
    });
    called.unwrap();
    cancel.cancel(None);
    fake.expect_silence().await;
}

/// [BOTH-CANC-01] what the server says about requests that are not its own, or no longer there, is
/// ignored: the two sides count for themselves, so the same id means something else on each.
#[tokio::test(start_paused = true)]
async fn cancellations_that_are_late_or_foreign_are_ignored() {
    for revision in Revision::ALL {
        let (client, mut fake) = connected(revision, builder()).await;
        let (called, ()) = tokio::join!(client.call("any", json!({})), async {
            let call = fake.expect("tools/call").await;
            if !revision.is_modern() {
                // Answered at once, so that the cancellation behind it is late.
                assert_eq!(
                    fake.ask(call["id"].clone(), "ping", json!({})).await["result"],
                    json!({})
                );
            }
            for id in [call["id"].clone(), json!(4711), json!("no such"), json!(null)] {
                fake.notify("notifications/cancelled", json!({ "requestId": id })).await;
            }
            fake.notify("notifications/cancelled", json!({})).await;
            fake.expect_silence().await;
            fake.answer(&call, said("still here")).await;
        });
        assert_eq!(heard(&called.unwrap()), "still here", "{revision}");
    }
}

/// [BOTH-CANC-04] an answer that comes after all is ignored, and so is progress.
#[tokio::test(start_paused = true)]
async fn what_comes_after_a_cancellation_is_ignored() {
    for revision in ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        let reports = Arc::new(AtomicUsize::new(0));
        let counted = reports.clone();
        let cancel = Cancel::new();
        let options = RequestOptions::new().cancel(cancel.clone()).on_progress(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let (called, call) = tokio::join!(client.call_with("slow", json!({}), options), async {
            let call = fake.expect("tools/call").await;
            cancel.cancel(Some("changed my mind".into()));
            fake.expect_like(cancelled(&call)).await;
            call
        });
        assert!(called.unwrap_err().is_cancelled());
        let token = &call["params"]["_meta"]["progressToken"];
        fake.notify("notifications/progress", json!({ "progressToken": token, "progress": 1 }))
            .await;
        fake.answer(&call, said("late")).await;
        fake.refuse(&call, json!({ "code": -32603, "message": "later" })).await;
        let (called, ()) = tokio::join!(client.call("next", json!({})), async {
            let call = fake.expect("tools/call").await;
            fake.answer(&call, said("fine")).await;
        });
        assert_eq!(heard(&called.unwrap()), "fine");
        assert_eq!(reports.load(Ordering::Relaxed), 0);
    }
}

/// [BOTH-CANC-04] a server that takes its own request back gets no answer, and the handler that was
/// at it is dropped.
#[tokio::test(start_paused = true)]
async fn a_server_can_take_its_request_back() {
    struct Dropped(Arc<AtomicBool>);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let noted = dropped.clone();
    let builder = builder().on_sample(move |_| {
        let guard = Dropped(noted.clone());
        async move {
            std::future::pending::<()>().await;
            drop(guard);
            Ok(CreateMessageResult::default())
        }
    });
    let (_client, mut fake) = connected(Revision::V2025_11_25, builder).await;
    fake.send(json!({
        "jsonrpc": "2.0", "id": "s", "method": "sampling/createMessage",
        "params": { "messages": [], "maxTokens": 1 },
    }))
    .await;
    fake.expect_silence().await;
    assert!(!dropped.load(Ordering::Acquire));
    fake.notify("notifications/cancelled", json!({ "requestId": "s", "reason": "enough" })).await;
    fake.expect_silence().await;
    assert!(dropped.load(Ordering::Acquire));
    assert_eq!(fake.ask("s", "ping", json!({})).await["result"], json!({}), "the id is free again");
}

/// A handler of the real server hears of it, too, and the connection works on.
#[tokio::test(start_paused = true)]
async fn the_server_stops_when_the_client_loses_interest() {
    for revision in Revision::ALL {
        let client = with_fixture(revision, builder()).await;
        for _ in 0..100 {
            let calling = client.call("slow", json!({ "ms": 60_000_000 }));
            let _ = tokio::time::timeout(std::time::Duration::from_millis(1), calling).await;
        }
        assert_eq!(heard(&client.call("echo", json!({ "message": "on" })).await.unwrap()), "on");
    }
}

/// Calls and cancellations in any order of events, by the thousands: every call ends in exactly
/// one way and the connection survives.
#[tokio::test]
async fn races_of_answers_and_cancellations_end_well() {
    for revision in ERAS {
        let client = with_fixture(revision, builder()).await;
        let mut answered = 0;
        for n in 0..2_000_u32 {
            let cancel = Cancel::new();
            let options = RequestOptions::new().cancel(cancel.clone());
            let racing = {
                let client = client.clone();
                async move {
                    let message = json!({ "message": n.to_string() });
                    let calling = client.call_with("echo", message, options);
                    let cancelling = async {
                        for _ in 0..n % 23 {
                            tokio::task::yield_now().await;
                        }
                        cancel.cancel(None);
                    };
                    tokio::join!(calling, cancelling).0
                }
            };
            // A task like those of the connection, so that they take turns.
            let called = tokio::spawn(racing).await.unwrap();
            match called {
                Ok(result) => {
                    assert_eq!(heard(&result), n.to_string());
                    answered += 1;
                }
                Err(error) => assert!(error.is_cancelled(), "{error}"),
            }
        }
        assert!((1..2_000).contains(&answered), "{answered} of 2000 were answered");
        assert_eq!(heard(&client.call("echo", json!({ "message": "on" })).await.unwrap()), "on");
    }
}

/// Cancelling before the request left the queue leaves nothing behind either.
#[tokio::test(start_paused = true)]
async fn a_request_that_was_never_polled_is_never_sent() {
    let (transport, mut fake) = Fake::pair();
    let (client, _) = tokio::join!(builder().connect(transport), fake.open(Revision::V2026_07_28));
    let client = client.unwrap();
    drop(client.call("any", json!({})));
    fake.expect_silence().await;
}
