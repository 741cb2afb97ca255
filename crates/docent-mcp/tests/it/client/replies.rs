//! Answers that are late, double, crossed, broken or too large.

use std::collections::HashSet;
use std::time::Duration;

use docent_mcp::client::{Client, RequestOptions};
use docent_mcp::types::Revision;
use docent_mcp::{ErrorKind, Limits};
use serde_json::{Value, json};

use super::fake::{Fake, connected, connected_within, error, heard, said};
use super::{ERAS, builder};

/// Makes a call, hands it to the server, and returns what became of it.
async fn call(
    client: &Client,
    fake: &mut Fake,
    serve: impl AsyncFnOnce(&mut Fake, Value),
) -> docent_mcp::Result<docent_mcp::types::CallToolResult> {
    let calling = client.call("any", json!({}));
    let serving = async {
        let call = fake.expect("tools/call").await;
        serve(fake, call).await;
    };
    tokio::join!(calling, serving).0
}

async fn still_works(client: &Client, fake: &mut Fake) {
    let result = call(client, fake, async |fake: &mut Fake, call| {
        fake.answer(&call, said("fine")).await;
    });
    assert_eq!(heard(&result.await.unwrap()), "fine");
}

/// Answers that nobody waits for are ignored: to ids that were never used, of another type, `null`,
/// or none at all.
#[tokio::test(start_paused = true)]
async fn answers_to_nobody_are_ignored() {
    for revision in Revision::ALL {
        let (client, mut fake) = connected(revision, builder()).await;
        let result = call(&client, &mut fake, async |fake: &mut Fake, call| {
            let other_type = json!(call["id"].to_string());
            for id in
                [json!(4711), json!(-1), json!(0), json!(""), other_type, json!(null), json!(1.5)]
            {
                fake.answer(&json!({ "id": id }), said("not for you")).await;
                fake.refuse(&json!({ "id": id }), error(-32603)).await;
            }
            fake.send(json!({ "jsonrpc": "2.0", "error": error(-32700) })).await;
            fake.answer(&call, said("for you")).await;
        });
        assert_eq!(heard(&result.await.unwrap()), "for you", "{revision}");
        still_works(&client, &mut fake).await;
    }
}

/// The first answer counts, and a second one, whatever it says, is nobody's.
#[tokio::test(start_paused = true)]
async fn the_first_answer_counts() {
    for revision in ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        let result = call(&client, &mut fake, async |fake: &mut Fake, call| {
            fake.answer(&call, said("first")).await;
            fake.answer(&call, said("second")).await;
            fake.refuse(&call, error(-32603)).await;
        });
        assert_eq!(heard(&result.await.unwrap()), "first");
        still_works(&client, &mut fake).await;
    }
}

/// An answer that is none is an error for the one who waits, at once, and for nobody else.
#[tokio::test(start_paused = true)]
async fn broken_answers_are_errors_at_once() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    let started = tokio::time::Instant::now();
    for broken in [
        json!({ "result": { "content": [] }, "error": { "code": 1, "message": "both" } }),
        json!({ "error": "text" }),
        json!({ "error": { "code": "text", "message": "m" } }),
        json!({ "error": { "code": 1.5, "message": "m" } }),
        json!({ "error": { "message": "no code" } }),
        json!({ "error": null }),
        json!({ "result": null }),
        json!({ "result": 7 }),
    ] {
        let result = call(&client, &mut fake, async |fake: &mut Fake, call| {
            let mut message = json!({ "jsonrpc": "2.0", "id": call["id"] });
            message.as_object_mut().unwrap().extend(broken.as_object().unwrap().clone());
            fake.send(message).await;
        });
        let error = result.await.unwrap_err();
        assert!(!error.is_timeout(), "{broken}: {error}");
        still_works(&client, &mut fake).await;
    }
    assert_eq!(started.elapsed(), Duration::ZERO, "nobody had to wait");
}

/// What the server did not say is not put into its mouth: an answer that is none is of another kind
/// than an error object.
#[tokio::test(start_paused = true)]
async fn broken_answers_are_no_errors_of_the_server() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    let both = json!({ "result": { "content": [] }, "error": error(1) });
    for broken in [both, json!({ "error": "text" }), json!({ "error": { "message": "no code" } })] {
        let result = call(&client, &mut fake, async |fake: &mut Fake, call| {
            let mut message = json!({ "jsonrpc": "2.0", "id": call["id"] });
            message.as_object_mut().unwrap().extend(broken.as_object().unwrap().clone());
            fake.send(message).await;
        });
        let error = result.await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::InvalidResponse, None), "{broken}");
    }
}

/// Lines that are no messages, whatever they are.
fn garbage(call: &Value) -> Vec<String> {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let whole = json!({ "jsonrpc": "2.0", "id": call["id"], "result": said("half") }).to_string();
    let lines =
        ["", "   ", "npm warn deprecated", "{", "null", "7", "{}", "\u{feff}", &deep, &whole[..30]];
    lines.map(str::to_owned).to_vec()
}

