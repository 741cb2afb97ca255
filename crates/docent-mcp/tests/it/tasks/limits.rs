//! Bounds: how many tasks, how long, how large.

use std::time::Duration;

use docent_mcp::Limits;
use serde_json::{Value, json};

use super::{Line, answer, declared, server};

async fn call(line: &mut Line, tool: &str, seconds: u64) -> Value {
    let params = json!({ "name": tool, "arguments": { "seconds": seconds }, "_meta": declared() });
    answer(line, 1, "tools/call", params).await.0
}

async fn get(line: &mut Line, id: &Value) -> Value {
    answer(line, 2, "tasks/get", json!({ "taskId": id, "_meta": declared() })).await.0
}

/// A task is there until its time is up, whether it is over or not; then nothing of it is left, and
/// its handler is stopped.
#[tokio::test(start_paused = true)]
async fn time_to_live() {
    let limits = Limits { task_ttl: Duration::from_secs(100), ..Limits::default() };
    let mut line = Line::new(server(), &limits);
    for seconds in [1, 1000] {
        let made = call(&mut line, "compute", seconds).await["result"].clone();
        assert_eq!(made["ttlMs"], 100_000);
        tokio::time::sleep(Duration::from_secs(99)).await;
        assert!(get(&mut line, &made["taskId"]).await["result"].is_object());
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(get(&mut line, &made["taskId"]).await["error"]["code"], -32602);
    }
}

/// [BOTH-TASK-04] a client may ask for another time, up to a limit.
#[tokio::test(start_paused = true)]
async fn time_that_the_client_wants() {
    let limits = Limits { task_ttl_max: Duration::from_secs(50), ..Limits::default() };
    let mut line = Line::new(server(), &limits).open("2025-11-25").await;
    for (wanted, given) in [
        (json!({ "ttl": 20_000 }), 20_000),
        (json!({ "ttl": 60_000 }), 50_000),
        (json!({ "ttl": null }), 50_000),
        (json!({}), 50_000),
    ] {
        let params = json!({ "name": "compute", "arguments": { "seconds": 1 }, "task": wanted });
        let (made, _) = answer(&mut line, 1, "tools/call", params).await;
        assert_eq!(made["result"]["task"]["ttl"], given, "{wanted}");
    }
}

/// As many tasks as the limit says, in all and for one principal. One more waits for its result
/// like any call, or is refused if it cannot; when one expires there is room again.
#[tokio::test(start_paused = true)]
async fn number_of_tasks() {
    for limits in [
        Limits { tasks_max: 2, ..Limits::default() },
        Limits { tasks_per_principal_max: 2, ..Limits::default() },
    ] {
        let mut line = Line::new(server(), &limits);
        for _ in 0..2 {
            assert_eq!(call(&mut line, "compute", 1).await["result"]["resultType"], "task");
        }
        let waited = call(&mut line, "compute", 1).await["result"].clone();
        assert_eq!(waited["content"][0]["text"], "computed, a task: false");
        let refused =
            answer(&mut line, 1, "tools/call", json!({ "name": "fail", "_meta": declared() }));
        assert_eq!(refused.await.0["error"]["code"], -32603);
        tokio::time::sleep(limits.task_ttl).await;
        assert_eq!(call(&mut line, "compute", 1).await["result"]["resultType"], "task");
    }
}

/// A result that is too large to keep is an error.
#[tokio::test(start_paused = true)]
async fn size_of_results() {
    let text = r#"{"content":[{"type":"text","text":"computed, a task: true"}]}"#;
    for (max, status) in [(text.len(), "completed"), (text.len() - 1, "failed")] {
        let limits = Limits { task_result_bytes_max: max, ..Limits::default() };
        let mut line = Line::new(server(), &limits);
        let made = call(&mut line, "compute", 1).await["result"].clone();
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(get(&mut line, &made["taskId"]).await["result"]["status"], status);
    }
}
