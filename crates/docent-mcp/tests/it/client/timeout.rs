//! Requests that take too long.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use docent_mcp::client::RequestOptions;
use docent_mcp::types::Revision;
use docent_mcp::{Cancel, Limits};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::fake::{Fake, connected, connected_within, heard, said};
use super::{ERAS, builder};

const SECOND: Duration = Duration::from_secs(1);

async fn progress(fake: &mut Fake, call: &Value, progress: u32) {
    let token = &call["params"]["_meta"]["progressToken"];
    fake.notify("notifications/progress", json!({ "progressToken": token, "progress": progress }))
        .await;
}

/// [BOTH-TIME-01] a request that is not answered in time is an error, and the server is told to
/// stop.
#[tokio::test(start_paused = true)]
async fn a_request_times_out_and_is_cancelled() {
    for revision in ERAS {
        for own in [None, Some(7 * SECOND)] {
            let (client, mut fake) = connected(revision, builder()).await;
            let options = own.into_iter().fold(RequestOptions::new(), RequestOptions::timeout);
            let started = Instant::now();
            let (called, ()) = tokio::join!(client.call_with("slow", json!({}), options), async {
                let call = fake.expect("tools/call").await;
                let cancelled = fake.expect("notifications/cancelled").await;
                assert_eq!(cancelled["params"]["requestId"], call["id"]);
                fake.answer(&call, said("late")).await;
            });
            let error = called.unwrap_err();
            assert!(error.is_timeout() && error.to_string().contains("tools/call"), "{error}");
            let patience = own.unwrap_or(Limits::default().request_timeout);
            assert_eq!(started.elapsed().as_secs(), patience.as_secs());
            // The late answer finds nobody, and the connection is fine.
            let (called, ()) = tokio::join!(client.call("quick", json!({})), async {
                let call = fake.expect("tools/call").await;
                fake.answer(&call, said("in time")).await;
            });
            assert_eq!(heard(&called.unwrap()), "in time");
        }
    }
}

/// [BOTH-TIME-01] progress starts the clock anew, as often as it comes.
#[tokio::test(start_paused = true)]
async fn progress_extends_the_time() {
    let (client, mut fake) = connected(Revision::V2026_07_28, builder()).await;
    let reports = Arc::new(AtomicUsize::new(0));
    let counted = reports.clone();
    let options = RequestOptions::new().timeout(10 * SECOND).on_progress(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let (called, ()) = tokio::join!(client.call_with("slow", json!({}), options), async {
        let call = fake.expect("tools/call").await;
        for n in 1..=5 {
            tokio::time::sleep(9 * SECOND).await;
            progress(&mut fake, &call, n).await;
        }
        tokio::time::sleep(9 * SECOND).await;
        fake.answer(&call, said("after 54 seconds")).await;
    });
    assert_eq!(heard(&called.unwrap()), "after 54 seconds");
    assert_eq!(reports.load(Ordering::Relaxed), 5);
}

/// [BOTH-TIME-01] but not beyond the hard limit.
#[tokio::test(start_paused = true)]
async fn progress_does_not_extend_it_forever() {
    let limits = Limits { request_timeout_max: 60 * SECOND, ..Limits::default() };
    let (client, mut fake) = connected_within(limits, Revision::V2025_11_25).await;
    let options = RequestOptions::new().timeout(10 * SECOND).on_progress(|_| {});
    let started = Instant::now();
    let (called, reports) = tokio::join!(client.call_with("slow", json!({}), options), async {
        let call = fake.expect("tools/call").await;
        let mut reports = 0;
        loop {
            tokio::select! {
                cancelled = fake.receive() => {
                    assert_eq!(cancelled.unwrap()["method"], "notifications/cancelled");
                    return reports;
                }
                () = tokio::time::sleep(9 * SECOND) => {}
            }
            reports += 1;
            progress(&mut fake, &call, reports).await;
        }
    });
    assert!(called.unwrap_err().is_timeout());
    assert_eq!((reports, started.elapsed().as_secs()), (6, 60));
}

/// [BOTH-TIME-01] progress of another request does not help.
#[tokio::test(start_paused = true)]
async fn progress_of_one_request_does_not_extend_another() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    let call = |timeout| {
        let options = RequestOptions::new().timeout(timeout).on_progress(|_| {});
        client.call_with("slow", json!({}), options)
    };
    let (first, second, ()) = tokio::join!(call(10 * SECOND), call(10 * SECOND), async {
        let first = fake.expect("tools/call").await;
        let second = fake.expect("tools/call").await;
        tokio::time::sleep(6 * SECOND).await;
        progress(&mut fake, &second, 1).await;
        let cancelled = fake.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], first["id"]);
        fake.answer(&second, said("helped")).await;
    });
    assert!(first.unwrap_err().is_timeout());
    assert_eq!(heard(&second.unwrap()), "helped");
}

