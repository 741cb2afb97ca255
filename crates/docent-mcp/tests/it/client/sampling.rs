//! What a client does when a server wants to ask its model.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use docent_mcp::Limits;
use docent_mcp::client::{Client, ClientBuilder};
use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::types::{
    Adapt as _, CreateMessageRequestParams, CreateMessageResult, ModelHint, ModelPreferences, Role,
    SamplingContent,
};
use serde_json::{Value, json};

use super::fake::{connected, heard};
use super::{ERAS, SESSION, builder, with_fixture};

pub(super) fn model_says(text: &str) -> CreateMessageResult {
    CreateMessageResult {
        role: Role::Assistant,
        content: SamplingContent::text(text).into(),
        model: "model-1".into(),
        stop_reason: Some("endTurn".into()),
        ..Default::default()
    }
}

async fn ask_model(builder: ClientBuilder, params: Value) -> Value {
    let (_client, mut fake) = connected(SESSION, builder).await;
    fake.ask("m", "sampling/createMessage", params).await
}

/// [CLI-SAMP-01] the function sees everything that the server asked for, the limit on the answer
/// first of all, and decides: what it says goes back, and so does its refusal.
#[tokio::test(start_paused = true)]
async fn sampling_is_the_functions_decision() {
    let seen: Arc<Mutex<Vec<CreateMessageRequestParams>>> = Arc::default();
    let noted = seen.clone();
    let builder = builder().on_sample(move |params| {
        noted.lock().unwrap().push(params.clone());
        async move {
            match params.max_tokens {
                0..=100 => Ok(model_says("Paris")),
                _ => Err(ErrorObject::new(-1, "User rejected sampling request")),
            }
        }
    });
    let (_client, mut fake) = connected(SESSION, builder).await;
    let params = |max_tokens: u64| {
        json!({
            "messages": [{ "role": "user", "content": { "type": "text", "text": "Capital of France?" } }],
            "systemPrompt": "Be brief.", "maxTokens": max_tokens, "temperature": 0.5,
            "stopSequences": ["\n"], "includeContext": "none",
            "modelPreferences": { "hints": [{ "name": "small" }], "costPriority": 1.0 },
        })
    };
    let answer = fake.ask("m", "sampling/createMessage", params(100)).await;
    assert_eq!(
        answer["result"],
        json!({ "role": "assistant", "content": { "type": "text", "text": "Paris" }, "model": "model-1", "stopReason": "endTurn" }),
    );
    let refused = fake.ask("n", "sampling/createMessage", params(101)).await;
    assert_eq!(
        refused["error"],
        json!({ "code": -1, "message": "User rejected sampling request" })
    );
    let seen = seen.lock().unwrap();
    assert_eq!(serde_json::to_value(&seen[0]).unwrap(), params(100), "nothing is lost on the way");
    assert_eq!(seen.len(), 2);
}

/// [CLI-SAMP-01] tools for the model are refused unless they were declared.
#[tokio::test(start_paused = true)]
async fn tools_for_the_model_have_to_be_declared() {
    let without = || builder().on_sample(|_| async { Ok(model_says("ok")) });
    let with = || builder().on_sample_with_tools(|_| async { Ok(model_says("ok")) });
    let tools = json!({ "messages": [], "maxTokens": 1, "tools": [{ "name": "t", "inputSchema": { "type": "object" } }] });
    let choice = json!({ "messages": [], "maxTokens": 1, "toolChoice": { "mode": "auto" } });
    let plain = json!({ "messages": [], "maxTokens": 1 });
    for (builder, params, code) in [
        (without(), &plain, None),
        (without(), &tools, Some(-32602)),
        (without(), &choice, Some(-32602)),
        (with(), &plain, None),
        (with(), &tools, None),
        (with(), &choice, None),
    ] {
        let answer = ask_model(builder, params.clone()).await;
        assert_eq!(answer["error"]["code"].as_i64(), code, "{params}: {answer}");
    }
}

