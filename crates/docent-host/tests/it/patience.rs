//! How long a call may take, and who says so.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use docent_host::config::ServerEntry;
use docent_host::{Gateway, Host, HostLimits};
use docent_mcp::client::{Called, Client, RequestOptions};
use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::{Context, Extension};
use docent_mcp::transport::BoxFuture;
use docent_mcp::types::{CompletionReference, JsonObject, Revision, method};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fixture::{Behind, Way, connect, host, server, source};
use crate::instead::Instead;

const THING: &str = "com.example/thing";

/// An extension whose one method is never answered.
struct Thing;

impl Extension for Thing {
    fn id(&self) -> &str {
        THING
    }

    fn methods(&self) -> &[&str] {
        &["thing/do"]
    }

    fn call(
        &self,
        _: Context,
        _: &str,
        _: Option<RawJson>,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        Box::pin(std::future::pending())
    }
}

/// A host of one server that answers nothing but lists, and makes tasks that nobody hears of again.
fn silent(call_timeout: Option<Duration>) -> Host {
    let behind = Behind::default();
    let silence = Instead::silence(|call| match &*call.method {
        method::TOOLS_CALL => {
            let params: Option<Value> =
                call.params.as_ref().and_then(|params| params.decode().ok());
            params.is_none_or(|params| params["name"] != "task")
        }
        method::RESOURCES_READ
        | method::PROMPTS_GET
        | method::COMPLETION_COMPLETE
        | method::TASKS_GET => true,
        _ => false,
    });
    let one = server(Revision::NEWEST_MODERN, &behind).extension(Thing).layer(silence);
    let limits = HostLimits { call_timeout: DEFAULT, ..HostLimits::default() };
    let mut entry = ServerEntry::http("one", "");
    entry.call_timeout = call_timeout;
    let reach = source(&one, &behind);
    host().limits(limits).reach(move |_| Some(reach())).from_entries([entry])
}

const DEFAULT: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_secs(3);
const LONG: Duration = Duration::from_secs(7200);

/// Something fails after so long, and not before.
async fn check<T, E>(what: &str, expected: Duration, asking: impl Future<Output = Result<T, E>>) {
    let begun = Instant::now();
    assert!(asking.await.is_err(), "{what}");
    let took = begun.elapsed();
    let late = took.saturating_sub(expected);
    assert!(took >= expected && late < Duration::from_secs(1), "{what}: {took:?}, {expected:?}");
}

#[tokio::test(start_paused = true)]
async fn an_entry_says_how_long_its_calls_take() {
    for (said, expected) in [(None, DEFAULT), (Some(SHORT), SHORT), (Some(LONG), LONG)] {
        let host = silent(said);
        host.tools().await;
        check("call", expected, host.call("one.echo", json!({ "message": "x" }))).await;
        check("read", expected, host.read("memo://note")).await;
        check("prompt", expected, host.prompt("one.greet", [("name", "Ada")])).await;
        let reference = CompletionReference::prompt("one.greet");
        let completing = host.complete(reference, "name", "A", BTreeMap::new());
        check("complete", expected, completing).await;
        // Who calls knows better still.
        let options = RequestOptions::new().timeout(Duration::from_secs(1));
        let calling = host.call_with("one.echo", json!({ "message": "x" }), options);
        check("call with a time", Duration::from_secs(1), calling).await;
        host.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn behind_a_gateway_as_well() {
    for (said, expected) in [(None, DEFAULT), (Some(SHORT), SHORT), (Some(LONG), LONG)] {
        let gateway = Arc::new(Gateway::new(silent(said)));
        let builder = Client::builder("test", "1.0")
            .revisions([Revision::NEWEST_MODERN])
            .tasks()
            .extension(THING, JsonObject::new());
        let client = connect(&gateway, Way::Memory, builder).await;
        let Called::Task(task) = client.call_task("one__task", json!({})).await.unwrap() else {
            panic!("no task");
        };
        for (method, params) in [
            (method::TOOLS_CALL, json!({ "name": "one__echo", "arguments": { "message": "x" } })),
            (method::RESOURCES_READ, json!({ "uri": "memo://note" })),
            (method::PROMPTS_GET, json!({ "name": "one__greet", "arguments": { "name": "x" } })),
            (
                method::COMPLETION_COMPLETE,
                json!({
                    "ref": { "type": "ref/prompt", "name": "one__greet" },
                    "argument": { "name": "name", "value": "A" },
                }),
            ),
            (method::TASKS_GET, json!({ "taskId": task.id() })),
            ("thing/do", json!({})),
        ] {
            let params: JsonObject = serde_json::from_value(params).unwrap();
            let patient = RequestOptions::new().timeout(2 * LONG);
            check(method, expected, client.request(method, params, patient)).await;
        }
        gateway.close().await;
    }
}
