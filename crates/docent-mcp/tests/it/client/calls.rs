//! Requests by name, in every revision.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use docent_mcp::ErrorKind;
use docent_mcp::client::{Client, RequestOptions, ServerEvent};
use docent_mcp::types::{CompletionReference, LoggingLevel, ResourceContents, Revision};
use serde_json::{Value, json};

use super::fake::{connected, error, heard};
use super::{builder, with_fixture};

/// The same program against the same server, in every revision.
#[tokio::test(start_paused = true)]
async fn a_program_does_not_notice_the_revision() {
    for revision in Revision::ALL {
        let logged = Arc::new(Mutex::new(Vec::new()));
        let noted = logged.clone();
        let builder = builder().on_event(move |event| {
            if let ServerEvent::Log(message) = event {
                noted.lock().unwrap().push(message.data);
            }
        });
        let client = with_fixture(revision, builder).await;
        everything(&client).await;
        assert_eq!(*logged.lock().unwrap(), [json!("loud")], "{revision}");
        client.close().await;
    }
}

async fn everything(client: &Client) {
    let revision = client.server().revision;
    let echo = client.tool("echo").await.unwrap().unwrap();
    assert_eq!(echo.input_schema["required"], json!(["message"]));
    assert!(client.tool("nothing").await.unwrap().is_none());

    assert_eq!(heard(&client.call("echo", json!({ "message": "hi" })).await.unwrap()), "hi");
    let sum = client.call("add", json!({ "a": 1, "b": 2 })).await.unwrap();
    let structured = (revision >= Revision::V2025_06_18).then(|| json!({ "sum": 3.0 }));
    assert_eq!(sum.structured_content, structured, "{revision}");
    let failed = client.call("fail", json!(null)).await.unwrap();
    assert!(failed.failed() && heard(&failed).contains("it failed"));
    assert_eq!(client.call("panic", json!({})).await.unwrap_err().code(), Some(-32603));
    assert!(client.call("nothing", json!({})).await.unwrap_err().is_invalid_params());
    assert_eq!(client.call("media", json!({})).await.unwrap().content.len(), 3);

    let steps = Arc::new(Mutex::new(Vec::new()));
    let noted = steps.clone();
    let options = RequestOptions::new().on_progress(move |report| {
        noted.lock().unwrap().push((report.progress, report.total, report.message));
    });
    client.call_with("progress", json!({ "steps": 2 }), options).await.unwrap();
    let message = |n| (revision > Revision::V2024_11_05).then(|| format!("step {n}"));
    let expected = [(1.0, Some(2.0), message(1)), (2.0, Some(2.0), message(2))];
    assert_eq!(*steps.lock().unwrap(), expected, "{revision}");

    let uris: Vec<_> = client.resources().await.unwrap().into_iter().map(|one| one.uri).collect();
    assert_eq!(uris, ["memo://hello", "memo://logo"]);
    let templates = client.templates().await.unwrap();
    assert_eq!(templates[0].uri_template, "memo://item/{id}");
    let hello = client.read("memo://hello").await.unwrap();
    assert!(
        matches!(&hello.contents[..], [ResourceContents::Text(text)] if text.text == "Hello from memo")
    );
    let item = client.read("memo://item/7").await.unwrap();
    assert!(
        matches!(&item.contents[..], [ResourceContents::Text(text)] if text.text.contains('7'))
    );

    assert_eq!(client.prompts().await.unwrap()[0].name, "greet");
    let greeting = client.prompt("greet", [("name", "Ada")]).await.unwrap();
    assert_eq!(greeting.messages.len(), 1);
    let style = |name: &str, known: &[(&str, &str)]| {
        let reference: CompletionReference =
            serde_json::from_value(json!({ "type": "ref/prompt", "name": "greet" })).unwrap();
        let known: BTreeMap<_, _> =
            known.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let name = name.to_owned();
        async move { client.complete(reference, &name, "f", known).await.unwrap().values }
    };
    assert_eq!(style("style", &[]).await, ["formal", "friendly"]);
    // The arguments that are known already came with 2025-06-18.
    let expected: &[&str] = match revision >= Revision::V2025_06_18 {
        true => &["formal"],
        false => &["formal", "friendly"],
    };
    assert_eq!(style("style", &[("name", "Dr. Who")]).await, expected, "{revision}");

    client.ping().await.unwrap();
    client.set_log_level(LoggingLevel::Warning).await.unwrap();
    for (level, message) in [("info", "quiet"), ("error", "loud")] {
        client.call("log", json!({ "level": level, "message": message })).await.unwrap();
    }
}

/// [CLI-RES-03] a resource that does not exist is recognized, whichever code a revision has for it.
#[tokio::test(start_paused = true)]
async fn a_missing_resource_is_recognized_in_every_revision() {
    for revision in Revision::ALL {
        let client = with_fixture(revision, builder()).await;
        let error = client.read("memo://item/0").await.unwrap_err();
        assert!(error.is_resource_not_found(), "{revision}: {error:?}");
        let expected = if revision.is_modern() { -32602 } else { -32002 };
        assert_eq!(error.code(), Some(expected), "{revision}");
    }
}

