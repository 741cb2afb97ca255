//! Functions that a client is built with: what they declare, and what their panics cost.

use docent_mcp::client::ClientBuilder;
use docent_mcp::types::{ElicitAction, ElicitResult, Revision};
use serde_json::{Value, json};

use super::fake::{Fake, connected, said};
use super::sampling::model_says;
use super::{SESSION, builder};

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
