//! 2025-11-25: the experimental tasks.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Line, answer, named, server};

async fn open() -> Line {
    Line::default(server()).open("2025-11-25").await
}

/// Calls a tool as a task and returns the task's name.
async fn begin(line: &mut Line, tool: &str, arguments: Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments, "task": {} });
    let (made, _) = answer(line, 1, "tools/call", params).await;
    made["result"]["task"]["taskId"].as_str().expect("a task").to_owned()
}

async fn request(line: &mut Line, method: &str, id: &str) -> Value {
    answer(line, 2, method, json!({ "taskId": id })).await.0
}

/// [BOTH-TASK-01] what is declared, and what is refused: a task of a tool that is none, a call of a
/// tool that is only a task.
#[tokio::test(start_paused = true)]
async fn which_calls_are_tasks() {
    let mut line = Line::default(server());
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    let (opened, _) = answer(&mut line, 1, "initialize", params).await;
    let tasks = json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
    assert_eq!(opened["result"]["capabilities"]["tasks"], tasks);
    assert!(opened["result"]["capabilities"].get("extensions").is_none());
    let (listed, _) = answer(&mut line, 1, "tools/list", json!({})).await;
    let support = |tool: &Value| tool["execution"]["taskSupport"].clone();
    let supports: Vec<_> =
        listed["result"]["tools"].as_array().unwrap().iter().map(support).collect();
    assert_eq!(supports[..3], [Value::Null, json!("optional"), json!("required")]);

    for (params, expected) in [
        (json!({ "name": "greet", "arguments": { "name": "A" }, "task": {} }), Err(-32601)),
        (json!({ "name": "fail" }), Err(-32601)),
        (json!({ "name": "compute", "arguments": { "seconds": "x" }, "task": {} }), Err(-32602)),
        (json!({ "name": "compute", "arguments": { "seconds": 0 } }), Ok("content")),
        (json!({ "name": "compute", "arguments": { "seconds": 0 }, "task": {} }), Ok("task")),
        (json!({ "name": "ask_then_work", "task": { "ttl": 5 } }), Ok("task")),
    ] {
        let (got, _) = answer(&mut line, 2, "tools/call", params.clone()).await;
        match expected {
            Ok(field) => assert!(got["result"].get(field).is_some(), "{params} {got}"),
            Err(code) => assert_eq!(got["error"]["code"], code, "{params} {got}"),
        }
    }
    let (unknown, _) = answer(&mut line, 3, "tasks/update", json!({ "taskId": "x" })).await;
    assert_eq!(unknown["error"]["code"], -32601);
}

/// [BOTH-TASK-01] a session whose revision has no tasks gets none, and a server without tools that
/// can be tasks says nothing of them.
#[tokio::test(start_paused = true)]
async fn sessions_without_tasks() {
    let mut line = Line::default(server()).open("2025-06-18").await;
    let params = json!({ "name": "compute", "arguments": { "seconds": 0 }, "task": {} });
    let (got, _) = answer(&mut line, 1, "tools/call", params).await;
    assert!(got["result"].get("content").is_some(), "{got}");
    assert_eq!(request(&mut line, "tasks/get", "x").await["error"]["code"], -32601);
    let mut line = Line::default(crate::fixture::server()).open("2025-11-25").await;
    assert_eq!(request(&mut line, "tasks/get", "x").await["error"]["code"], -32601);
}

