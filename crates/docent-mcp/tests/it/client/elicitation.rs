//! What a client does when the user is asked something: forms and pages.

use std::sync::{Arc, Mutex};

use docent_mcp::client::{ClientBuilder, ServerEvent};
use docent_mcp::types::{ElicitAction, ElicitResult};
use serde_json::{Value, json};

use super::fake::connected;
use super::{SESSION, builder, object};

/// Asks a form question in a session and returns the client's answer.
async fn ask_form(builder: ClientBuilder, params: Value) -> Value {
    let (_client, mut fake) = connected(SESSION, builder).await;
    fake.ask("q", "elicitation/create", params).await
}

fn form_params() -> Value {
    json!({
        "message": "Who are you?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "name": { "type": "string", "minLength": 2 },
                "age": { "type": "integer", "default": 30 },
                "score": { "type": "number", "default": 95.5 },
                "status": { "type": "string", "enum": ["on", "off"], "default": "on" },
                "sure": { "type": "boolean", "default": true },
                "colors": { "type": "array", "items": { "type": "string", "enum": ["red", "blue"] }, "default": ["red"] },
                "nickname": { "type": "string" },
            },
            "required": ["name", "age"],
        },
    })
}

fn accepting(content: Value) -> ClientBuilder {
    builder().on_elicit_form(move |_| {
        let content = object(content.clone());
        async { Ok(ElicitResult::accept(content)) }
    })
}

/// [CLI-ELIC-01] the question reaches the user whole, and the user can accept, decline or dismiss
/// it; only the first sends what was filled in.
#[tokio::test(start_paused = true)]
async fn the_user_decides() {
    for (action, answer) in [
        (ElicitAction::Accept, json!({ "action": "accept", "content": { "name": "Ada" } })),
        (ElicitAction::Decline, json!({ "action": "decline" })),
        (ElicitAction::Cancel, json!({ "action": "cancel" })),
    ] {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = asked.clone();
        let builder = builder().on_elicit_form(move |form| {
            noted.lock().unwrap().push((form.message, form.requested_schema));
            let result = ElicitResult {
                action,
                content: Some(object(json!({ "name": "Ada" }))),
                ..Default::default()
            };
            async { Ok(result) }
        });
        let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        let params = json!({ "message": "Who are you?", "requestedSchema": schema });
        assert_eq!(ask_form(builder, params).await["result"], answer);
        assert_eq!(*asked.lock().unwrap(), [("Who are you?".to_owned(), schema)]);
    }
}

/// [CLI-ELIC-02] a question without a mode is a form; a mode that was not declared, or that nobody
/// knows, is refused with −32602 and never reaches a function.
#[tokio::test(start_paused = true)]
async fn undeclared_modes_are_refused() {
    let form = || accepting(json!({ "name": "Ada" }));
    let page = || builder().on_elicit_url(|_| async { Ok(ElicitAction::Accept) });
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let plain = json!({ "message": "?", "requestedSchema": schema });
    let named = json!({ "mode": "form", "message": "?", "requestedSchema": schema });
    let url =
        json!({ "mode": "url", "message": "?", "url": "https://a.example", "elicitationId": "e" });
    let odd = json!({ "mode": "telepathy", "message": "?" });
    let no_mode = json!({ "mode": 7, "message": "?", "requestedSchema": schema });
    for (builder, params, expected) in [
        (form(), &plain, Ok(())),
        (form(), &named, Ok(())),
        (form(), &url, Err(-32602)),
        (form(), &odd, Err(-32602)),
        (form(), &no_mode, Err(-32602)),
        (page(), &url, Ok(())),
        (page(), &plain, Err(-32602)),
        (page(), &named, Err(-32602)),
    ] {
        let answer = ask_form(builder, params.clone()).await;
        match expected {
            Ok(()) => assert_eq!(answer["result"]["action"], "accept", "{params}: {answer}"),
            Err(code) => assert_eq!(answer["error"]["code"], code, "{params}: {answer}"),
        }
    }
}

/// [CLI-ELIC-03] what the user left out and has a default is filled in; what was given stays.
#[tokio::test(start_paused = true)]
async fn defaults_are_filled_in() {
    let defaults = json!({
        "name": "Ada", "age": 30, "score": 95.5, "status": "on", "sure": true, "colors": ["red"],
    });
    for (given, expected) in [
        (json!({ "name": "Ada" }), defaults),
        (
            json!({ "name": "Bo", "age": 7, "score": 1, "status": "off", "sure": false, "colors": [], "nickname": "B" }),
            json!({ "name": "Bo", "age": 7, "score": 1, "status": "off", "sure": false, "colors": [], "nickname": "B" }),
        ),
    ] {
        let answer = ask_form(accepting(given.clone()), form_params()).await;
        assert_eq!(answer["result"]["content"], expected, "{given}");
    }
}