/// [CLI-PROG-02] requests that are open at the same time have different progress tokens, and each
/// report goes to its own.
#[tokio::test(start_paused = true)]
async fn every_open_request_has_a_token_of_its_own() {
    for revision in ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        let seen: Vec<_> = (0..50).map(|_| Arc::new(AtomicUsize::new(0))).collect();
        let calls: Vec<_> = seen
            .iter()
            .map(|seen| {
                let (client, seen) = (client.clone(), seen.clone());
                let options = RequestOptions::new().on_progress(move |report| {
                    seen.fetch_add(report.progress as usize, Ordering::Relaxed);
                });
                tokio::spawn(async move { client.call_with("slow", json!({}), options).await })
            })
            .collect();
        let mut open = Vec::new();
        for n in 1..=50_u32 {
            let call = fake.expect("tools/call").await;
            let token = call["params"]["_meta"]["progressToken"].clone();
            assert!(token.is_string() || token.is_i64(), "{call}");
            assert!(!open.iter().any(|(known, _, _)| *known == token), "{token} is used twice");
            open.push((token, call, n));
        }
        for (_, call, n) in open.iter().rev() {
            progress(&mut fake, call, *n).await;
        }
        for (_, call, _) in &open {
            fake.answer(call, said("done")).await;
        }
        for call in calls {
            call.await.unwrap().unwrap();
        }
        let seen: Vec<_> = seen.iter().map(|seen| seen.load(Ordering::Relaxed)).collect();
        assert_eq!(seen, (1..=50).collect::<Vec<_>>());
    }
}

/// [CLI-PROG-02] without somebody to report to there is no token.
#[tokio::test(start_paused = true)]
async fn progress_is_asked_for_only_when_it_is_wanted() {
    let (client, mut fake) = connected(Revision::V2026_07_28, builder()).await;
    let (called, ()) = tokio::join!(client.call("any", json!({})), async {
        let call = fake.expect("tools/call").await;
        assert!(call["params"]["_meta"].get("progressToken").is_none(), "{call}");
        fake.answer(&call, said("done")).await;
    });
    called.unwrap();
}

/// [BOTH-TIME-01] progress that nobody asked for extends nothing.
#[tokio::test(start_paused = true)]
async fn unwanted_progress_does_not_extend_the_time() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    let options = RequestOptions::new().timeout(10 * SECOND);
    let started = Instant::now();
    let (called, ()) = tokio::join!(client.call_with("slow", json!({}), options), async {
        let call = fake.expect("tools/call").await;
        tokio::time::sleep(9 * SECOND).await;
        let report = json!({ "progressToken": call["id"], "progress": 1 });
        fake.notify("notifications/progress", report).await;
        fake.expect("notifications/cancelled").await;
    });
    assert!(called.unwrap_err().is_timeout());
    assert_eq!(started.elapsed().as_secs(), 10);
}

/// [BOTH-TIME-01] a server that does not even read costs the same time, however much waits to be
/// written.
#[tokio::test(start_paused = true)]
async fn requests_that_cannot_be_written_time_out() {
    let limits = Limits { outbox_bytes_max: 1_000, ..Limits::default() };
    let (client, _fake) = connected_within(limits, Revision::V2026_07_28).await;
    for _ in 0..3 {
        let options = RequestOptions::new().timeout(10 * SECOND);
        let calling = client.call_with("any", json!({ "text": "x".repeat(1 << 20) }), options);
        let called = tokio::time::timeout(60 * SECOND, calling).await.expect("it ends");
        assert!(called.unwrap_err().is_timeout());
    }
    let cancel = Cancel::new();
    let options = RequestOptions::new().cancel(cancel.clone());
    let (called, ()) = tokio::join!(client.call_with("any", json!({}), options), async {
        tokio::time::sleep(SECOND).await;
        cancel.cancel(None);
    });
    assert!(called.unwrap_err().is_cancelled());
}
