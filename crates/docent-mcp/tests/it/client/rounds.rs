//! Questions that come before a result (2026-07-28).

use std::sync::{Arc, Mutex};

use docent_mcp::client::{ClientBuilder, RequestOptions};
use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::types::{
    CreateMessageResult, ElicitAction, ElicitResult, Revision, Role, Root, SamplingContent,
};
use docent_mcp::{Cancel, ErrorKind, Limits};
use serde_json::{Value, json};

use super::fake::{Fake, connected, heard, said};
use super::{ERAS, builder, object, with_fixture};

const MODERN: Revision = Revision::V2026_07_28;

fn required(questions: Value, state: Value) -> Value {
    let mut required = json!({ "resultType": "input_required" });
    for (key, value) in [("inputRequests", questions), ("requestState", state)] {
        if !value.is_null() {
            required[key] = value;
        }
    }
    required
}

fn form() -> Value {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    json!({ "method": "elicitation/create", "params": { "message": "?", "requestedSchema": schema } })
}

fn sampling() -> Value {
    json!({ "method": "sampling/createMessage", "params": { "messages": [], "maxTokens": 9 } })
}

/// A client that answers everything.
fn able() -> ClientBuilder {
    builder()
        .on_elicit_form(|_| async { Ok(ElicitResult::accept(object(json!({ "name": "Ada" })))) })
        .on_elicit_url(|_| async { Ok(ElicitAction::Accept) })
        .on_sample(|_| async {
            Ok(CreateMessageResult {
                role: Role::Assistant,
                content: SamplingContent::text("Paris").into(),
                model: "m".into(),
                ..Default::default()
            })
        })
        .roots([Root::new("file:///home")])
}

/// [CLI-MRTR-06] every question is answered before the request is made again, under a new id, with
/// the same parameters, the answers by the same keys and the state exactly as it came.
#[tokio::test(start_paused = true)]
async fn the_request_is_repeated_with_all_answers() {
    let state = "opaque \"state\" \u{2028} é\\ =";
    let (client, mut fake) = connected(MODERN, able()).await;
    let (called, ()) = tokio::join!(
        client.call("trip", json!({ "to": "Rome", "n": 1.50 })),
        async {
            let first = fake.expect("tools/call").await;
            let questions = json!({
                "who": form(),
                "page": { "method": "elicitation/create", "params": { "mode": "url", "message": "?", "url": "https://a.example" } },
                "model": sampling(),
                "folders": { "method": "roots/list" },
            });
            fake.answer(&first, required(questions, json!(state))).await;
            let second = fake.expect("tools/call").await;
            assert_ne!(second["id"], first["id"]);
            assert_eq!(second["params"]["requestState"], state);
            assert_eq!(
                second["params"]["inputResponses"],
                json!({
                    "who": { "action": "accept", "content": { "name": "Ada" } },
                    "page": { "action": "accept" },
                    "model": { "role": "assistant", "content": { "type": "text", "text": "Paris" }, "model": "m" },
                    "folders": { "roots": [{ "uri": "file:///home" }] },
                }),
            );
            let mut without = second["params"].clone();
            for added in ["inputResponses", "requestState"] {
                without.as_object_mut().unwrap().remove(added);
            }
            assert_eq!(without, first["params"], "nothing else differs");
            fake.answer(&second, said("booked")).await;
        }
    );
    assert_eq!(heard(&called.unwrap()), "booked");
}

/// [CLI-MRTR-06] each round carries its own state and answers, and nothing of the rounds before; a
/// request that only brings a state is repeated at once, one without a state gets none back.
#[tokio::test(start_paused = true)]
async fn rounds_do_not_mix() {
    let (client, mut fake) = connected(MODERN, able()).await;
    let (read, ()) = tokio::join!(client.read("memo://a"), async {
        let expected = [
            (required(json!({ "a": form() }), json!("s1")), json!(["a"]), json!("s1")),
            (required(json!(null), json!("s2")), json!(null), json!("s2")),
            (
                required(json!({ "b": form(), "c": sampling() }), json!(null)),
                json!(["b", "c"]),
                json!(null),
            ),
            (required(json!({}), json!("")), json!([]), json!("")),
        ];
        let mut request = fake.expect("resources/read").await;
        let mut ids = vec![request["id"].clone()];
        for (result, keys, state) in expected {
            fake.answer(&request, result).await;
            request = fake.expect("resources/read").await;
            let answered = request["params"]
                .get("inputResponses")
                .map(|answers| answers.as_object().unwrap().keys().cloned().collect::<Vec<_>>());
            assert_eq!(json!(answered), keys);
            assert_eq!(request["params"].get("requestState").cloned().unwrap_or_default(), state);
            assert!(!ids.contains(&request["id"]));
            ids.push(request["id"].clone());
        }
        fake.answer(&request, json!({ "contents": [] })).await;
    });
    read.unwrap();
}