/// [CLI-ELIC-03] an answer that does not fit the form is not sent: the server gets an error
/// instead, and the error names the field.
#[tokio::test(start_paused = true)]
async fn answers_are_checked() {
    for (given, named) in [
        (json!({}), "name"),
        (json!({ "name": "A" }), "name"),
        (json!({ "name": 7 }), "name"),
        (json!({ "name": "Ada", "age": "old" }), "age"),
        (json!({ "name": "Ada", "status": "maybe" }), "status"),
        (json!({ "name": "Ada", "colors": ["green"] }), "colors"),
    ] {
        let answer = ask_form(accepting(given.clone()), form_params()).await;
        assert_eq!(answer["error"]["code"], -32603, "{given}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(named), "{answer}");
    }
}

/// [CLI-ELIC-03] a form that cannot be used is refused before anybody is asked to fill it in.
#[tokio::test(start_paused = true)]
async fn unusable_forms_never_reach_the_user() {
    let builder = || builder().on_elicit_form(|_| async { panic!("the user was asked") });
    for schema in [
        json!({ "type": 7 }),
        json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": "object" }),
        json!({ "type": "object", "properties": { "a": { "$ref": "https://a.example/b" } } }),
    ] {
        let params = json!({ "message": "?", "requestedSchema": schema });
        let answer = ask_form(builder(), params).await;
        assert_eq!(answer["error"]["code"], -32602, "{schema}: {answer}");
    }
    for params in [
        json!({}),
        json!({ "message": "?" }),
        json!([]),
        json!({ "message": 7, "requestedSchema": {} }),
    ] {
        assert_eq!(ask_form(builder(), params).await["error"]["code"], -32602);
    }
}

/// [CLI-ELIC-05] a page is the function's business alone: it gets the whole address exactly as it
/// was sent, so that it can be shown, and nothing is fetched, opened or rewritten on the way.
#[tokio::test(start_paused = true)]
async fn addresses_are_handed_over_and_not_touched() {
    let watched = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = watched.local_addr().unwrap();
    let urls = [
        format!("http://{address}/consent?token=1"),
        "https://xn--80ak6aa92e.example/%2e%2e/a?b=c#d".to_owned(),
        "HTTPS://User@A.Example:443".to_owned(),
        "javascript:alert(1)".to_owned(),
    ];
    for url in &urls {
        for (action, word) in [(ElicitAction::Accept, "accept"), (ElicitAction::Decline, "decline")]
        {
            let shown = Arc::new(Mutex::new(Vec::new()));
            let noted = shown.clone();
            let builder = builder().on_elicit_url(move |page| {
                noted.lock().unwrap().push((page.url, page.message, page.elicitation_id));
                async move { Ok(action) }
            });
            let params =
                json!({ "mode": "url", "message": "Sign in", "url": url, "elicitationId": "e1" });
            let answer = ask_form(builder, params).await;
            assert_eq!(
                answer["result"],
                json!({ "action": word }),
                "no content, whatever the page said"
            );
            let expected = (url.clone(), "Sign in".to_owned(), Some("e1".to_owned()));
            assert_eq!(*shown.lock().unwrap(), [expected]);
        }
    }
    let connection =
        tokio::time::timeout(std::time::Duration::from_millis(1), watched.accept()).await;
    assert!(connection.is_err(), "somebody fetched the address");
}

/// [SRV-ELIC-07] the end of a page's business is told by the server and reaches the program.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_page_is_an_event() {
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let builder = builder().on_event(move |event| drop(tell.send(event)));
    let (_client, mut fake) = connected(SESSION, builder).await;
    fake.notify("notifications/elicitation/complete", json!({})).await;
    fake.notify("notifications/elicitation/complete", json!({ "elicitationId": "e1" })).await;
    let event = told.recv().await.unwrap();
    assert!(matches!(&event, ServerEvent::ElicitationComplete(id) if id == "e1"), "{event:?}");
}

/// [SRV-ELIC-07] a call that needs pages first says which: the program opens them and calls again.
#[tokio::test(start_paused = true)]
async fn a_call_can_name_the_pages_it_needs() {
    let (client, mut fake) = connected(SESSION, builder()).await;
    let page = json!({ "mode": "url", "message": "Sign in", "url": "https://a.example", "elicitationId": "e1" });
    let (called, ()) = tokio::join!(client.call("any", json!({})), async {
        let call = fake.expect("tools/call").await;
        let data = json!({ "elicitations": [page] });
        fake.refuse(&call, json!({ "code": -32042, "message": "sign in first", "data": data }))
            .await;
    });
    let error = called.unwrap_err();
    assert_eq!(error.code(), Some(docent_mcp::jsonrpc::code::URL_ELICITATION_REQUIRED));
    let data = error.rpc().unwrap().data.clone().unwrap();
    let needed: docent_mcp::types::UrlElicitationRequiredData =
        serde_json::from_value(data).unwrap();
    assert_eq!(needed.elicitations[0].message(), "Sign in");
}
