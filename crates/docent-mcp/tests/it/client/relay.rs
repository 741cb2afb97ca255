//! Questions and results that are passed on rather than answered, for programs in between.

use std::sync::{Arc, Mutex};

use docent_mcp::client::{Freshness, RequestOptions, ServerEvent};
use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::types::{CacheScope, ClientCapabilities, InputRequest, Revision};
use serde_json::{Value, json};

use super::fake::{Fake, connected, discovered, said};
use super::{ERAS, builder, object, with_fixture};

fn forms() -> ClientCapabilities {
    serde_json::from_value(json!({ "elicitation": { "form": {} } })).unwrap()
}

#[tokio::test]
async fn every_question_goes_to_the_relay_as_it_is() {
    for revision in ERAS {
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = asked.clone();
        let builder = builder().relay_questions(forms(), move |question| {
            seen.lock().unwrap().push(question.method().to_owned());
            let InputRequest::Elicit(_) = question else { panic!("{question:?}") };
            async { Ok(json!({ "action": "accept", "content": { "name": "Ada" } })) }
        });
        let client = with_fixture(revision, builder).await;
        let result = client.call("ask_name", json!({})).await.unwrap();
        assert_eq!(super::fake::heard(&result), "Hello, Ada", "{revision}");
        // What is not declared is not asked.
        let refused = client.call("show_roots", json!({})).await;
        assert!(refused.is_err() || refused.is_ok_and(|result| result.failed()), "{revision}");
        assert_eq!(*asked.lock().unwrap(), ["elicitation/create"], "{revision}");
    }
}

#[tokio::test]
async fn what_a_relay_cannot_answer_is_an_error() {
    let refusing = builder()
        .relay_questions(forms(), |_| async { Err(ErrorObject::internal("nobody is there")) });
    let client = with_fixture(Revision::NEWEST_LEGACY, refusing).await;
    let result = client.call("ask_name", json!({})).await;
    assert!(result.is_err() || result.is_ok_and(|result| result.failed()));
}

#[tokio::test]
async fn questions_are_handed_over_with_the_capabilities_of_the_one_behind() {
    let client = with_fixture(Revision::NEWEST_MODERN, builder()).await;
    let ask = || object(json!({ "name": "ask_name", "arguments": {} }));
    let options = || RequestOptions::new().hand_over_questions();
    let refused = client.request("tools/call", ask(), options()).await.unwrap_err();
    assert_eq!(refused.code(), Some(-32021), "{refused:#}");
    let asked = client.request("tools/call", ask(), options().capabilities(forms())).await.unwrap();
    let asked: Value = asked.decode().unwrap();
    assert_eq!(asked["resultType"], "input_required");
    let (key, _) = asked["inputRequests"].as_object().unwrap().iter().next().unwrap();
    let mut again = ask();
    again.insert("requestState".into(), asked["requestState"].clone());
    let answer = json!({ key: { "action": "accept", "content": { "name": "Ada" } } });
    again.insert("inputResponses".into(), answer);
    let done = client.request("tools/call", again, options().capabilities(forms())).await.unwrap();
    let done: Value = done.decode().unwrap();
    assert_eq!(done["content"][0]["text"], "Hello, Ada");
}

#[tokio::test]
async fn a_stray_line_is_told_and_harms_nothing() {
    let (told, heard) = std::sync::mpsc::channel();
    let builder = builder().on_event(move |event| drop(told.send(event)));
    let (transport, mut fake) = Fake::pair();
    let serving = async {
        let first = fake.receive().await.unwrap();
        fake.send("Starting up...").await;
        fake.send("").await;
        fake.send("x".repeat(5000)).await;
        fake.answer(&first, discovered(&["2026-07-28"], json!({ "tools": {} }))).await;
        let call = fake.expect("tools/call").await;
        fake.answer(&call, said("hello")).await;
    };
    let calling = async {
        let client = builder.connect(transport).await.unwrap();
        client.call("echo", json!({})).await.unwrap();
    };
    tokio::join!(serving, calling);
    let lines: Vec<_> = heard
        .try_iter()
        .filter_map(|event| match event {
            ServerEvent::Stray(line) => Some(line),
            _ => None,
        })
        .collect();
    assert_eq!(lines, ["Starting up...".to_owned(), "x".repeat(200)]);
}

#[tokio::test]
async fn pages_say_how_long_they_are_fresh() {
    let (client, mut fake) = connected(Revision::NEWEST_MODERN, builder()).await;
    let serving = async {
        for (next, ttl, scope) in [(Some("2"), 9000, "public"), (None, 5000, "private")] {
            let request = fake.expect("tools/list").await;
            let mut page = json!({
                "resultType": "complete", "tools": [], "ttlMs": ttl, "cacheScope": scope,
            });
            if let Some(next) = next {
                page["nextCursor"] = next.into();
            }
            fake.answer(&request, page).await;
        }
    };
    let listing = async {
        let mut pages = client.tool_pages();
        assert_eq!(pages.freshness(), None);
        while pages.next().await.unwrap().is_some() {}
        pages.freshness().cloned()
    };
    let (_, freshness) = tokio::join!(serving, listing);
    let expected = Freshness { ttl_ms: 5000, scope: CacheScope::Private };
    assert_eq!(freshness, Some(expected));
    let nothing = RawJson::from(&json!({ "tools": [], "ttlMs": -1 }));
    assert_eq!(Freshness::of(&nothing), None);
}
