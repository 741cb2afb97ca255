//! The client's side of tasks, in both eras.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_mcp::client::{Called, Client, ClientBuilder, ClientTask, RequestOptions, ServerEvent};
use docent_mcp::transport::memory;
use docent_mcp::types::{ElicitResult, Revision, TaskStatus};
use docent_mcp::{Cancel, ErrorKind};
use serde_json::json;

use super::server;

const ERAS: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

/// A client that answers forms, and how many it has answered.
fn builder() -> (ClientBuilder, Arc<AtomicU32>) {
    let asked = Arc::new(AtomicU32::new(0));
    let count = asked.clone();
    let builder = Client::builder("test", "1").tasks().on_elicit_form(move |_| {
        let n = count.fetch_add(1, Ordering::Relaxed) + 1;
        async move {
            tokio::time::sleep(Duration::from_secs(10)).await;
            let content = serde_json::from_value(json!({ "name": format!("name {n}") }));
            Ok(ElicitResult::accept(content.expect("an object")))
        }
    });
    (builder, asked)
}

async fn connect(revision: Revision, builder: ClientBuilder) -> Client {
    let (near, far) = memory();
    tokio::spawn(server().serve(far));
    builder.revisions([revision]).connect(near).await.unwrap()
}

fn task(called: Called) -> ClientTask {
    match called {
        Called::Task(task) => task,
        Called::Done(result) => panic!("no task: {result:?}"),
    }
}

/// [CLI-TASKX-10] a call is a call, whether the server makes a task of it or not; questions are
/// answered once each.
#[tokio::test(start_paused = true)]
async fn calling_a_tool_that_becomes_a_task() {
    for revision in ERAS {
        let (builder, asked) = builder();
        let client = connect(revision, builder).await;
        client.tools().await.unwrap();
        let result = client.call("compute", json!({ "seconds": 50 })).await.unwrap();
        let is_task = revision.is_modern();
        assert_eq!(result.content[0].as_text(), Some(&*format!("computed, a task: {is_task}")));
        assert_eq!(client.call("fail", ()).await.unwrap().is_error, Some(true));
        let broken = client.call("break", ()).await.unwrap_err();
        assert_eq!(broken.code(), Some(-32603), "{broken}");
        let result = client.call("ask_then_work", ()).await.unwrap();
        assert_eq!(result.content[0].as_text(), Some("name 1, name 2, a task: true"));
        let both = client.call("ask_two", ()).await.unwrap();
        assert_eq!(both.content[0].as_text(), Some("name 3 and name 4"));
        assert_eq!(asked.load(Ordering::Relaxed), 4, "{revision}");
    }
}

/// A client without the extension gets results only.
#[tokio::test(start_paused = true)]
async fn a_client_that_takes_no_tasks() {
    let client = connect(Revision::V2026_07_28, Client::builder("test", "1")).await;
    let result = client.call("compute", json!({ "seconds": 1 })).await.unwrap();
    assert_eq!(result.content[0].as_text(), Some("computed, a task: false"));
    assert_eq!(client.call("fail", ()).await.unwrap_err().code(), Some(-32021));
    let called = client.call_task("compute", json!({ "seconds": 1 })).await.unwrap();
    assert!(matches!(called, Called::Done(_)));
}

/// A task in hand: looked at, waited for, found again by its name.
#[tokio::test(start_paused = true)]
async fn a_task_in_hand() {
    for revision in ERAS {
        let client = connect(revision, builder().0).await;
        let called = client.call_task("compute", json!({ "seconds": 100 })).await.unwrap();
        let running = task(called);
        assert_eq!(running.status().await.unwrap().status, TaskStatus::Working);
        let found = client.task(running.id());
        drop(running);
        let result = found.wait().await.unwrap();
        assert_eq!(result.content[0].as_text(), Some("computed, a task: true"));
        assert_eq!(found.status().await.unwrap().status, TaskStatus::Completed);
        // Once more: the result is still there.
        assert!(found.wait().await.is_ok());
        let greeted = client.call_task("greet", json!({ "name": "Ada" })).await.unwrap();
        assert!(matches!(greeted, Called::Done(_)), "{revision}");
        assert!(client.task("unknown").status().await.unwrap_err().is_invalid_params());
    }
}

/// A task that is stopped is an error for whoever waits for it.
#[tokio::test(start_paused = true)]
async fn stopping_a_task() {
    for revision in ERAS {
        let client = connect(revision, builder().0).await;
        let running = task(client.call_task("compute", json!({ "seconds": 100 })).await.unwrap());
        running.cancel().await.unwrap();
        assert_eq!(running.status().await.unwrap().status, TaskStatus::Cancelled);
        assert_eq!(running.wait().await.unwrap_err().kind(), ErrorKind::Cancelled);
    }
}

/// Who gives up a call gives up its task: by a timeout, by cancelling, by dropping the call.
#[tokio::test(start_paused = true)]
async fn giving_up_a_call_stops_its_task() {
    for how in ["timeout", "cancel", "drop"] {
        let told = Arc::new(Mutex::new(Vec::new()));
        let events = told.clone();
        let builder = builder().0.on_event(move |event| {
            if let ServerEvent::Other { method, params: Some(params) } = event {
                let params: serde_json::Value = params.decode().unwrap();
                let status = params["status"].as_str().unwrap_or_default().to_owned();
                events.lock().unwrap().push((method, status));
            }
        });
        let client = connect(Revision::V2025_11_25, builder).await;
        client.tools().await.unwrap();
        let cancel = Cancel::new();
        let mut options = RequestOptions::new().cancel(cancel.clone());
        if how == "timeout" {
            options = options.timeout(Duration::from_secs(30));
        }
        let call = client.call_with("ask_then_work", (), options);
        match how {
            "timeout" => assert!(call.await.unwrap_err().is_timeout()),
            "cancel" => {
                let later = async {
                    tokio::time::sleep(Duration::from_secs(30)).await;
                    cancel.cancel(None);
                };
                assert!(tokio::join!(call, later).0.unwrap_err().is_cancelled());
            }
            _ => assert!(tokio::time::timeout(Duration::from_secs(30), call).await.is_err()),
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
        let last = told.lock().unwrap().last().cloned();
        let expected = ("notifications/tasks/status".to_owned(), "cancelled".to_owned());
        assert_eq!(last, Some(expected), "{how}");
    }
}

/// [CLI-TASKX-10] the client looks as often as the server wants; when it listens, it hears of a
/// change at once.
#[tokio::test(start_paused = true)]
async fn the_pace_of_looking() {
    for listening in [false, true] {
        let limits = docent_mcp::Limits {
            task_poll_interval: Duration::from_secs(40),
            ..Default::default()
        };
        let (near, far) = memory();
        tokio::spawn(server().limits(limits).serve(far));
        let client = builder().0.connect(near).await.unwrap();
        let running = task(client.call_task("compute", json!({ "seconds": 50 })).await.unwrap());
        if listening {
            running.listen().await.unwrap();
        }
        let before = tokio::time::Instant::now();
        running.wait().await.unwrap();
        let waited = before.elapsed().as_secs();
        assert_eq!(waited, if listening { 50 } else { 80 });
    }
}
