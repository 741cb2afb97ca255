//! Tool arguments that headers repeat.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use docent_mcp::types::Revision;
use serde_json::{Value, json};

use super::web::{Reply, Seen, Web};
use super::{builder, connect, content, endpoint, initialized, modern};

fn listed(tools: Value) -> Value {
    json!({ "resultType": "complete", "tools": tools, "ttlMs": 60_000, "cacheScope": "private" })
}

fn tool(name: &str, properties: Value) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object", "properties": properties } })
}

fn params_of(seen: &Seen) -> Vec<(String, String)> {
    let mut params: Vec<_> = seen
        .headers
        .iter()
        .filter_map(|(name, value)| {
            Some((name.strip_prefix("mcp-param-")?.to_owned(), value.clone()))
        })
        .collect();
    params.sort();
    params
}

/// [CLI-HTTP-12] arguments that a schema marks go along as headers, encoded where need be.
#[tokio::test]
async fn marked_arguments_are_repeated() {
    let web = Web::start(|seen| match seen.method() {
        "tools/list" => Reply::result(
            seen,
            listed(json!([tool(
                "t",
                json!({
                    "region": { "type": "string", "x-mcp-header": "Region" },
                    "count": { "type": "integer", "x-mcp-header": "Count" },
                    "dry": { "type": ["boolean", "null"], "x-mcp-header": "Method" },
                    "plain": { "type": "string" },
                    "deep": { "type": "object", "properties": {
                        "er": { "type": "string", "x-mcp-header": "Deep-Er" } } },
                })
            )])),
        ),
        _ => modern(seen),
    })
    .await;
    let client = connect(&web).await.unwrap();
    client.tools().await.unwrap();
    for (arguments, expected) in [
        (json!({}), vec![]),
        (
            json!({ "region": "eu west", "count": -42, "dry": true, "plain": "x" }),
            vec![("count", "-42"), ("method", "true"), ("region", "eu west")],
        ),
        (json!({ "region": "", "dry": false }), vec![("method", "false"), ("region", "")]),
        (json!({ "region": " x", "dry": null }), vec![("region", "=?base64?IHg=?=")]),
        (json!({ "region": "a\tb" }), vec![("region", "=?base64?YQli?=")]),
        (
            json!({ "region": "a\r\nMcp-Name: b" }),
            vec![("region", "=?base64?YQ0KTWNwLU5hbWU6IGI=?=")],
        ),
        (json!({ "deep": { "er": "é" } }), vec![("deep-er", "=?base64?w6k=?=")]),
        (json!({ "region": ["no scalar"], "deep": 3 }), vec![]),
    ] {
        client.call("t", arguments.clone()).await.unwrap();
        let seen = web.seen_of("tools/call").pop().unwrap();
        let expected: Vec<_> =
            expected.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        assert_eq!(params_of(&seen), expected, "{arguments}");
        assert_eq!(seen.body["params"]["arguments"], arguments, "the body stays as it is");
    }
    client.call("another", json!({ "region": "x" })).await.unwrap();
    assert_eq!(params_of(&web.seen_of("tools/call").pop().unwrap()), []);
}

/// [CLI-HTTP-12] a tool that asks for headers that there cannot be is dropped, and no other one.
#[tokio::test]
async fn tools_that_break_the_rules_are_dropped() {
    let bad = json!([
        tool("empty", json!({ "a": { "type": "string", "x-mcp-header": "" } })),
        tool("no token", json!({ "a": { "type": "string", "x-mcp-header": "a b" } })),
        tool("no string", json!({ "a": { "type": "string", "x-mcp-header": 7 } })),
        tool("number", json!({ "a": { "type": "number", "x-mcp-header": "A" } })),
        tool("object", json!({ "a": { "type": "object", "x-mcp-header": "A" } })),
        tool("untyped", json!({ "a": { "x-mcp-header": "A" } })),
        tool(
            "twice",
            json!({ "a": { "type": "string", "x-mcp-header": "X" },
            "b": { "type": "string", "x-mcp-header": "x" } })
        ),
        tool(
            "in an array",
            json!({ "a": { "type": "array",
            "items": { "type": "string", "x-mcp-header": "A" } } })
        ),
        tool("good", json!({ "a": { "type": "string", "x-mcp-header": "A" } })),
    ]);
    let modern_bad = bad.clone();
    let web = Web::start(move |seen| match seen.method() {
        "tools/list" => Reply::result(seen, listed(modern_bad.clone())),
        _ => modern(seen),
    })
    .await;
    let tools = connect(&web).await.unwrap().tools().await.unwrap();
    assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["good"]);

    // A session knows nothing of this.
    let web = Web::start(move |seen| match seen.method() {
        "initialize" => Reply::result(seen, initialized("2025-11-25")),
        "tools/list" => Reply::result(seen, json!({ "tools": bad })),
        _ => Reply::status(405),
    })
    .await;
    let client =
        builder().revisions([Revision::V2025_11_25]).connect(endpoint(&web)).await.unwrap();
    assert_eq!(client.tools().await.unwrap().len(), 9);
}

/// [CLI-HTTP-12] when headers contradict the server's idea of a tool, the tools are listed anew
/// and the call is made again, once.
#[tokio::test]
async fn a_mismatch_leads_to_a_new_list() {
    let fixed = AtomicBool::new(true);
    let calls = AtomicU32::new(0);
    let web = Web::start(move |seen| match seen.method() {
        "tools/list" => {
            let region = json!({ "region": { "type": "string", "x-mcp-header": "Region" } });
            Reply::result(seen, listed(json!([tool("t", region)])))
        }
        "tools/call" if seen.body["params"]["name"] == "never" => {
            calls.fetch_add(1, Ordering::SeqCst);
            Reply::error(seen, 400, -32020, Value::Null)
        }
        "tools/call" => match seen.header("mcp-param-region") {
            Some("eu") => Reply::result(seen, content("fine")),
            _ if fixed.load(Ordering::SeqCst) => Reply::error(seen, 400, -32020, Value::Null),
            _ => panic!("not reached"),
        },
        _ => modern(seen),
    })
    .await;
    let client = connect(&web).await.unwrap();
    // Never listed, so nobody knew of the header.
    client.call("t", json!({ "region": "eu" })).await.unwrap();
    assert_eq!(web.methods(), ["server/discover", "tools/call", "tools/list", "tools/call"]);
    client.call("t", json!({ "region": "eu" })).await.unwrap();
    assert_eq!(web.seen_of("tools/list").len(), 1, "now it is known");
    let error = client.call("never", json!({})).await.unwrap_err();
    assert_eq!(error.code(), Some(-32020));
    assert_eq!(web.seen_of("tools/list").len(), 2, "the fresh list in the cache does not count");
    assert_eq!(web.seen_of("tools/call").len(), 5);
}
