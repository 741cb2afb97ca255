//! What was not agreed on is not used.

use std::collections::BTreeMap;

use docent_mcp::client::{Client, RequestOptions};
use docent_mcp::types::{
    CreateMessageResult, ElicitAction, ElicitResult, LoggingLevel, Revision, Root,
};
use docent_mcp::{Error, ErrorKind};
use serde_json::{Value, json};

use super::fake::{Fake, connected};
use super::{builder, object};

async fn session(revision: Revision, capabilities: Value) -> (Client, Fake) {
    let (transport, mut fake) = Fake::pair();
    let opening = fake.open_with(revision, capabilities);
    let (client, _) = tokio::join!(builder().connect(transport), opening);
    (client.unwrap(), fake)
}

/// Everything that a server has to offer first, by the capability it takes.
async fn uses(client: &Client) -> Vec<(&'static str, Result<(), Error>)> {
    let prompt = || serde_json::from_value(json!({ "type": "ref/prompt", "name": "p" })).unwrap();
    let nothing: [(&str, &str); 0] = [];
    vec![
        ("tools", client.tools().await.map(drop)),
        ("tools", client.tool_pages().next().await.map(drop)),
        ("tools", client.call("t", json!({})).await.map(drop)),
        ("prompts", client.prompts().await.map(drop)),
        ("prompts", client.prompt("p", nothing).await.map(drop)),
        ("resources", client.resources().await.map(drop)),
        ("resources", client.templates().await.map(drop)),
        ("resources", client.read("memo://a").await.map(drop)),
        ("subscribe", client.subscribe("memo://a").await),
        ("subscribe", client.unsubscribe("memo://a").await),
        ("completions", client.complete(prompt(), "a", "", BTreeMap::new()).await.map(drop)),
        ("logging", client.set_log_level(LoggingLevel::Info).await),
    ]
}

/// [BOTH-INIT-05] in a session, what the server did not declare is refused here and never sent;
/// what it declared is.
#[tokio::test(start_paused = true)]
async fn undeclared_features_of_a_server_are_not_used() {
    let declarations = [
        (json!({}), &[][..]),
        (json!({ "tools": {} }), &["tools"]),
        (json!({ "prompts": {}, "completions": {} }), &["prompts", "completions"]),
        (json!({ "resources": {} }), &["resources"]),
        (json!({ "resources": { "subscribe": false } }), &["resources"]),
        (json!({ "resources": { "subscribe": true } }), &["resources", "subscribe"]),
        (json!({ "logging": {} }), &["logging"]),
    ];
    for revision in [Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25] {
        for (capabilities, declared) in &declarations {
            let (client, fake) = session(revision, capabilities.clone()).await;
            let mut asked = Vec::new();
            let using = async {
                let outcomes = uses(&client).await;
                client.close().await;
                outcomes
            };
            let serving = fake.serve(|method, _| {
                asked.push(method.to_owned());
                Some(json!({ "refused": "by its shape" }))
            });
            let (outcomes, ()) = tokio::join!(using, serving);
            let mut allowed = 0;
            for (feature, outcome) in outcomes {
                let refused_here =
                    outcome.is_err_and(|error| error.kind() == ErrorKind::Unsupported);
                assert_eq!(refused_here, !declared.contains(&feature), "{capabilities}: {feature}");
                allowed += usize::from(!refused_here);
            }
            assert_eq!(asked.len(), allowed, "{capabilities}: {asked:?}");
        }
    }
}

/// [BOTH-INIT-05] the first revision had completion without a way to declare it.
#[tokio::test(start_paused = true)]
async fn the_first_revision_cannot_declare_completion() {
    let (client, fake) = session(Revision::V2024_11_05, json!({})).await;
    let reference = serde_json::from_value(json!({ "type": "ref/prompt", "name": "p" })).unwrap();
    let completing = async {
        let completion = client.complete(reference, "a", "", BTreeMap::new()).await;
        client.close().await;
        completion
    };
    let serving = fake.serve(|_, _| Some(json!({ "completion": { "values": ["x"] } })));
    let (completion, ()) = tokio::join!(completing, serving);
    assert_eq!(completion.unwrap().values, ["x"]);
}

/// Whoever knows better can still ask: the request by name is not held back.
#[tokio::test(start_paused = true)]
async fn a_request_by_name_is_the_callers_own_business() {
    let (client, mut fake) = session(Revision::V2025_11_25, json!({})).await;
    let asking = client.request("tools/list", object(json!({})), RequestOptions::new());
    let (asked, ()) = tokio::join!(asking, async {
        let list = fake.expect("tools/list").await;
        fake.answer(&list, json!({ "tools": [] })).await;
    });
    asked.unwrap();
}

/// [BOTH-INIT-05] requests of a server for which nothing was declared are refused: the method does
/// not exist for it.
#[tokio::test(start_paused = true)]
async fn undeclared_features_of_the_client_are_refused() {
    let requests = [
        (
            "elicitation/create",
            json!({ "message": "?", "requestedSchema": { "type": "object", "properties": {} } }),
        ),
        ("sampling/createMessage", json!({ "messages": [], "maxTokens": 1 })),
        ("roots/list", json!({})),
        ("tasks/get", json!({ "taskId": "t" })),
        ("tools/list", json!({})),
        ("com.example/own", json!({})),
    ];
    for revision in Revision::ALL {
        let (_client, mut fake) = connected(revision, builder()).await;
        for (method, params) in &requests {
            let answer = fake.ask("s1", method, params.clone()).await;
            assert_eq!(answer["error"]["code"], -32601, "{revision} {method}");
        }
    }
}

/// [BOTH-INIT-05] what the agreed revision does not have is refused even though the client could
/// do it: elicitation before 2025-06-18, pages and tools for the model before 2025-11-25.
#[tokio::test(start_paused = true)]
async fn later_features_do_not_exist_in_earlier_sessions() {
    let able = || {
        builder()
            .on_elicit_form(|_| async { Ok(ElicitResult::of(ElicitAction::Decline)) })
            .on_elicit_url(|_| async { Ok(ElicitAction::Decline) })
            .on_sample_with_tools(|_| async { Ok(CreateMessageResult::default()) })
            .roots([Root::new("file:///a")])
    };
    let form = json!({ "message": "?", "requestedSchema": { "type": "object", "properties": {} } });
    let page =
        json!({ "mode": "url", "message": "?", "url": "https://a.example", "elicitationId": "e" });
    let tools = json!({
        "messages": [], "maxTokens": 1,
        "tools": [{ "name": "t", "inputSchema": { "type": "object" } }],
    });
    for (revision, for_form, for_page, for_tools) in [
        (Revision::V2024_11_05, Some(-32601), Some(-32601), Some(-32602)),
        (Revision::V2025_03_26, Some(-32601), Some(-32601), Some(-32602)),
        (Revision::V2025_06_18, None, Some(-32602), Some(-32602)),
        (Revision::V2025_11_25, None, None, None),
        (Revision::V2026_07_28, Some(-32601), Some(-32601), Some(-32601)),
    ] {
        let (_client, mut fake) = connected(revision, able()).await;
        for (method, params, expected) in [
            ("elicitation/create", &form, for_form),
            ("elicitation/create", &page, for_page),
            ("sampling/createMessage", &tools, for_tools),
        ] {
            let answer = fake.ask(1, method, params.clone()).await;
            assert_eq!(answer["error"]["code"].as_i64(), expected, "{revision} {params}: {answer}");
        }
    }
}