/// [CLI-MRTR-06] what one call was asked, and its state, never shows in another.
#[tokio::test(start_paused = true)]
async fn nothing_leaks_into_other_calls() {
    let (client, mut fake) = connected(MODERN, able()).await;
    let (asked, other, ()) = tokio::join!(
        client.call("asks", json!({})),
        async {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            client.call("other", json!({})).await
        },
        async {
            let first = fake.expect("tools/call").await;
            let other = fake.expect("tools/call").await;
            assert_eq!(other["params"]["name"], "other");
            fake.answer(&first, required(json!({ "q": form() }), json!("secret"))).await;
            let second = fake.expect("tools/call").await;
            assert_eq!(second["params"]["name"], "asks");
            assert!(!other.to_string().contains("secret"));
            fake.answer(&second, said("done")).await;
            fake.answer(&other, said("other")).await;
        }
    );
    asked.unwrap();
    other.unwrap();
    let (after, ()) = tokio::join!(client.call("asks", json!({})), async {
        let call = fake.expect("tools/call").await;
        assert!(
            call["params"].get("requestState").is_none()
                && call["params"].get("inputResponses").is_none()
        );
        fake.answer(&call, said("done")).await;
    });
    after.unwrap();
}

/// [CLI-MRTR-06] several questions are put to the user at once, not one after the other.
#[tokio::test(start_paused = true)]
async fn questions_are_asked_together() {
    let barrier = Arc::new(tokio::sync::Barrier::new(3));
    let builder = builder().on_elicit_form(move |_| {
        let barrier = barrier.clone();
        async move {
            barrier.wait().await;
            Ok(ElicitResult::of(ElicitAction::Decline))
        }
    });
    let (client, mut fake) = connected(MODERN, builder).await;
    let (called, ()) = tokio::join!(client.call("any", json!({})), async {
        let first = fake.expect("tools/call").await;
        fake.answer(
            &first,
            required(json!({ "a": form(), "b": form(), "c": form() }), json!(null)),
        )
        .await;
        let second = fake.expect("tools/call").await;
        assert_eq!(second["params"]["inputResponses"].as_object().unwrap().len(), 3);
        fake.answer(&second, said("done")).await;
    });
    called.unwrap();
}

/// [CLI-MRTR-07] rounds are bounded, exactly.
#[tokio::test(start_paused = true)]
async fn rounds_are_bounded() {
    for (rounds, fits) in [(3, true), (4, false)] {
        let limits = Limits { input_rounds_max: 3, ..Limits::default() };
        let (client, mut fake) = connected(MODERN, able().limits(limits)).await;
        let (called, requests) = tokio::join!(client.call("any", json!({})), async {
            for round in 0..rounds {
                let call = fake.expect("tools/call").await;
                fake.answer(&call, required(json!(null), json!(round.to_string()))).await;
            }
            let last = fake.try_receive().await;
            if let Some(last) = &last {
                fake.answer(last, said("done")).await;
            }
            rounds + usize::from(last.is_some())
        });
        assert_eq!(requests, 4, "the request itself and three rounds");
        match called {
            Ok(result) => assert!(fits && heard(&result) == "done"),
            Err(error) => {
                assert!(!fits);
                assert_eq!(error.kind(), ErrorKind::Limit);
                assert!(error.to_string().contains("more than 3 times"), "{error}");
            }
        }
    }
}

/// [CLI-MRTR-07] a user who declines or dismisses has answered: that is passed on, without content.
#[tokio::test(start_paused = true)]
async fn declining_is_an_answer() {
    for (action, word) in [(ElicitAction::Decline, "decline"), (ElicitAction::Cancel, "cancel")] {
        let builder = builder().on_elicit_form(move |_| async move {
            let mut result = ElicitResult::of(action);
            result.content = Some(object(json!({ "name": "left over" })));
            Ok(result)
        });
        let (client, mut fake) = connected(MODERN, builder).await;
        let (called, ()) = tokio::join!(client.call("any", json!({})), async {
            let first = fake.expect("tools/call").await;
            fake.answer(&first, required(json!({ "q": form() }), json!("s"))).await;
            let second = fake.expect("tools/call").await;
            assert_eq!(second["params"]["inputResponses"], json!({ "q": { "action": word } }));
            fake.answer(&second, said("fine")).await;
        });
        called.unwrap();
    }
}