/// [BOTH-TASK-02] [BOTH-TASK-03] a task begins at work; its result is waited for, and is what the
/// call would have returned, with the name of the task; a tool that failed is a task that failed.
#[tokio::test(start_paused = true)]
async fn results_are_waited_for() {
    let mut line = open().await;
    let params = json!({
        "name": "compute", "arguments": { "seconds": 60 }, "task": { "ttl": 120_000 },
        "_meta": { "progressToken": "p" },
    });
    let (made, _) = answer(&mut line, 1, "tools/call", params).await;
    let task = made["result"]["task"].clone();
    let mut keys: Vec<_> = task.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["createdAt", "lastUpdatedAt", "pollInterval", "status", "taskId", "ttl"]);
    assert_eq!((&task["status"], &task["ttl"]), (&json!("working"), &json!(120_000)));
    let id = task["taskId"].as_str().unwrap();
    let (got, before) = answer(&mut line, 2, "tasks/result", json!({ "taskId": id })).await;
    assert_eq!(got["result"]["content"][0]["text"], "computed, a task: true");
    let related = json!({ "taskId": id });
    assert_eq!(got["result"]["_meta"]["io.modelcontextprotocol/related-task"], related);
    let methods: Vec<_> = before.iter().map(|told| told["method"].as_str().unwrap()).collect();
    let progress = "notifications/progress";
    assert_eq!(methods, [progress, progress, "notifications/tasks/status"]);
    assert_eq!(before[2]["params"]["status"], "completed");
    assert_eq!(request(&mut line, "tasks/get", id).await["result"]["status"], "completed");

    let id = begin(&mut line, "fail", json!({})).await;
    assert_eq!(request(&mut line, "tasks/result", &id).await["result"]["isError"], true);
    assert_eq!(request(&mut line, "tasks/get", &id).await["result"]["status"], "failed");
    let id = begin(&mut line, "break", json!({})).await;
    let error = json!({ "code": -32603, "message": "it broke" });
    assert_eq!(request(&mut line, "tasks/result", &id).await["error"], error);
    assert_eq!(request(&mut line, "tasks/get", &id).await["result"]["status"], "failed");
}

/// [BOTH-TASK-03] what a task asks comes as requests that name it, while its result is waited for;
/// if that is given up, the question waits for the next one.
#[tokio::test(start_paused = true)]
async fn questions_come_while_the_result_is_waited_for() {
    let mut line = open().await;
    let id = begin(&mut line, "ask", json!({})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(request(&mut line, "tasks/get", &id).await["result"]["status"], "input_required");

    let wait = |n: u32| json!({ "jsonrpc": "2.0", "id": n, "method": "tasks/result", "params": { "taskId": id } });
    line.send(wait(10)).await;
    let asked = line.receive().await;
    assert_eq!(
        (&asked["method"], &asked["params"]["message"]),
        (&json!("elicitation/create"), &json!("Who are you?"))
    );
    let related = &asked["params"]["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(*related, json!({ "taskId": id }));
    line.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 10 } })).await;
    let taken_back = line.receive().await;
    assert_eq!(
        (&taken_back["method"], &taken_back["params"]["requestId"]),
        (&json!("notifications/cancelled"), &asked["id"])
    );
    assert_eq!(request(&mut line, "tasks/get", &id).await["result"]["status"], "input_required");

    line.send(wait(11)).await;
    let asked = line.receive().await;
    line.send(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": named("Ada") })).await;
    loop {
        let message = line.receive().await;
        if message["id"] == 11 {
            assert_eq!(message["result"]["content"][0]["text"], "Ada");
            break;
        }
    }
}

/// [BOTH-TASK-04] a task is stopped once; tasks are listed by page, and only those of the session.
#[tokio::test(start_paused = true)]
async fn cancelling_and_listing() {
    let limits = docent_mcp::Limits { page_entries_max: 2, ..Default::default() };
    let server = server();
    let mut line = Line::new(server.clone(), &limits).open("2025-11-25").await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(begin(&mut line, "compute", json!({ "seconds": 600 })).await);
    }
    let stopped = request(&mut line, "tasks/cancel", &ids[1]).await;
    assert_eq!(stopped["result"]["status"], "cancelled");
    assert_eq!(request(&mut line, "tasks/cancel", &ids[1]).await["error"]["code"], -32602);
    assert_eq!(request(&mut line, "tasks/result", &ids[1]).await["error"]["code"], -32602);
    assert_eq!(request(&mut line, "tasks/cancel", "unknown").await["error"]["code"], -32602);

    let (first, _) = answer(&mut line, 3, "tasks/list", json!({})).await;
    let cursor = &first["result"]["nextCursor"];
    let (second, _) = answer(&mut line, 4, "tasks/list", json!({ "cursor": cursor })).await;
    let listed = |page: &Value| -> Vec<String> {
        let tasks = page["result"]["tasks"].as_array().unwrap().iter();
        tasks.map(|task| task["taskId"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!([listed(&first), listed(&second)].concat(), ids);
    assert!(second["result"].get("nextCursor").is_none());
    let (bad, _) = answer(&mut line, 5, "tasks/list", json!({ "cursor": "bad" })).await;
    assert_eq!(bad["error"]["code"], -32602);

    let mut other = Line::new(server, &limits).open("2025-11-25").await;
    let (others, _) = answer(&mut other, 1, "tasks/list", json!({})).await;
    assert_eq!(others["result"]["tasks"], json!([]));
}