/// [CLI-RES-03] also from a server that mixes the codes of two revisions up; other errors are not
/// taken for it.
#[tokio::test(start_paused = true)]
async fn the_codes_of_both_eras_are_understood_in_both() {
    for revision in super::ERAS {
        let (client, mut fake) = connected(revision, builder()).await;
        for (error, missing) in [
            (json!({ "code": -32002, "message": "" }), true),
            (json!({ "code": -32602, "message": "", "data": { "uri": "memo://a" } }), true),
            (json!({ "code": -32602, "message": "" }), false),
            (json!({ "code": -32602, "message": "", "data": { "name": "a" } }), false),
            (json!({ "code": -32603, "message": "", "data": { "uri": "memo://a" } }), false),
        ] {
            let (read, ()) = tokio::join!(client.read("memo://a"), async {
                let request = fake.expect("resources/read").await;
                fake.refuse(&request, error.clone()).await;
            });
            assert_eq!(read.unwrap_err().is_resource_not_found(), missing, "{error}");
        }
    }
}

/// Arguments are an object or nothing, and a caller who passes something else is told before
/// anything is sent.
#[tokio::test(start_paused = true)]
async fn arguments_are_an_object() {
    let (client, mut fake) = connected(Revision::V2026_07_28, builder()).await;
    for arguments in [json!([1]), json!("text"), json!(7)] {
        let error = client.call("any", arguments).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    }
    let unwritable: BTreeMap<Vec<u8>, u8> = [(vec![1], 2)].into();
    assert_eq!(client.call("any", unwritable).await.unwrap_err().kind(), ErrorKind::InvalidInput);
    fake.expect_silence().await;
}

/// An error of the server keeps its code, message and data, and is of another kind than anything
/// that goes wrong here.
#[tokio::test(start_paused = true)]
async fn errors_of_the_server_are_kept_whole() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    let (called, ()) = tokio::join!(client.call("any", json!({})), async {
        let request = fake.expect("tools/call").await;
        let error = json!({ "code": 1234, "message": "Out of tea", "data": { "pot": 1 } });
        fake.refuse(&request, error).await;
    });
    let error = called.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Rpc, Some(1234)));
    let rpc = error.rpc().unwrap();
    assert_eq!((rpc.message.as_str(), &rpc.data), ("Out of tea", &Some(json!({ "pot": 1 }))));
    assert!(error.to_string().contains("Out of tea"));
}

/// [CLI-TOOLS-08] structured content is held against the schema that the tool was listed with,
/// unless the tool failed.
#[tokio::test(start_paused = true)]
async fn structured_content_is_checked() {
    let good = json!({ "sum": 3 });
    let cases: [(Value, Result<(), &str>); 6] = [
        (json!({ "content": [], "structuredContent": good }), Ok(())),
        (json!({ "content": [], "structuredContent": { "sum": "three" } }), Err("sum")),
        (json!({ "content": [], "structuredContent": {} }), Err("sum")),
        (json!({ "content": [] }), Err("no structured content")),
        (json!({ "content": [], "isError": true }), Ok(())),
        (json!({ "content": [], "isError": true, "structuredContent": { "sum": "?" } }), Ok(())),
    ];
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28] {
        let (client, mut fake) = connected(revision, builder()).await;
        let (tools, ()) = tokio::join!(client.tools(), async {
            let list = fake.expect("tools/list").await;
            let schema = json!({
                "type": "object",
                "properties": { "sum": { "type": "number" } },
                "required": ["sum"],
            });
            let tools = json!([
                { "name": "add", "inputSchema": { "type": "object" }, "outputSchema": schema },
                { "name": "free", "inputSchema": { "type": "object" } },
                { "name": "odd", "inputSchema": { "type": "object" }, "outputSchema": { "$schema": "x:y" } },
            ]);
            fake.answer(&list, json!({ "tools": tools })).await;
        });
        assert_eq!(tools.unwrap().len(), 3);
        for (result, expected) in &cases {
            let call = async |tool: &str| {
                let (called, ()) = tokio::join!(client.call(tool, json!({})), async {
                    let call = fake.expect("tools/call").await;
                    fake.answer(&call, result.clone()).await;
                });
                called
            };
            let (mut call, mut checked) = (call, Ok(()));
            match (call("add").await, expected) {
                (Ok(_), Ok(())) => {}
                (Err(error), Err(named)) => {
                    assert_eq!(error.kind(), ErrorKind::InvalidResponse);
                    assert!(
                        error.to_string().contains("`add`") && error.to_string().contains(named),
                        "{error}"
                    );
                }
                (outcome, _) => checked = Err(format!("{result}: {outcome:?}")),
            }
            assert_eq!(checked, Ok(()));
            // A tool without a schema, one with a schema nobody here can read, and one that was
            // never listed are not held to anything.
            for tool in ["free", "odd", "unlisted"] {
                call(tool).await.unwrap();
            }
        }
    }
}