/// [CLI-MRTR-07] what cannot be answered abandons the call: the request is not repeated, and the
/// error names the question.
#[tokio::test(start_paused = true)]
async fn a_question_without_an_answer_ends_the_call() {
    let refusing = || {
        builder()
            .on_elicit_form(|_| async { Err(ErrorObject::new(7, "nobody is here")) })
            .on_sample(|_| async { panic!("the model is broken") })
    };
    let page = json!({ "method": "elicitation/create", "params": { "mode": "url", "message": "?", "url": "https://a.example" } });
    let odd_mode = json!({ "method": "elicitation/create", "params": { "mode": "telepathy", "message": "?" } });
    let tools = json!({ "method": "sampling/createMessage", "params": {
        "messages": [], "maxTokens": 9, "tools": [{ "name": "t", "inputSchema": { "type": "object" } }],
    } });
    for (question, kind, named) in [
        (form(), ErrorKind::Unsupported, "nobody is here"),
        (sampling(), ErrorKind::Internal, "panicked"),
        (page, ErrorKind::Unsupported, "url mode"),
        (odd_mode, ErrorKind::Unsupported, "not supported"),
        (tools, ErrorKind::Unsupported, "tools"),
        (json!({ "method": "roots/list" }), ErrorKind::Unsupported, "roots/list"),
        (json!({ "method": "com.example/own" }), ErrorKind::Unsupported, "com.example/own"),
        (
            json!({ "method": "elicitation/create", "params": {} }),
            ErrorKind::InvalidResponse,
            "cannot be read",
        ),
        (json!({}), ErrorKind::InvalidResponse, "cannot be read"),
    ] {
        let (client, mut fake) = connected(MODERN, refusing()).await;
        let (called, ()) = tokio::join!(client.call("any", json!({})), async {
            let first = fake.expect("tools/call").await;
            fake.answer(&first, required(json!({ "q": question }), json!("s"))).await;
            fake.expect_silence().await;
        });
        let error = called.unwrap_err();
        assert_eq!(error.kind(), kind, "{question}: {error}");
        assert!(error.to_string().contains(named), "{error}");
    }
}

/// The caller can end the call while the user still thinks; nothing more is sent then.
#[tokio::test(start_paused = true)]
async fn a_call_can_be_cancelled_while_the_user_thinks() {
    let (think, mut thinking) = tokio::sync::mpsc::unbounded_channel();
    let builder = builder().on_elicit_form(move |_| {
        let _ = think.send(());
        std::future::pending()
    });
    let (client, mut fake) = connected(MODERN, builder).await;
    let cancel = Cancel::new();
    let options = RequestOptions::new().cancel(cancel.clone());
    let (called, ()) = tokio::join!(client.call_with("any", json!({}), options), async {
        let first = fake.expect("tools/call").await;
        fake.answer(&first, required(json!({ "q": form() }), json!("s"))).await;
        thinking.recv().await.unwrap();
        cancel.cancel(None);
    });
    assert!(called.unwrap_err().is_cancelled());
    fake.expect_silence().await;
}

/// The time that the user takes is not the server's: only waiting for the server has a limit.
#[tokio::test(start_paused = true)]
async fn the_user_may_take_their_time() {
    let builder = builder().on_elicit_form(|_| async {
        tokio::time::sleep(std::time::Duration::from_secs(2 * 3600)).await;
        Ok(ElicitResult::of(ElicitAction::Decline))
    });
    let (client, mut fake) = connected(MODERN, builder).await;
    let (called, ()) = tokio::join!(client.call("any", json!({})), async {
        let first = fake.expect("tools/call").await;
        fake.answer(&first, required(json!({ "q": form() }), json!("s"))).await;
        let second = fake.expect("tools/call").await;
        fake.answer(&second, said("at last")).await;
    });
    assert_eq!(heard(&called.unwrap()), "at last");
}

/// The fixture's questions have the same outcome in both eras, although they travel so differently.
#[tokio::test(start_paused = true)]
async fn questions_have_the_same_outcome_in_both_eras() {
    for revision in ERAS {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = asked.clone();
        let builder = able().on_elicit_form(move |form| {
            noted.lock().unwrap().push(form.message.clone());
            async { Ok(ElicitResult::accept(object(json!({ "name": "Ada" })))) }
        });
        let client = with_fixture(revision, builder).await;
        for (tool, arguments, expected) in [
            ("ask_name", json!({}), "Hello, Ada"),
            ("ask_twice", json!({}), r#"Some("Ada") Some("Ada")"#),
            ("ask_both", json!({}), r#"Some("Ada") ["file:///home"]"#),
            ("summarize", json!({ "message": "long" }), "Summary: Paris"),
            ("show_roots", json!({}), "file:///home"),
        ] {
            let result = client.call(tool, arguments).await.unwrap();
            assert_eq!(heard(&result), expected, "{revision} {tool}");
        }
        let asked = std::mem::take(&mut *asked.lock().unwrap());
        assert_eq!(asked, ["What is your name?", "First?", "Second?", "Name?"], "{revision}");
    }
}

/// A legacy result is never taken for a question.
#[tokio::test(start_paused = true)]
async fn legacy_results_ask_nothing() {
    let (client, mut fake): (_, Fake) = connected(Revision::V2025_11_25, able()).await;
    let (called, ()) = tokio::join!(client.call("any", json!({})), async {
        let call = fake.expect("tools/call").await;
        let mut result = said("as it is");
        result["resultType"] = json!("input_required");
        fake.answer(&call, result).await;
    });
    assert_eq!(heard(&called.unwrap()), "as it is");
}
