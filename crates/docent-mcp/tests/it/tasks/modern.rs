//! 2026-07-28: the extension `io.modelcontextprotocol/tasks`.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Line, answer, declared, named, server, undeclared};

/// A modern request that declares the extension.
async fn request(line: &mut Line, method: &str, mut params: Value) -> Value {
    params["_meta"] = declared();
    answer(line, 1, method, params).await.0
}

async fn call(line: &mut Line, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    request(line, "tools/call", params).await["result"].clone()
}

/// Calls a tool and returns the name of its task.
async fn begin(line: &mut Line, tool: &str, arguments: Value) -> String {
    let made = call(line, tool, arguments).await;
    assert_eq!(made["resultType"], "task", "{made}");
    made["taskId"].as_str().unwrap().to_owned()
}

async fn get(line: &mut Line, id: &str) -> Value {
    let got = request(line, "tasks/get", json!({ "taskId": id })).await;
    got.get("result").unwrap_or(&got).clone()
}

/// Looks at a task until it has this status.
async fn until(line: &mut Line, id: &str, status: &str) -> Value {
    for _ in 0..1000 {
        let task = get(line, id).await;
        if task["status"] == status {
            return task;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("the task is not {status}: {}", get(line, id).await);
}

fn is_iso_8601(time: &Value) -> bool {
    let time = time.as_str().unwrap_or_default();
    time.len() == 24 && time.as_bytes()[10] == b'T' && time.ends_with('Z')
}

/// [SRV-TASKX-06] a call becomes a flat task that can be looked at as soon as it is known.
#[tokio::test(start_paused = true)]
async fn a_call_becomes_a_task() {
    let mut line = Line::default(server());
    let made = call(&mut line, "compute", json!({ "seconds": 60 })).await;
    let mut keys: Vec<_> = made.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expected = [
        "_meta",
        "createdAt",
        "lastUpdatedAt",
        "pollIntervalMs",
        "resultType",
        "status",
        "taskId",
        "ttlMs",
    ];
    assert_eq!(keys, expected);
    assert_eq!((&made["resultType"], &made["status"]), (&json!("task"), &json!("working")));
    assert_eq!((&made["ttlMs"], &made["pollIntervalMs"]), (&json!(3_600_000), &json!(1000)));
    assert!(is_iso_8601(&made["createdAt"]) && is_iso_8601(&made["lastUpdatedAt"]), "{made}");
    let id = made["taskId"].as_str().unwrap();
    assert!(id.len() >= 22, "128 bits or more: {id}");

    let task = until(&mut line, id, "working").await;
    assert_eq!((&task["resultType"], &task["taskId"]), (&json!("complete"), &json!(id)));
    assert!(task.get("result").is_none() && task.get("inputRequests").is_none());
    // There is no progress in a task, so its message is the status.
    assert_eq!(task["statusMessage"], "computing");
}

/// [SRV-TASKX-07] what a task came to is in the task: results, also of tools that failed, and
/// errors of the protocol; nothing of what a panic said.
#[tokio::test(start_paused = true)]
async fn what_a_task_came_to() {
    let mut line = Line::default(server());
    for (tool, arguments, status, expected) in [
        (
            "compute",
            json!({ "seconds": 60 }),
            "completed",
            json!({ "content": [{ "type": "text", "text": "computed, a task: true" }] }),
        ),
        (
            "fail",
            json!({}),
            "completed",
            json!({ "content": [{ "type": "text", "text": "it failed" }], "isError": true }),
        ),
        ("break", json!({}), "failed", json!({ "code": -32603, "message": "it broke" })),
        (
            "panic",
            json!({}),
            "failed",
            json!({ "code": -32603, "message": "the handler of this task failed unexpectedly" }),
        ),
    ] {
        let id = begin(&mut line, tool, arguments).await;
        let task = until(&mut line, &id, status).await;
        assert_eq!(task["resultType"], "complete");
        let (has, has_not) =
            if status == "failed" { ("error", "result") } else { ("result", "error") };
        assert_eq!((&task[has], task.get(has_not)), (&expected, None), "{tool}");
        for gone in ["ttl", "pollInterval", "requestState", "inputRequests"] {
            assert!(task.get(gone).is_none(), "{gone}");
        }
    }
}

/// [SRV-TASKX-05] no task for a request that does not declare the extension, whatever was declared
/// before: the call runs within its request, or, if it cannot, is refused.
#[tokio::test(start_paused = true)]
async fn undeclared_requests() {
    let mut line = Line::default(server());
    let id = begin(&mut line, "compute", json!({ "seconds": 60 })).await;
    for (method, params, code) in [
        ("tools/call", json!({ "name": "fail" }), -32021),
        ("tools/call", json!({ "name": "ask_then_work" }), -32021),
        ("tasks/get", json!({ "taskId": id }), -32021),
        ("tasks/update", json!({ "taskId": id, "inputResponses": {} }), -32021),
        ("tasks/cancel", json!({ "taskId": id }), -32021),
        ("subscriptions/listen", json!({ "notifications": { "taskIds": [id] } }), -32021),
        ("tasks/list", json!({}), -32601),
        ("tasks/result", json!({ "taskId": id }), -32601),
    ] {
        let mut params = params;
        params["_meta"] = undeclared();
        let error = line.request(2, method, params.clone()).await["error"].clone();
        assert_eq!(error["code"], code, "{method} {params}");
        if code == -32021 {
            let required = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
            assert_eq!(error["data"]["requiredCapabilities"], required);
        }
    }
    let params = json!({ "name": "compute", "arguments": { "seconds": 1 }, "_meta": undeclared() });
    let result = line.request(3, "tools/call", params).await["result"].clone();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["content"][0]["text"], "computed, a task: false");
}

/// [SRV-TASKX-05] the extension is advertised when a tool can be a task, and the capability of
/// 2025-11-25 never; what that called `task` is ignored.
#[tokio::test]
async fn what_is_advertised() {
    let mut line = Line::default(server());
    let discovered = request(&mut line, "server/discover", json!({})).await["result"].clone();
    let extensions = json!({ "io.modelcontextprotocol/tasks": {} });
    assert_eq!(discovered["capabilities"]["extensions"], extensions);
    assert!(discovered["capabilities"].get("tasks").is_none());
    let listed = request(&mut line, "tools/list", json!({})).await["result"].clone();
    assert!(listed["tools"].as_array().unwrap().iter().all(|tool| tool.get("execution").is_none()));
    let params = json!({ "name": "greet", "arguments": { "name": "Ada" }, "task": { "ttl": 5 } });
    let greeted = request(&mut line, "tools/call", params).await["result"].clone();
    assert_eq!(greeted["resultType"], "complete");

    let mut line = Line::default(crate::fixture::server());
    let discovered = request(&mut line, "server/discover", json!({})).await["result"].clone();
    assert!(discovered["capabilities"].get("extensions").is_none());
    let unknown = request(&mut line, "tasks/get", json!({ "taskId": "x" })).await;
    assert_eq!(unknown["error"]["code"], -32601);
}

/// [SRV-TASKX-08] acknowledgments say nothing else, cancelling is the same before and after the
/// end, what has ended stays as it is, and unknown names are refused.
#[tokio::test(start_paused = true)]
async fn cancelling() {
    let mut line = Line::default(server());
    let id = begin(&mut line, "compute", json!({ "seconds": 60 })).await;
    for _ in 0..2 {
        let mut ack =
            request(&mut line, "tasks/cancel", json!({ "taskId": id })).await["result"].clone();
        ack.as_object_mut().unwrap().remove("_meta");
        assert_eq!(ack, json!({ "resultType": "complete" }));
        assert_eq!(get(&mut line, &id).await["status"], "cancelled");
    }
    tokio::time::sleep(Duration::from_secs(120)).await;
    let task = get(&mut line, &id).await;
    assert_eq!((&task["status"], task.get("result")), (&json!("cancelled"), None));

    let id = begin(&mut line, "fail", json!({})).await;
    until(&mut line, &id, "completed").await;
    request(&mut line, "tasks/cancel", json!({ "taskId": id })).await;
    assert_eq!(get(&mut line, &id).await["status"], "completed");
    let late = json!({ "taskId": id, "inputResponses": { "any": named("late") } });
    assert!(request(&mut line, "tasks/update", late).await["result"].is_object());
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json!({ "taskId": "unknown", "inputResponses": {} });
        assert_eq!(request(&mut line, method, params).await["error"]["code"], -32602, "{method}");
    }
}

