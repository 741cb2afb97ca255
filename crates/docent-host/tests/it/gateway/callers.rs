//! Who may share a connection with whom, and what nobody may see of others.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use docent_host::Gateway;
use docent_mcp::client::{Client, RequestOptions};
use docent_mcp::types::{ElicitAction, ElicitResult, JsonObject, Revision, Root};
use serde_json::{Value, json};

use crate::fixture::{Behind, Way, before, client, connect, host, server, soon, source, text};

/// A client that answers forms with its own name.
fn named(name: &'static str, revision: Revision) -> docent_mcp::client::ClientBuilder {
    Client::builder(name, "1.0").revisions([revision]).on_elicit_form(move |_| async move {
        // Long enough for the others to ask as well.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let content = serde_json::from_value(json!({ "name": name })).ok();
        Ok(ElicitResult { action: ElicitAction::Accept, content, ..Default::default() })
    })
}

#[tokio::test]
async fn a_question_reaches_the_client_whose_call_it_is_for() {
    for client_era in crate::fixture::ERAS {
        for server_era in crate::fixture::ERAS {
            for way in [Way::Memory, Way::Http] {
                let gateway = Arc::new(before(server_era, &Behind::default()).build());
                let mut calling = tokio::task::JoinSet::new();
                for name in ["Ada", "Alan", "Grace", "Edsger", "Barbara", "Donald"] {
                    let client = connect(&gateway, way, named(name, client_era)).await;
                    calling.spawn(async move {
                        for _ in 0..3 {
                            let result = soon(client.call("ask_name", json!({}))).await;
                            let result = result.unwrap_or_else(|e| panic!("{way:?}: {e:#}"));
                            assert_eq!(text(&result), format!("Hello, {name}!"), "{way:?}");
                        }
                    });
                }
                while let Some(called) = calling.join_next().await {
                    called.unwrap_or_else(|e| panic!("{client_era} {server_era} {way:?}: {e}"));
                }
            }
        }
    }
}

#[tokio::test]
async fn one_client_alone_needs_one_connection_to_each_server() {
    for era in crate::fixture::ERAS {
        let behind = Behind::default();
        let gateway = Arc::new(before(Revision::NEWEST_LEGACY, &behind).build_for_one());
        let (builder, _events) = client(era);
        let client = connect(&gateway, Way::Memory, builder).await;
        soon(client.tools()).await.unwrap();
        assert_eq!(text(&soon(client.call("ask_name", json!({}))).await.unwrap()), "Hello, Ada!");
        assert_eq!(behind.connections.load(Ordering::Relaxed), 1, "{era}");
    }
}

/// A server learns of each client what that client can do, and nothing of the others.
#[tokio::test]
async fn what_a_client_can_do_is_declared_for_it_and_nothing_else() {
    for server_era in crate::fixture::ERAS {
        for client_era in crate::fixture::ERAS {
            let modern = server_era.is_modern() && client_era.is_modern();
            let legacy = !server_era.is_modern() && !client_era.is_modern();
            // What only one era has is declared only where both are of it.
            let roots = if legacy { json!({ "listChanged": true }) } else { json!({}) };
            let extensions = |id: &str| match modern {
                true => json!({ "extensions": { id: {} } }),
                false => json!({}),
            };
            let plain = || Client::builder("plain", "1.0").revisions([client_era]);
            let folders = plain().roots([Root::new("file:///x")]);
            let extended = plain().extension("com.example/x", JsonObject::new());
            let forms = json!({ "elicitation": { "form": {} } });
            let all = json!({ "roots": roots, "sampling": {}, "elicitation": { "form": {} } });
            let gateway = Arc::new(before(server_era, &Behind::default()).build());
            let mut clients = Vec::new();
            for (name, builder, expected) in [
                ("mute", plain(), json!({})),
                ("folders", folders, json!({ "roots": roots })),
                ("forms", named("Ada", client_era), forms),
                ("all", client(client_era).0, all),
                ("tasks", plain().tasks(), extensions("io.modelcontextprotocol/tasks")),
                ("extended", extended, extensions("com.example/x")),
            ] {
                clients.push((name, connect(&gateway, Way::Memory, builder).await, expected));
            }
            // Twice, so that each comes after all others as well.
            for (name, client, expected) in clients.iter().chain(&clients) {
                let result = soon(client.call("declared", json!({}))).await.unwrap();
                let declared: Value = serde_json::from_str(text(&result)).unwrap();
                assert_eq!(declared, *expected, "{name}: {client_era}, server {server_era}");
            }
            // So a server knows whom it cannot ask, and says so itself.
            let (_, mute, _) = &clients[0];
            let asked = soon(mute.call("ask_name", json!({}))).await;
            let missing = "the client did not declare the capability that this needs: elicitation";
            match (server_era.is_modern(), asked) {
                (false, Ok(result)) => {
                    assert_eq!((text(&result), result.failed()), (missing, true))
                }
                (true, Err(error)) => {
                    let rpc = error.rpc().unwrap();
                    let code = if client_era.is_modern() { -32021 } else { -32603 };
                    let needed =
                        json!({ "requiredCapabilities": { "elicitation": { "form": {} } } });
                    assert_eq!(
                        (rpc.code, rpc.data.as_ref()),
                        (code, Some(&needed)),
                        "{client_era}"
                    );
                }
                (_, other) => panic!("{client_era}, server {server_era}: {other:?}"),
            }
        }
    }
}