/// [BOTH-SAMP-03] a conversation in which tool results are mixed with other things, or tool uses
/// are left without a result, is refused with −32602.
#[tokio::test(start_paused = true)]
async fn conversations_with_tools_have_to_be_well_formed() {
    let text = |role: &str| json!({ "role": role, "content": { "type": "text", "text": "hm" } });
    let uses = |ids: &[&str]| {
        let content: Vec<_> = ids
            .iter()
            .map(|id| json!({ "type": "tool_use", "id": id, "name": "t", "input": {} }))
            .collect();
        json!({ "role": "assistant", "content": content })
    };
    let result = |id: &str| json!({ "type": "tool_result", "toolUseId": id, "content": [] });
    let results = |ids: &[&str]| json!({ "role": "user", "content": ids.iter().map(|id| result(id)).collect::<Vec<_>>() });
    let mixed =
        json!({ "role": "user", "content": [result("a"), { "type": "text", "text": "and" }] });
    let from_the_model = json!({ "role": "assistant", "content": [result("a")] });
    for (messages, fine) in [
        (json!([text("user")]), true),
        (json!([text("user"), uses(&["a"]), results(&["a"])]), true),
        (json!([text("user"), uses(&["a", "b"]), results(&["b", "a"]), text("assistant")]), true),
        (json!([text("user"), uses(&["a"]), mixed]), false),
        (json!([text("user"), uses(&["a"]), from_the_model]), false),
        (json!([text("user"), uses(&["a", "b"]), results(&["a"])]), false),
        (json!([text("user"), uses(&["a"]), text("user"), results(&["a"])]), false),
        (json!([text("user"), results(&["a"])]), false),
        (json!([text("user"), uses(&["a"])]), false),
    ] {
        let builder = builder().on_sample_with_tools(|_| async { Ok(model_says("ok")) });
        let answer = ask_model(builder, json!({ "messages": messages, "maxTokens": 1 })).await;
        assert_eq!(answer.get("result").is_some(), fine, "{messages}: {answer}");
        if !fine {
            assert_eq!(answer["error"]["code"], -32602);
        }
    }
}

/// [CLI-SAMP-06] somebody sees what the model will be told and what it says, and can keep back both;
/// nothing of an earlier request is in a later one.
#[tokio::test(start_paused = true)]
async fn prompt_and_answer_are_approved() {
    let (seen, asked) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(0)));
    let (shown, counted) = (seen.clone(), asked.clone());
    let builder = builder()
        .on_sample(move |params| {
            *counted.lock().unwrap() += 1;
            let said = params.messages.last().map(|message| message.content.joined_text());
            async move { Ok(model_says(&format!("re: {}", said.unwrap_or_default()))) }
        })
        .on_sample_review(move |review| {
            let prompt = review.prompt.messages.iter();
            let prompt = prompt.map(|message| message.content.joined_text()).collect();
            let answer = review.answer.map(|answer| vec![answer.content.joined_text()]);
            let line: Vec<String> = answer.unwrap_or(prompt);
            shown.lock().unwrap().push(line.join(" "));
            let bad = ["rude", "re: secret"].contains(&&*line.join(" "));
            let outcome = if bad { Err(ErrorObject::new(-1, "kept back")) } else { Ok(()) };
            async move { outcome }
        });
    let (_client, mut fake) = connected(SESSION, builder).await;
    for (number, (said, answered)) in
        [("hello", Some("re: hello")), ("rude", None), ("secret", None), ("bye", Some("re: bye"))]
            .into_iter()
            .enumerate()
    {
        let message = json!({ "role": "user", "content": { "type": "text", "text": said } });
        let params = json!({ "messages": [message], "maxTokens": 5 });
        let answer = fake.ask(format!("m{number}"), "sampling/createMessage", params).await;
        match answered {
            Some(text) => assert_eq!(answer["result"]["content"]["text"], text, "{answer}"),
            None => assert_eq!(answer["error"]["message"], "kept back", "{answer}"),
        }
    }
    let expected = ["hello", "re: hello", "rude", "secret", "re: secret", "bye", "re: bye"];
    assert_eq!(*seen.lock().unwrap(), expected);
    assert_eq!(*asked.lock().unwrap(), 3, "the model never heard what was rude");
}