/// Lines that are no messages at all do not disturb anybody.
#[tokio::test(start_paused = true)]
async fn garbage_between_messages_is_skipped() {
    for revision in Revision::ALL {
        let (client, mut fake) = connected(revision, builder()).await;
        let result = call(&client, &mut fake, async |fake: &mut Fake, call| {
            for line in garbage(&call) {
                fake.send(line).await;
            }
            fake.answer(&call, said("whole")).await;
        });
        assert_eq!(heard(&result.await.unwrap()), "whole", "{revision}");
    }
}

/// Nor are they answered: a program that prints to its standard output by mistake does not expect
/// that, and a modern client sends no answers at all.
#[tokio::test(start_paused = true)]
async fn garbage_is_not_answered() {
    for revision in Revision::ALL {
        let (_client, mut fake) = connected(revision, builder()).await;
        for line in garbage(&json!({ "id": 1 })) {
            fake.send(&line).await;
            let answer = fake.try_receive().await;
            assert!(answer.is_none(), "{revision} {line:.40}: {answer:?}");
        }
    }
}

/// A server that prints garbage without end and reads nothing is read on, too.
#[tokio::test(start_paused = true)]
async fn much_garbage_is_skipped() {
    let (client, mut fake) = connected(Revision::V2026_07_28, builder()).await;
    let result = call(&client, &mut fake, async |fake: &mut Fake, call| {
        for n in 0..50_000_u32 {
            fake.send(format_args!("log line {n}")).await;
        }
        fake.answer(&call, said("found")).await;
    });
    assert_eq!(heard(&result.await.unwrap()), "found");
}

/// Answers a call with exactly so many bytes.
async fn answer_of(fake: &mut Fake, call: &Value, size: usize) {
    let message = |text: &str| {
        json!({ "jsonrpc": "2.0", "id": call["id"], "result": said(text) }).to_string()
    };
    let filler = "x".repeat(size - message("").len());
    fake.send(message(&filler)).await;
}

/// An answer over the limit ends its call with an error, and is skipped without ending the
/// connection; at the limit it is read.
#[tokio::test(start_paused = true)]
async fn answers_that_are_too_large_are_skipped() {
    for (size, fits) in [(10_000, true), (10_001, false), (1_000_000, false)] {
        let limits = Limits { message_bytes_max: 10_000, ..Limits::default() };
        let (client, mut fake) = connected_within(limits, Revision::V2025_11_25).await;
        let result = call(&client, &mut fake, async |fake: &mut Fake, call| {
            answer_of(fake, &call, size).await;
        });
        assert_eq!(result.await.is_ok(), fits, "{size} bytes");
        // What else the client had to say about it.
        while fake.try_receive().await.is_some() {}
        still_works(&client, &mut fake).await;
    }
}

/// The caller need not wait for the timeout to learn of it.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_too_large_is_an_error_at_once() {
    let limits = Limits { message_bytes_max: 10_000, ..Limits::default() };
    let (client, mut fake) = connected_within(limits, Revision::V2025_11_25).await;
    let result = call(&client, &mut fake, async |fake: &mut Fake, call| {
        answer_of(fake, &call, 10_001).await;
        fake.expect_silence().await;
    });
    assert_eq!(result.await.unwrap_err().kind(), ErrorKind::Limit);
}

/// An answer that is nested too deeply is an error for its call only.
#[tokio::test(start_paused = true)]
async fn answers_that_are_too_deep_are_errors() {
    let (client, mut fake) = connected(Revision::V2026_07_28, builder()).await;
    // Three levels are the message, its result and the list of contents.
    for (levels, fits) in [(64, true), (65, false), (5_000, false)] {
        let result = call(&client, &mut fake, async |fake: &mut Fake, call| {
            let nested = format!("{}{}", "[".repeat(levels - 2), "]".repeat(levels - 2));
            let id = &call["id"];
            fake.send(format_args!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"x":{nested}}}}}"#
            ))
            .await;
        });
        assert_eq!(result.await.is_ok(), fits, "{levels} levels");
        still_works(&client, &mut fake).await;
    }
}

/// A thousand calls that are answered in the opposite order all get their own answer.
#[tokio::test(start_paused = true)]
async fn answers_in_any_order_find_their_calls() {
    for revision in ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        let calls: Vec<_> = (0..1_000)
            .map(|n| {
                let client = client.clone();
                tokio::spawn(async move { client.call("echo", json!({ "n": n })).await })
            })
            .collect();
        let mut open = Vec::new();
        for _ in 0..1_000 {
            open.push(fake.expect("tools/call").await);
        }
        for call in open.iter().rev() {
            fake.answer(call, said(&call["params"]["arguments"]["n"].to_string())).await;
        }
        for (n, call) in calls.into_iter().enumerate() {
            assert_eq!(heard(&call.await.unwrap().unwrap()), n.to_string());
        }
    }
}