/// [SRV-TASKX-09] questions stand in the task until they are answered, each on its own, and a key
/// is never used twice.
#[tokio::test(start_paused = true)]
async fn questions() {
    let mut line = Line::default(server());
    let id = begin(&mut line, "ask_two", json!({})).await;
    let task = until(&mut line, &id, "input_required").await;
    let asked = task["inputRequests"].as_object().unwrap();
    let keys: Vec<_> = asked.keys().cloned().collect();
    assert_eq!(keys, ["elicitation-create-1", "elicitation-create-2"]);
    assert_eq!(asked[&keys[0]]["method"], "elicitation/create");
    assert_eq!(asked[&keys[0]]["params"]["message"], "First?");

    let update = |responses: Value| json!({ "taskId": id, "inputResponses": responses });
    let wrong = request(&mut line, "tasks/update", update(json!({ &keys[0]: 7 }))).await;
    assert_eq!(wrong["error"]["code"], -32602);
    let first = update(json!({ "unknown-key": { "ignored": true }, &keys[0]: named("Ada") }));
    request(&mut line, "tasks/update", first).await;
    let task = get(&mut line, &id).await;
    assert_eq!(task["status"], "input_required");
    assert_eq!(task["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), [&keys[1]]);
    // An answer counts once.
    let rest = json!({ &keys[0]: named("Eve"), &keys[1]: named("Bob") });
    request(&mut line, "tasks/update", update(rest)).await;
    let task = until(&mut line, &id, "completed").await;
    assert_eq!(task["result"]["content"][0]["text"], "Ada and Bob");

    let id = begin(&mut line, "ask_again", json!({})).await;
    for (key, name) in [("again", "Ada"), ("again-2", "Bob")] {
        let task = until(&mut line, &id, "input_required").await;
        assert_eq!(task["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), [key]);
        let params = json!({ "taskId": id, "inputResponses": { key: named(name) } });
        request(&mut line, "tasks/update", params).await;
    }
    let task = until(&mut line, &id, "completed").await;
    assert_eq!(task["result"]["content"][0]["text"], "Ada and Bob");
}

/// [SRV-TASKX-09] what is asked before a call detaches itself is part of the request; what is asked
/// later is the task's. Nothing of the one is in the other.
#[tokio::test(start_paused = true)]
async fn rounds_then_a_task() {
    let mut line = Line::default(server());
    let asked = call(&mut line, "ask_then_work", json!({})).await;
    assert_eq!(asked["resultType"], "input_required");
    assert!(asked.get("taskId").is_none());
    let params = json!({
        "name": "ask_then_work", "arguments": {}, "requestState": asked["requestState"],
        "inputResponses": { "user_name": named("Ada") },
    });
    let made = request(&mut line, "tools/call", params).await["result"].clone();
    assert_eq!(made["resultType"], "task");
    assert!(made.get("requestState").is_none() && made.get("inputRequests").is_none());
    let id = made["taskId"].as_str().unwrap().to_owned();
    assert_eq!(until(&mut line, &id, "working").await["statusMessage"], "working");
    let task = until(&mut line, &id, "input_required").await;
    assert_eq!(task["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["pet"]);
    let params = json!({ "taskId": id, "inputResponses": { "pet": named("Rex") } });
    request(&mut line, "tasks/update", params).await;
    let task = until(&mut line, &id, "completed").await;
    assert_eq!(task["result"]["content"][0]["text"], "Ada, Rex, a task: true");
}

/// A task is told of on listen requests that name it, with everything that is known of it.
#[tokio::test(start_paused = true)]
async fn changes_are_told() {
    let mut line = Line::default(server());
    let id = begin(&mut line, "ask", json!({})).await;
    until(&mut line, &id, "input_required").await;
    let filter = json!({ "taskIds": [id, "unknown"] });
    let params = json!({ "notifications": filter, "_meta": declared() });
    let acknowledged = line.request("L", "subscriptions/listen", params).await;
    assert_eq!(acknowledged["params"]["notifications"], json!({ "taskIds": [id] }));
    let params = json!({ "taskId": id, "inputResponses": { "user_name": named("Ada") }, "_meta": declared() });
    let (_, mut told) = answer(&mut line, 2, "tasks/update", params).await;
    while told.len() < 2 {
        told.push(line.receive().await);
    }
    let status = |told: &Value| told["params"]["status"].clone();
    assert_eq!(told.iter().map(status).collect::<Vec<_>>(), ["working", "completed"]);
    for told in &told {
        assert_eq!(
            (&told["method"], &told["params"]["taskId"]),
            (&json!("notifications/tasks"), &json!(id))
        );
        assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "L");
        assert!(told["params"].get("resultType").is_none());
    }
    assert_eq!(told[1]["params"]["result"]["content"][0]["text"], "Ada");
}

/// [SRV-TASKX-08] a task belongs to the server, not to the connection that began it, and is of one
/// era only.
#[tokio::test(start_paused = true)]
async fn another_connection() {
    let server = server();
    let id = {
        let mut line = Line::default(server.clone());
        let id = begin(&mut line, "compute", json!({ "seconds": 5 })).await;
        line.end().await;
        line.serving.await.unwrap().unwrap();
        id
    };
    let mut line = Line::default(server.clone());
    until(&mut line, &id, "completed").await;
    let mut line = Line::default(server).open("2025-11-25").await;
    let unknown = line.request(1, "tasks/get", json!({ "taskId": id })).await;
    assert_eq!(unknown["error"]["code"], -32602);
}
