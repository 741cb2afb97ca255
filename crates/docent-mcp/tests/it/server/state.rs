//! The state of questions: sealed, bound, bounded.

use std::time::Duration;

use docent_mcp::{Limits, Server};
use serde_json::{Value, json};

use super::line::{Line, modern};
use crate::fixture;

fn ask(tool: &str, state: Option<&Value>, responses: Value) -> Value {
    let mut params = json!({
        "name": tool,
        "arguments": {},
        "inputResponses": responses,
        "_meta": modern(json!({ "elicitation": {}, "roots": {} })),
    });
    if let Some(state) = state {
        params["requestState"] = state.clone();
    }
    params
}

fn accept(name: &str) -> Value {
    json!({ "action": "accept", "content": { "name": name } })
}

/// The state after the first answer of `ask_twice`.
async fn after_one_round(line: &mut Line) -> Value {
    let first = line.request(1, "tools/call", ask("ask_twice", None, json!({}))).await;
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    let responses = json!({ "elicitation-create-1": accept("one") });
    let state = first["result"]["requestState"].clone();
    let second = line.request(2, "tools/call", ask("ask_twice", Some(&state), responses)).await;
    assert_eq!(second["result"]["resultType"], "input_required", "{second}");
    assert!(second["result"]["inputRequests"].get("elicitation-create-2").is_some());
    assert_ne!(second["result"]["requestState"], state);
    second["result"]["requestState"].clone()
}

/// Answers of earlier rounds travel in the state.
#[tokio::test]
async fn answers_are_carried_from_round_to_round() {
    let mut line = Line::default(fixture::server());
    let state = after_one_round(&mut line).await;
    let responses = json!({ "elicitation-create-2": accept("two") });
    let done = line.request(3, "tools/call", ask("ask_twice", Some(&state), responses)).await;
    assert_eq!(done["result"]["content"][0]["text"], r#"Some("one") Some("two")"#);
}

/// [SRV-MRTR-03] [SRV-MRTR-04] a state is good for its own request only, unchanged, in time, and
/// for the server that sealed it.
#[tokio::test]
async fn a_state_is_refused_elsewhere() {
    let mut line = Line::default(fixture::server());
    let state = after_one_round(&mut line).await;
    let text = state.as_str().unwrap();
    let responses = json!({ "elicitation-create-2": accept("two") });

    let tampered = json!(format!("{text}-TAMPERED"));
    let mut flipped = text.as_bytes().to_vec();
    flipped[text.len() / 2] ^= 1;
    let flipped = json!(String::from_utf8_lossy(&flipped));
    for (what, tool, state) in [
        ("tampered", "ask_twice", &tampered),
        ("flipped", "ask_twice", &flipped),
        ("other tool", "ask_both", &state),
    ] {
        let refused =
            line.request(what, "tools/call", ask(tool, Some(state), responses.clone())).await;
        assert_eq!(refused["error"]["code"], -32602, "{what}: {refused}");
    }
    let mut other_arguments = ask("ask_twice", Some(&state), responses.clone());
    other_arguments["arguments"] = json!({ "x": 1 });
    let refused = line.request("arguments", "tools/call", other_arguments).await;
    assert!(
        refused["result"]["isError"] == true || refused["error"]["code"] == -32602,
        "{refused}"
    );

    let mut other = Line::default(fixture::server());
    let refused =
        other.request(1, "tools/call", ask("ask_twice", Some(&state), responses.clone())).await;
    assert_eq!(refused["error"]["code"], -32602, "another server: {refused}");
}

#[tokio::test]
async fn an_expired_state_is_refused() {
    let limits = Limits { request_state_ttl: Duration::ZERO, ..Limits::default() };
    let mut line = Line::new(fixture::server(), &limits);
    let first = line.request(1, "tools/call", ask("ask_twice", None, json!({}))).await;
    let state = first["result"]["requestState"].clone();
    // Expiry counts whole seconds of the wall clock, which paused time does not move.
    std::thread::sleep(Duration::from_millis(1100));
    let refused = line.request(2, "tools/call", ask("ask_twice", Some(&state), json!({}))).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

/// [BOTH-STATE-02] rounds may go to different processes of a server that share the key.
#[tokio::test]
async fn replicas_share_a_key() {
    let replica = || -> Server { fixture::server().state_key([7; 32]) };
    let state = after_one_round(&mut Line::default(replica())).await;
    let responses = json!({ "elicitation-create-2": accept("two") });
    let mut line = Line::default(replica());
    let done = line.request(3, "tools/call", ask("ask_twice", Some(&state), responses)).await;
    assert_eq!(done["result"]["content"][0]["text"], r#"Some("one") Some("two")"#);
}

/// What a program seals by itself is good for its purpose only, unchanged.
#[tokio::test]
async fn sealed_data_opens_for_its_purpose_only() {
    use docent_mcp::server::{Context, ToolError};
    let check = |ctx: Context, (): ()| async move {
        let data = json!({ "held": 7 });
        let sealed = ctx.seal("a call", &data);
        // In the middle: the last character may hold bits that mean nothing.
        let (before, after) = sealed.split_at(sealed.len() / 2);
        let other = if after.starts_with('x') { "y" } else { "x" };
        let changed = format!("{before}{other}{}", &after[1..]);
        let opened = [
            ctx.unseal("a call", &sealed) == Some(data),
            ctx.unseal("another call", &sealed).is_none(),
            ctx.unseal("a call", &changed).is_none(),
            ctx.unseal("a call", "").is_none(),
        ];
        Ok::<_, ToolError>(format!("{opened:?}"))
    };
    let mut line = Line::default(Server::new("sealing", "1.0").tool("check", "Checks", check));
    let answer = line.request(1, "tools/call", ask("check", None, json!({}))).await;
    let said = &answer["result"]["content"][0]["text"];
    assert_eq!(said, "[true, true, true, true]", "{answer}");
}
