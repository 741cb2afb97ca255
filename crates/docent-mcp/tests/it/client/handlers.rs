//! What a client does for servers: elicitation, sampling, roots, ping, events.

use std::sync::{Arc, Mutex};

use docent_mcp::ErrorKind;
use docent_mcp::client::{Client, ClientBuilder, ServerEvent};
use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::types::{
    CreateMessageRequestParams, CreateMessageResult, ElicitAction, ElicitResult, JsonObject,
    ModelHint, ModelPreferences, Revision, Role, Root, SamplingContent,
};
use serde_json::{Value, json};

use super::fake::{Fake, connected, heard, said};
use super::{ERAS, builder, object, with_fixture};

const SESSION: Revision = Revision::V2025_11_25;

/// What a client of these functions declares, in a handshake of 2025-11-25 and in a modern request.
async fn declared(builder: impl Fn() -> ClientBuilder) -> [Value; 2] {
    let (transport, mut fake) = Fake::pair();
    let (_client, initialize) = tokio::join!(builder().connect(transport), fake.open(SESSION));
    let (transport, mut fake) = Fake::pair();
    let opening = fake.open(Revision::V2026_07_28);
    let (_client, discover) = tokio::join!(builder().connect(transport), opening);
    let meta = &discover["params"]["_meta"];
    [
        initialize["params"]["capabilities"].clone(),
        meta["io.modelcontextprotocol/clientCapabilities"].clone(),
    ]
}

fn model_says(text: &str) -> CreateMessageResult {
    CreateMessageResult {
        role: Role::Assistant,
        content: SamplingContent::text(text).into(),
        model: "model-1".into(),
        stop_reason: Some("endTurn".into()),
        ..Default::default()
    }
}

/// [CLI-ELIC-01] [CLI-SAMP-01] [CLI-ROOTS-01] a client declares exactly what it has a function for.
#[tokio::test(start_paused = true)]
async fn capabilities_follow_from_the_functions() {
    let form =
        |builder: ClientBuilder| builder.on_elicit_form(|_| async { Ok(ElicitResult::default()) });
    let page =
        |builder: ClientBuilder| builder.on_elicit_url(|_| async { Ok(ElicitAction::Accept) });
    let check = async |build: &dyn Fn() -> ClientBuilder, legacy: Value, modern: Value| {
        assert_eq!(declared(build).await, [legacy, modern]);
    };
    check(&builder, json!({}), json!({})).await;
    let expected = json!({ "elicitation": { "form": {} } });
    check(&|| form(builder()), expected.clone(), expected).await;
    let expected = json!({ "elicitation": { "url": {} } });
    check(&|| page(builder()), expected.clone(), expected).await;
    let expected = json!({ "elicitation": { "form": {}, "url": {} } });
    check(&|| page(form(builder())), expected.clone(), expected).await;
    let expected = json!({ "sampling": {} });
    check(&|| builder().on_sample(|_| async { Ok(model_says("")) }), expected.clone(), expected)
        .await;
    let expected = json!({ "sampling": { "tools": {} } });
    let tools = || builder().on_sample_with_tools(|_| async { Ok(model_says("")) });
    check(&tools, expected.clone(), expected).await;
    let roots = || builder().roots([]);
    check(&roots, json!({ "roots": { "listChanged": true } }), json!({ "roots": {} })).await;
}

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

/// [BOTH-SAMP-05] hints are parts of names, and their order is the order of preference.
#[tokio::test]
async fn hints_are_ordered_parts_of_names() {
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

/// [CLI-ROOTS-01] only `file:` addresses can be roots, from the start and later, and a server sees
/// exactly those that were given.
#[tokio::test(start_paused = true)]
async fn roots_are_files() {
    for uri in ["https://a.example", "/home", "home", "", "file:/home", "FILE", "memo://a"] {
        let (transport, _fake) = Fake::pair();
        let error = builder().roots([Root::new(uri)]).connect(transport).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{uri}");
        let (client, mut fake) = connected(SESSION, builder().roots([])).await;
        let error =
            client.set_roots([Root::new("file:///fine"), Root::new(uri)]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{uri}");
        let roots = fake.ask(1, "roots/list", json!({})).await;
        assert_eq!(roots["result"]["roots"], json!([]), "nothing changed");
    }
    let (client, _fake) = connected(SESSION, builder()).await;
    let error = client.set_roots([Root::new("file:///a")]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "roots were never declared");
}

/// [CLI-ROOTS-02] a change is told to the server of a session, which then sees the new list; a
/// modern server is told nothing and sees it when it asks.
#[tokio::test(start_paused = true)]
async fn changed_roots_are_told() {
    let mut root = Root::new("file:///b");
    root.name = Some("B".into());
    let expected = json!({ "roots": [{ "uri": "file:///b", "name": "B" }] });
    for revision in Revision::ALL {
        let (client, mut fake) =
            connected(revision, builder().roots([Root::new("file:///a")])).await;
        client.set_roots([root.clone()]).await.unwrap();
        if !revision.is_modern() {
            fake.expect_like(
                json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }),
            )
            .await;
            assert_eq!(fake.ask(1, "roots/list", json!({})).await["result"], expected);
            continue;
        }
        let (called, ()) = tokio::join!(client.call("any", json!({})), async {
            let first = fake.expect("tools/call").await;
            let questions = json!({ "r": { "method": "roots/list" } });
            fake.answer(
                &first,
                json!({ "resultType": "input_required", "inputRequests": questions }),
            )
            .await;
            let second = fake.expect("tools/call").await;
            assert_eq!(second["params"]["inputResponses"]["r"], expected);
            fake.answer(&second, said("seen")).await;
        });
        assert_eq!(heard(&called.unwrap()), "seen");
    }
}