/// [CLI-TOOLS-08] a modern result may be any JSON value, also `null`.
#[tokio::test(start_paused = true)]
async fn structured_content_may_be_no_object() {
    let client = with_fixture(Revision::V2026_07_28, builder()).await;
    client.tools().await.unwrap();
    let list = client.call("list", json!({})).await.unwrap();
    assert_eq!(list.structured_content, Some(json!([1, 2])));

    let (client, mut fake) = connected(Revision::V2026_07_28, builder()).await;
    let tool = json!({ "name": "nil", "inputSchema": { "type": "object" }, "outputSchema": { "type": "null" } });
    let (tools, ()) = tokio::join!(client.tools(), async {
        let list = fake.expect("tools/list").await;
        fake.answer(&list, json!({ "tools": [tool] })).await;
    });
    tools.unwrap();
    let (called, ()) = tokio::join!(client.call("nil", json!({})), async {
        let call = fake.expect("tools/call").await;
        fake.answer(&call, json!({ "content": [], "structuredContent": null })).await;
    });
    assert_eq!(called.unwrap().structured_content, Some(json!(null)));
}

/// [CLI-RESULT-02] a result without a type is complete; a type that nobody knows is an error, and
/// so is one of an extension that the server did not declare.
#[tokio::test(start_paused = true)]
async fn the_type_of_a_result_is_looked_at_first() {
    let cases = [
        (json!({ "content": [] }), Ok(())),
        (json!({ "content": [], "resultType": "complete" }), Ok(())),
        (json!({ "content": [], "resultType": "task" }), Err("\"task\"")),
        (json!({ "content": [], "resultType": "surprise" }), Err("\"surprise\"")),
        (json!({ "content": [], "resultType": "" }), Err("\"\"")),
        (json!({ "content": [], "resultType": 7 }), Err("cannot be read")),
        (json!({ "content": [], "resultType": null }), Err("cannot be read")),
        (json!({ "resultType": "input_required" }), Err("without saying which")),
        (json!([]), Err("cannot be read")),
    ];
    let plain = builder();
    let extended = builder().extension("com.example/tasks", Default::default());
    for builder in [plain, extended] {
        let (client, mut fake) = connected(Revision::V2026_07_28, builder).await;
        for (result, expected) in &cases {
            let (called, ()) = tokio::join!(client.call("any", json!({})), async {
                let call = fake.expect("tools/call").await;
                fake.answer(&call, result.clone()).await;
            });
            match (called, expected) {
                (Ok(_), Ok(())) => {}
                (Err(error), Err(named)) => {
                    assert_eq!(error.kind(), ErrorKind::InvalidResponse, "{result}");
                    assert!(error.to_string().contains(named), "{error}");
                }
                (outcome, _) => panic!("{result}: {outcome:?}"),
            }
        }
    }
}

/// [CLI-RESULT-02] the types of an extension that both sides declared come through where any
/// result is fine, and are never taken for the result of a tool.
#[tokio::test(start_paused = true)]
async fn results_of_an_active_extension_are_for_those_who_ask() {
    let builder = builder().extension("com.example/tasks", Default::default());
    let (transport, mut fake) = super::fake::Fake::pair();
    let capabilities = json!({ "tools": {}, "extensions": { "com.example/tasks": {} } });
    let opening = fake.open_with(Revision::V2026_07_28, capabilities);
    let (client, _) = tokio::join!(builder.connect(transport), opening);
    let client = client.unwrap();
    let task = json!({ "resultType": "task", "taskId": "t" });
    let serving = async |fake: &mut super::fake::Fake| {
        let call = fake.expect("tools/call").await;
        fake.answer(&call, task.clone()).await;
    };
    let params = super::object(json!({ "name": "any" }));
    let asking = client.request("tools/call", params, RequestOptions::new());
    let (raw, ()) = tokio::join!(asking, serving(&mut fake));
    assert_eq!(raw.unwrap().decode::<Value>().unwrap(), task);
    let (called, ()) = tokio::join!(client.call("any", json!({})), serving(&mut fake));
    assert_eq!(called.unwrap_err().kind(), ErrorKind::InvalidResponse);
}

/// A result of the right type that does not hold what it must is an error that names the method.
#[tokio::test(start_paused = true)]
async fn a_result_that_does_not_fit_is_an_error() {
    let (client, mut fake) = connected(Revision::V2025_11_25, builder()).await;
    for result in [json!({ "contents": 7 }), json!({}), json!(null), json!("text")] {
        let (read, ()) = tokio::join!(client.read("memo://a"), async {
            let request = fake.expect("resources/read").await;
            fake.answer(&request, result.clone()).await;
        });
        let error = read.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidResponse, "{result}");
        assert!(error.to_string().contains("resources/read"), "{error}");
    }
    let (called, ()) = tokio::join!(client.call("any", json!({})), async {
        let request = fake.expect("tools/call").await;
        fake.refuse(&request, error(-32603)).await;
    });
    assert_eq!(called.unwrap_err().code(), Some(-32603), "the connection is fine");
}