/// [BOTH-RPC-03] no id is used twice, however many requests are made by however many tasks, and
/// whether they are answered, refused, cancelled or dropped.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ids_are_never_used_again() {
    for revision in ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let client = client.clone();
                tokio::spawn(async move {
                    for n in 0..500 {
                        let calling = client.call("any", json!({}));
                        match n % 10 {
                            // Given up before the answer, sometimes.
                            0 => drop(tokio::time::timeout(Duration::ZERO, calling).await),
                            _ => drop(calling.await),
                        }
                    }
                })
            })
            .collect();
        let serving = tokio::spawn(async move {
            let mut ids = HashSet::new();
            while let Some(message) = fake.receive().await {
                if message["method"] != "tools/call" {
                    continue;
                }
                assert!(ids.insert(message["id"].to_string()), "{message} has a used id");
                match ids.len() % 3 {
                    0 => fake.refuse(&message, error(-32603)).await,
                    _ => fake.answer(&message, said("yes")).await,
                }
            }
            ids.len()
        });
        for task in tasks {
            task.await.unwrap();
        }
        client.close().await;
        let ids = serving.await.unwrap();
        assert!((3_600..=4_000).contains(&ids), "{ids} requests arrived");
    }
}

/// Requests that wait for an answer are limited, exactly, and the next one is refused at once.
#[tokio::test(start_paused = true)]
async fn waiting_requests_are_limited() {
    let limits = Limits { pending_max: 10, ..Limits::default() };
    let (client, mut fake) = connected_within(limits, Revision::V2026_07_28).await;
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.call("any", json!({})).await })
        })
        .collect();
    let mut open = Vec::new();
    for _ in 0..10 {
        open.push(fake.expect("tools/call").await);
    }
    let error = client.call("one too many", json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.to_string().contains("10"), "{error}");
    fake.expect_silence().await;
    // One that ends makes room for one.
    fake.answer(&open[0], said("yes")).await;
    fake.expect_silence().await;
    still_works(&client, &mut fake).await;
    for call in &open[1..] {
        fake.answer(call, said("yes")).await;
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

/// Progress before, after and without its request is no reason for anything but the report itself.
#[tokio::test(start_paused = true)]
async fn progress_at_the_wrong_time_is_ignored() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let options = RequestOptions::new().on_progress(move |report| {
        let _ = tell.send(report.progress);
    });
    let (called, token) = tokio::join!(client.call_with("any", json!({}), options), async {
        let call = fake.expect("tools/call").await;
        let token = call["params"]["_meta"]["progressToken"].clone();
        for report in [
            json!({ "progressToken": "other", "progress": 1 }),
            json!({ "progressToken": token.to_string(), "progress": 2 }),
            json!({ "progressToken": token }),
            json!({ "progress": 3 }),
            json!({ "progressToken": token, "progress": 4 }),
        ] {
            fake.notify("notifications/progress", report).await;
        }
        fake.answer(&call, said("done")).await;
        token
    });
    called.unwrap();
    fake.notify("notifications/progress", json!({ "progressToken": token, "progress": 5 })).await;
    still_works(&client, &mut fake).await;
    assert_eq!(told.recv().await, Some(4.0));
    assert_eq!(told.recv().await, None, "and nobody is left to report to");
}

/// A flood of notifications around an answer does not keep it from arriving.
#[tokio::test]
async fn a_flood_of_notifications_does_not_block() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    let options = RequestOptions::new().on_progress(|_| {});
    let (called, ()) = tokio::join!(client.call_with("any", json!({}), options), async {
        let call = fake.expect("tools/call").await;
        let token = &call["params"]["_meta"]["progressToken"];
        for n in 0..10_000 {
            fake.notify("notifications/progress", json!({ "progressToken": token, "progress": n }))
                .await;
        }
        fake.answer(&call, said("through")).await;
    });
    assert_eq!(heard(&called.unwrap()), "through");
}

/// In 2025-03-26, and only there, answers may come in a batch.
#[tokio::test(start_paused = true)]
async fn answers_may_come_in_a_batch() {
    for revision in Revision::ALL {
        let (client, mut fake) = connected(revision, builder()).await;
        let options = || RequestOptions::new().timeout(Duration::from_secs(5));
        let (first, second, ()) = tokio::join!(
            client.call_with("any", json!({}), options()),
            client.call_with("any", json!({}), options()),
            async {
                let first = fake.expect("tools/call").await;
                let second = fake.expect("tools/call").await;
                let answer = |call: &Value, text: &str| json!({ "jsonrpc": "2.0", "id": call["id"], "result": said(text) });
                fake.send(json!([answer(&second, "second"), answer(&first, "first")])).await;
            }
        );
        let batches = revision == Revision::V2025_03_26;
        assert_eq!((first.is_ok(), second.is_ok()), (batches, batches), "{revision}");
        if batches {
            assert_eq!((heard(&first.unwrap()), heard(&second.unwrap())), ("first", "second"));
        }
    }
}