/// [BOTH-PING-01] a ping is answered with an empty result at once, also while a call is open and a
/// handler is busy.
#[tokio::test(start_paused = true)]
async fn pings_are_answered_at_once() {
    for revision in Revision::ALL {
        let builder = builder().on_sample(|_| std::future::pending());
        let (client, mut fake) = connected(revision, builder).await;
        let calling = tokio::spawn(async move { client.call("slow", json!({})).await });
        let call = fake.expect("tools/call").await;
        if !revision.is_modern() {
            let params = json!({ "messages": [], "maxTokens": 1 });
            fake.send(json!({ "jsonrpc": "2.0", "id": "busy", "method": "sampling/createMessage", "params": params }))
                .await;
        }
        for id in [json!(1), json!("1"), json!("a-b"), json!(-7)] {
            let pong = fake.ask(id, "ping", json!({})).await;
            assert_eq!(pong["result"], json!({}));
        }
        fake.answer(&call, said("done")).await;
        calling.await.unwrap().unwrap();
    }
}

/// The panic of a function for the server's requests is that request's error and nothing more.
#[tokio::test(start_paused = true)]
async fn a_panicking_function_costs_one_request() {
    let builder = builder().on_sample(|params| async move {
        assert!(params.max_tokens > 1, "a secret");
        Ok(model_says("fine"))
    });
    let (_client, mut fake) = connected(SESSION, builder).await;
    let broken =
        fake.ask(1, "sampling/createMessage", json!({ "messages": [], "maxTokens": 1 })).await;
    assert_eq!(broken["error"]["code"], -32603);
    assert!(!broken.to_string().contains("secret"), "{broken}");
    let fine =
        fake.ask(2, "sampling/createMessage", json!({ "messages": [], "maxTokens": 2 })).await;
    assert!(fine.get("result").is_some(), "{fine}");
}

/// So is the panic of a function that only takes notice: the connection goes on.
#[tokio::test(start_paused = true)]
async fn a_panicking_listener_costs_nothing() {
    for revision in ERAS {
        let builder = builder().on_event(|_| panic!("not prepared for this"));
        let (client, mut fake) = connected(revision, builder).await;
        let options =
            docent_mcp::client::RequestOptions::new().on_progress(|_| panic!("nor for this"));
        let (called, ()) = tokio::join!(client.call_with("any", json!({}), options), async {
            let call = fake.expect("tools/call").await;
            fake.notify("notifications/tools/list_changed", json!({})).await;
            let token = &call["params"]["_meta"]["progressToken"];
            fake.notify("notifications/progress", json!({ "progressToken": token, "progress": 1 }))
                .await;
            fake.answer(&call, said("still here")).await;
        });
        assert_eq!(heard(&called.unwrap()), "still here");
    }
}

/// What servers tell becomes events, in order; what cannot be read is left out, what nobody knows
/// is passed on.
#[tokio::test(start_paused = true)]
async fn notifications_become_events() {
    for revision in ERAS {
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        let builder = builder().on_event(move |event| drop(tell.send(format!("{event:?}"))));
        let (_client, mut fake) = connected(revision, builder).await;
        for (method, params) in [
            ("notifications/tools/list_changed", json!({})),
            ("notifications/prompts/list_changed", json!({})),
            ("notifications/resources/list_changed", json!({})),
            ("notifications/resources/updated", json!({ "uri": 7 })),
            ("notifications/resources/updated", json!({ "uri": "memo://a" })),
            ("notifications/message", json!({ "level": "loud", "data": 1 })),
            (
                "notifications/message",
                json!({ "level": "error", "logger": "l", "data": { "a": 1 } }),
            ),
            ("notifications/progress", json!({ "progressToken": "nobody's", "progress": 1 })),
            ("com.example/own", json!({ "b": 2 })),
        ] {
            fake.notify(method, params).await;
        }
        let mut events = Vec::new();
        while events.last().is_none_or(|last: &String| !last.contains("com.example/own")) {
            events.push(told.recv().await.unwrap());
        }
        let starts = [
            "ToolsChanged",
            "PromptsChanged",
            "ResourcesChanged",
            r#"ResourceUpdated("memo://a")"#,
            "Log(",
            "Other",
        ];
        assert_eq!(events.len(), starts.len(), "{events:?}");
        for (event, start) in events.iter().zip(starts) {
            assert!(event.starts_with(start), "{event}");
        }
    }
}

/// A client's own notifications go out as they are.
#[tokio::test(start_paused = true)]
async fn notifications_can_be_sent() {
    let (client, mut fake) = connected(SESSION, builder()).await;
    client.notify("com.example/own", Some(JsonObject::new())).await.unwrap();
    fake.expect_like(json!({ "jsonrpc": "2.0", "method": "com.example/own", "params": {} })).await;
    client.notify("com.example/bare", None).await.unwrap();
    fake.expect_like(json!({ "jsonrpc": "2.0", "method": "com.example/bare" })).await;
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
