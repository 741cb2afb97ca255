//! Whose a task is: over HTTP, where callers are told apart.

use bytes::Bytes;
use docent_mcp::transport::http::{HttpOptions, HttpService, Principal};
use http::Request;
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};

use super::{declared, server};

async fn ask(service: &HttpService, principal: &str, method: &str, mut params: Value) -> Value {
    params["_meta"] = declared();
    let name = params.get("taskId").or(params.get("name")).and_then(Value::as_str);
    let mut request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method)
        .header("mcp-name", name.expect("every request here names something"));
    if !principal.is_empty() {
        request = request.extension(Principal::new(principal));
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let body = Full::new(Bytes::from(body.to_string()));
    let answer = service.answer(request.body(body).unwrap()).await;
    let answer = answer.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&answer).expect("one JSON message")
}

/// [BOTH-TASK-04] [SRV-TASKX-08] a task is its principal's: for everybody else, and for nobody,
/// there is none of that name, and nothing they do reaches it. It outlives the request that began
/// it, whose connection is long over.
#[tokio::test(start_paused = true)]
async fn a_task_is_its_principals() {
    let service = server().http_service(HttpOptions::new()).unwrap();
    let call = json!({ "name": "ask", "arguments": {} });
    let made = ask(&service, "ada", "tools/call", call).await["result"].clone();
    assert_eq!(made["resultType"], "task", "{made}");
    let id = &made["taskId"];
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let answers = json!({ "user_name": super::named("Eve") });
    for stranger in ["eve", ""] {
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let params = json!({ "taskId": id, "inputResponses": answers });
            let refused = ask(&service, stranger, method, params).await;
            assert_eq!(refused["error"]["code"], -32602, "{stranger:?} {method}");
        }
    }
    let params = json!({ "taskId": id });
    let task = ask(&service, "ada", "tasks/get", params.clone()).await["result"].clone();
    assert_eq!(task["status"], "input_required");
    let answers = json!({ "user_name": super::named("Ada") });
    let update = json!({ "taskId": id, "inputResponses": answers });
    ask(&service, "ada", "tasks/update", update).await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let task = ask(&service, "ada", "tasks/get", params).await["result"].clone();
    assert_eq!(task["result"]["content"][0]["text"], "Ada");
}

/// Each principal has as many tasks as the limit says, whatever the others have.
#[tokio::test(start_paused = true)]
async fn each_principal_has_its_own_number_of_tasks() {
    let limits = docent_mcp::Limits { tasks_per_principal_max: 1, ..Default::default() };
    let service = server().limits(limits).http_service(HttpOptions::new()).unwrap();
    for (principal, expected) in [("ada", "task"), ("eve", "task"), ("ada", "complete")] {
        let call = json!({ "name": "compute", "arguments": { "seconds": 1 } });
        let made = ask(&service, principal, "tools/call", call).await;
        assert_eq!(made["result"]["resultType"], expected, "{principal} {made}");
    }
}
