//! Results that a server said stay fresh.

use std::time::Duration;

use docent_mcp::Limits;
use docent_mcp::client::{Client, RequestOptions};
use docent_mcp::types::{ElicitAction, ElicitResult, JsonObject, Revision};
use serde_json::{Value, json};

use super::fake::{Fake, connected, connected_within, discovered};
use super::{builder, object};

const MODERN: Revision = Revision::V2026_07_28;

/// The result of any list or read, that says it stays fresh for so long.
fn fresh(ttl_ms: Value) -> Value {
    json!({
        "resultType": "complete", "ttlMs": ttl_ms, "cacheScope": "private",
        "tools": [], "prompts": [], "resources": [], "resourceTemplates": [], "contents": [],
    })
}

/// Makes a request, and says whether the server was asked. If so, it answers this.
async fn asked(
    client: &Client,
    fake: &mut Fake,
    method: &str,
    params: Value,
    result: Value,
) -> bool {
    let requesting = {
        let (client, method) = (client.clone(), method.to_owned());
        tokio::spawn(
            async move { client.request(&method, object(params), RequestOptions::new()).await },
        )
    };
    let request = fake.try_receive().await;
    if let Some(request) = &request {
        assert_eq!(request["method"], method);
        fake.answer(request, result).await;
    }
    requesting.await.unwrap().unwrap();
    request.is_some()
}

async fn reads(client: &Client, fake: &mut Fake, uri: &str) -> bool {
    asked(client, fake, "resources/read", json!({ "uri": uri }), fresh(json!(60_000))).await
}

async fn lists(client: &Client, fake: &mut Fake, method: &str) -> bool {
    asked(client, fake, method, json!({}), fresh(json!(60_000))).await
}

const LISTS: [&str; 4] =
    ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];

/// [CLI-CACHE-02] a result is used again for as long as the server says, by method and parameters.
#[tokio::test(start_paused = true)]
async fn a_fresh_result_is_used_again() {
    let (client, mut fake) = connected(MODERN, builder()).await;
    for method in LISTS {
        assert!(lists(&client, &mut fake, method).await);
        assert!(!lists(&client, &mut fake, method).await, "{method}");
        let page =
            asked(&client, &mut fake, method, json!({ "cursor": "2" }), fresh(json!(0))).await;
        assert!(page, "another page is another result");
    }
    assert!(reads(&client, &mut fake, "memo://a").await);
    assert!(reads(&client, &mut fake, "memo://b").await);
    assert!(!reads(&client, &mut fake, "memo://a").await);
    tokio::time::advance(Duration::from_secs(61)).await;
    assert!(reads(&client, &mut fake, "memo://a").await, "its time is up");
}

/// [CLI-CACHE-02] a time that is missing, zero, negative or no number counts as none, and no time
/// is too long to be understood.
#[tokio::test(start_paused = true)]
async fn odd_times_are_no_times() {
    let (client, mut fake) = connected(MODERN, builder()).await;
    for (n, (ttl_ms, kept)) in [
        (json!(0), false),
        (json!(-1), false),
        (json!(1.5), false),
        (json!("60000"), false),
        (json!(null), false),
        (json!(u64::MAX), true),
        (json!(60_000), true),
    ]
    .into_iter()
    .enumerate()
    {
        let params = json!({ "uri": format!("memo://{n}") });
        for again in [false, true] {
            let result = fresh(ttl_ms.clone());
            let asked = asked(&client, &mut fake, "resources/read", params.clone(), result).await;
            assert_eq!(asked, !(again && kept), "{ttl_ms}");
        }
    }
}

/// [CLI-CACHE-02] a notification evicts what it is about, and nothing else.
#[tokio::test(start_paused = true)]
async fn a_change_evicts_what_changed() {
    let (client, mut fake) = connected(MODERN, builder()).await;
    let fill = async |fake: &mut Fake| {
        for method in LISTS {
            lists(&client, fake, method).await;
        }
        reads(&client, fake, "memo://a").await;
        reads(&client, fake, "memo://b").await;
    };
    for (notification, params, evicted) in [
        ("notifications/tools/list_changed", json!({}), &["tools/list"][..]),
        ("notifications/prompts/list_changed", json!({}), &["prompts/list"]),
        (
            "notifications/resources/list_changed",
            json!({}),
            &["resources/list", "resources/templates/list"],
        ),
        ("notifications/resources/updated", json!({ "uri": "memo://a" }), &["memo://a"]),
        ("notifications/message", json!({ "level": "info", "data": 1 }), &[]),
    ] {
        fill(&mut fake).await;
        fake.notify(notification, params).await;
        fake.expect_silence().await;
        for method in LISTS {
            let asked = lists(&client, &mut fake, method).await;
            assert_eq!(asked, evicted.contains(&method), "{notification}: {method}");
        }
        for uri in ["memo://a", "memo://b"] {
            let asked = reads(&client, &mut fake, uri).await;
            assert_eq!(asked, evicted.contains(&uri), "{notification}: {uri}");
        }
    }
}