/// Whoever has another request's state cannot use it for a request of their own.
#[tokio::test]
async fn state_is_good_for_its_own_request_only() {
    for server_era in crate::fixture::ERAS {
        let gateway = Arc::new(before(server_era, &Behind::default()).build());
        let (builder, _events) = client(Revision::NEWEST_MODERN);
        let client = connect(&gateway, Way::Memory, builder).await;
        let params = |value: serde_json::Value| -> JsonObject {
            serde_json::from_value(value).expect("an object")
        };
        let ask = params(json!({ "name": "one__ask_name", "arguments": {} }));
        let options = || RequestOptions::new().hand_over_questions();
        let asked = client.request("tools/call", ask.clone(), options()).await.unwrap();
        let asked: serde_json::Value = asked.decode().unwrap();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
        let answers = json!({ key: { "action": "accept", "content": { "name": "Eve" } } });
        let mut other = params(json!({ "name": "one__ask_twice", "arguments": {} }));
        let mut changed = ask.clone();
        let state = asked["requestState"].as_str().unwrap();
        for (params, state) in [
            (&mut other, state.to_owned()),
            (&mut changed, format!("{}x", &state[..state.len() - 1])),
        ] {
            params.insert("inputResponses".into(), answers.clone());
            params.insert("requestState".into(), state.into());
            let refused = client.request("tools/call", params.clone(), options()).await;
            assert!(refused.unwrap_err().is_invalid_params(), "{server_era}");
        }
        let mut good = ask;
        good.insert("inputResponses".into(), answers);
        good.insert("requestState".into(), state.into());
        let done = client.request("tools/call", good, options()).await.unwrap();
        let done: serde_json::Value = done.decode().unwrap();
        assert_eq!(done["content"][0]["text"], "Hello, Eve!", "{done}");
    }
}

#[tokio::test]
async fn too_many_calls_are_refused_with_the_time_to_wait() {
    let gateway = before(Revision::NEWEST_MODERN, &Behind::default());
    let gateway = Arc::new(gateway.rate_limit(4, Duration::from_secs(3600)).build());
    let greedy = connect(&gateway, Way::Memory, client(Revision::NEWEST_MODERN).0).await;
    let mut refused = None;
    for _ in 0..5 {
        let called = soon(greedy.call("one__echo", json!({ "message": "x" }))).await;
        refused = called.err().or(refused);
    }
    let refused = refused.expect("more than the burst");
    let data = refused.rpc().and_then(|rpc| rpc.data.clone()).unwrap();
    assert!(data["retryAfterMs"].as_u64().is_some_and(|wait| wait > 0), "{data}");
    let modest = connect(&gateway, Way::Memory, client(Revision::NEWEST_MODERN).0).await;
    assert!(soon(modest.call("one__echo", json!({ "message": "x" }))).await.is_ok());
}

#[tokio::test]
async fn two_servers_with_the_same_things_are_told_apart() {
    let behind = Behind::default();
    let (one, two) =
        (server(Revision::NEWEST_LEGACY, &behind), server(Revision::NEWEST_MODERN, &behind));
    let host = host()
        .connector("one", source(&one, &behind))
        .connector("two", source(&two, &behind))
        .from_entries([]);
    let gateway = Arc::new(Gateway::builder(host).build());
    let client = connect(&gateway, Way::Http, client(Revision::NEWEST_MODERN).0).await;
    let resources = soon(client.resources()).await.unwrap();
    let uris: Vec<_> = resources.iter().map(|resource| &*resource.uri).collect();
    assert_eq!(uris, ["memo://note", "two+memo://note"]);
    for uri in uris {
        let read = soon(client.read(uri)).await.unwrap();
        assert_eq!(read.contents[0].uri(), uri);
    }
    let linked = soon(client.call("two__link", json!({}))).await.unwrap();
    let links: Vec<_> = linked
        .content
        .iter()
        .filter_map(|block| match block {
            docent_mcp::types::ContentBlock::ResourceLink(link) => Some(&*link.uri),
            _ => None,
        })
        .collect();
    assert_eq!(links, ["two+memo://note", "memo://unlisted"]);
    let ambiguous = soon(client.call("echo", json!({ "message": "x" }))).await.unwrap_err();
    assert!(format!("{ambiguous:#}").contains("one__echo or two__echo"), "{ambiguous:#}");
}