/// [CLI-SAMP-06] a server that has the model asked too often has to wait.
#[tokio::test(start_paused = true)]
async fn the_model_is_asked_so_often_and_no_more() {
    let limits = Limits { samples_per_minute_max: 2, ..Limits::default() };
    let builder = builder().limits(limits).on_sample(|_| async { Ok(model_says("yes")) });
    let (_client, mut fake) = connected(SESSION, builder).await;
    let message = json!({ "role": "user", "content": { "type": "text", "text": "?" } });
    let params = json!({ "messages": [message], "maxTokens": 1 });
    for (id, after, fine) in [("a", 0, true), ("b", 0, true), ("c", 0, false), ("d", 30, true)] {
        tokio::time::sleep(Duration::from_secs(after)).await;
        let answer = fake.ask(id, "sampling/createMessage", params.clone()).await;
        assert_eq!(answer.get("result").is_some(), fine, "{id}: {answer}");
        if !fine {
            assert!(answer["error"]["data"]["retryAfterMs"].as_u64().is_some(), "{answer}");
        }
    }
}

/// [BOTH-SAMP-05] hints are parts of names, and their order is the order of preference.
#[test]
fn hints_are_ordered_parts_of_names() {
    let models = ["gpt-5-mini", "claude-opus-5", "claude-sonnet-5", "gemini-4"];
    for (hints, expected) in [
        (&["claude-sonnet-5", "claude"][..], Some("claude-sonnet-5")),
        (&["sonnet", "claude"], Some("claude-sonnet-5")),
        (&["claude", "sonnet"], Some("claude-opus-5")),
        (&["llama", "gemini"], Some("gemini-4")),
        (&["llama"], None),
        (&[""], None),
        (&[], None),
    ] {
        let hint = |name: &&str| ModelHint { name: Some((*name).to_owned()), ..Default::default() };
        let hints = hints.iter().map(hint).collect();
        let preferences = ModelPreferences { hints, ..Default::default() };
        assert_eq!(preferences.hinted(models), expected, "{preferences:?}");
    }
}

/// [CLI-SAMP-01] with a real server, in both eras, a refusal ends what needed the model, and only
/// that.
#[tokio::test(start_paused = true)]
async fn a_refusal_reaches_the_one_who_needed_the_model() {
    for revision in ERAS {
        let builder = builder().on_sample(|_| async { Err(ErrorObject::new(-1, "not today")) });
        let client: Client = with_fixture(revision, builder).await;
        let outcome = client.call("summarize", json!({ "message": "m" })).await;
        let message = match outcome {
            Ok(result) => {
                assert!(result.failed());
                heard(&result).to_owned()
            }
            Err(error) => format!("{error:#}"),
        };
        assert!(message.contains("not today"), "{revision}: {message}");
        assert_eq!(heard(&client.call("echo", json!({ "message": "on" })).await.unwrap()), "on");
    }
}

/// [BOTH-SAMP-05] priorities are between 0 and 1, whatever a handler says.
#[test]
fn priorities_are_between_0_and_1() {
    let mut preferences = ModelPreferences {
        cost_priority: Some(1.5),
        speed_priority: Some(-0.5),
        intelligence_priority: Some(0.25),
        ..Default::default()
    };
    preferences.adapt(SESSION);
    let expected =
        json!({ "costPriority": 1.0, "speedPriority": 0.0, "intelligencePriority": 0.25 });
    assert_eq!(serde_json::to_value(preferences).unwrap(), expected);
}