/// [CLI-CACHE-02] a result that changed while it was on its way is not kept: the notification may
/// be about what the result does not show yet.
#[tokio::test(start_paused = true)]
async fn a_change_behind_a_result_is_not_lost() {
    let (client, mut fake) = connected(MODERN, builder()).await;
    for behind in [true, false] {
        let (listed, ()) = tokio::join!(client.tools(), async {
            let list = fake.expect("tools/list").await;
            let result =
                json!({ "jsonrpc": "2.0", "id": list["id"], "result": fresh(json!(60_000)) });
            let change = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
            // Both in one piece, so that the client sees the second before it uses the first.
            match behind {
                true => fake.send(format!("{result}\n{change}")).await,
                false => fake.send(format!("{change}\n{result}")).await,
            }
        });
        listed.unwrap();
        assert!(lists(&client, &mut fake, "tools/list").await, "behind: {behind}");
        fake.notify("notifications/tools/list_changed", json!({})).await;
        fake.expect_silence().await;
    }
}

/// [CLI-CACHE-02] a result that took answers of the user is never kept.
#[tokio::test(start_paused = true)]
async fn a_result_that_took_answers_is_not_kept() {
    let builder =
        builder().on_elicit_form(|_| async { Ok(ElicitResult::of(ElicitAction::Decline)) });
    let (client, mut fake) = connected(MODERN, builder).await;
    for _ in 0..2 {
        let (read, ()) = tokio::join!(client.read("memo://a"), async {
            let first = fake.expect("resources/read").await;
            let form = json!({ "message": "?", "requestedSchema": { "type": "object", "properties": {} } });
            let questions = json!({ "q": { "method": "elicitation/create", "params": form } });
            let required = json!({ "resultType": "input_required", "inputRequests": questions });
            fake.answer(&first, required).await;
            let second = fake.expect("resources/read").await;
            fake.answer(&second, fresh(json!(60_000))).await;
        });
        read.unwrap();
    }
}

/// [CLI-CACHE-02] what one client keeps is its own: another one, who may be somebody else, asks for
/// itself, whatever the scope.
#[tokio::test(start_paused = true)]
async fn nothing_is_shared_between_clients() {
    for scope in ["private", "public"] {
        for _ in 0..2 {
            let (client, mut fake) = connected(MODERN, builder()).await;
            let mut result = fresh(json!(60_000));
            result["cacheScope"] = json!(scope);
            assert!(asked(&client, &mut fake, "tools/list", json!({}), result).await);
        }
    }
}

/// Other requests are never answered from memory: calls, prompts, completion, discovery as a sign
/// of life, and everything in a legacy session.
#[tokio::test(start_paused = true)]
async fn other_requests_are_always_made() {
    let (client, mut fake) = connected(MODERN, builder()).await;
    for method in ["tools/call", "prompts/get", "completion/complete", "com.example/own"] {
        for _ in 0..2 {
            assert!(asked(&client, &mut fake, method, json!({}), fresh(json!(60_000))).await);
        }
    }
    for _ in 0..2 {
        let (pinged, ()) = tokio::join!(client.ping(), async {
            let discover = fake.expect("server/discover").await;
            let mut result = discovered(&["2026-07-28"], json!({}));
            result["ttlMs"] = json!(60_000);
            fake.answer(&discover, result).await;
        });
        pinged.unwrap();
    }
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    for _ in 0..2 {
        assert!(lists(&client, &mut fake, "tools/list").await);
    }
}

/// An error is not kept either.
#[tokio::test(start_paused = true)]
async fn errors_are_not_kept() {
    let (client, mut fake) = connected(MODERN, builder()).await;
    let params = JsonObject::new;
    let (refused, ()) =
        tokio::join!(client.request("tools/list", params(), RequestOptions::new()), async {
            let list = fake.expect("tools/list").await;
            fake.refuse(
                &list,
                json!({ "code": -32603, "message": "", "data": { "ttlMs": 60_000 } }),
            )
            .await;
        });
    refused.unwrap_err();
    assert!(lists(&client, &mut fake, "tools/list").await);
}

/// The number of results is limited, and exactly; one whose time is up makes room.
#[tokio::test(start_paused = true)]
async fn the_number_of_results_is_limited() {
    let limits = Limits { cached_results_max: 2, ..Limits::default() };
    let (client, mut fake) = connected_within(limits, MODERN).await;
    for uri in ["memo://a", "memo://b", "memo://c"] {
        assert!(reads(&client, &mut fake, uri).await);
    }
    assert!(!reads(&client, &mut fake, "memo://a").await);
    assert!(!reads(&client, &mut fake, "memo://b").await, "at the limit");
    assert!(reads(&client, &mut fake, "memo://c").await, "one past it");
    tokio::time::advance(Duration::from_secs(61)).await;
    assert!(reads(&client, &mut fake, "memo://c").await);
    assert!(!reads(&client, &mut fake, "memo://c").await);
}
