//! Clients of both eras × servers of both eras × ways to the gateway, for everything that happens
//! between a request and its result.

use std::sync::{Arc, Mutex};

use docent_host::Gateway;
use docent_mcp::client::{Called, Client, RequestOptions, ServerEvent};
use docent_mcp::types::{
    CompletionReference, ContentBlock, LoggingLevel, Meta, PromptReference,
    ResourceTemplateReference, Revision,
};
use serde_json::json;

use crate::fixture::{Behind, ERAS, Way, before, client, connect, event, soon, text};

/// One cell of the matrix.
#[derive(Debug, Clone, Copy)]
struct Cell {
    client: Revision,
    server: Revision,
    way: Way,
    /// Whether the gateway is there for this client alone.
    alone: bool,
}

fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for client in ERAS {
        for server in ERAS {
            for (way, alone) in [(Way::Memory, true), (Way::Memory, false), (Way::Http, false)] {
                cells.push(Cell { client, server, way, alone });
            }
        }
    }
    cells
}

fn gateway(cell: Cell, behind: &Behind) -> Arc<Gateway> {
    let builder = before(cell.server, behind);
    Arc::new(if cell.alone { builder.build_for_one() } else { builder.build() })
}

async fn connected(
    cell: Cell,
    behind: &Behind,
) -> (Client, tokio::sync::mpsc::UnboundedReceiver<ServerEvent>) {
    let (builder, events) = client(cell.client);
    (connect(&gateway(cell, behind), cell.way, builder).await, events)
}

async fn calls(tool: &str, expected: &str) {
    for cell in cells() {
        let (client, _events) = connected(cell, &Behind::default()).await;
        let result = soon(client.call(tool, json!({}))).await;
        let result = result.unwrap_or_else(|error| panic!("{cell:?}: {error:#}"));
        assert_eq!(text(&result), expected, "{cell:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn forms_reach_the_user() {
    calls("ask_name", "Hello, Ada!").await;
}

#[tokio::test]
async fn one_question_may_follow_another() {
    calls("ask_twice", "Ada Grace").await;
}

#[tokio::test]
async fn servers_may_ask_the_model() {
    calls("sample", "the model test-model answered").await;
}

#[tokio::test]
async fn servers_may_see_the_folders() {
    calls("roots", "file:///project").await;
}

#[tokio::test]
async fn progress_comes_in_order_and_before_the_result() {
    for cell in cells() {
        let (client, _events) = connected(cell, &Behind::default()).await;
        let seen: Arc<Mutex<Vec<f64>>> = Arc::default();
        let reports = seen.clone();
        let options = RequestOptions::new()
            .on_progress(move |report| reports.lock().unwrap().push(report.progress));
        let result = soon(client.call_with("progress", json!({ "steps": 3 }), options)).await;
        assert_eq!(text(&result.unwrap()), "done", "{cell:?}");
        assert_eq!(*seen.lock().unwrap(), [1.0, 2.0, 3.0], "{cell:?}");
    }
}

#[tokio::test]
async fn log_messages_reach_whoever_wants_them() {
    for cell in cells() {
        let (client, mut events) = connected(cell, &Behind::default()).await;
        client.set_log_level(LoggingLevel::Warning).await.unwrap();
        soon(client.call("log", json!({}))).await.unwrap();
        let told = event(&mut events, |event| matches!(event, ServerEvent::Log(_))).await;
        let ServerEvent::Log(message) = told else { unreachable!() };
        assert_eq!(message.data, "a message", "{cell:?}");
        assert_eq!(message.logger.as_deref(), Some("one.inside"), "{cell:?}");
    }
}

#[tokio::test]
async fn a_call_that_is_taken_back_is_taken_back_at_the_server() {
    for cell in cells() {
        let behind = Behind::default();
        let (client, _events) = connected(cell, &behind).await;
        let calling = tokio::spawn({
            let client = client.clone();
            async move { client.call("wait", json!({})).await }
        });
        soon(behind.started.notified()).await;
        calling.abort();
        soon(behind.dropped.notified()).await;
        let echoed = soon(client.call("echo", json!({ "message": "still there" }))).await;
        assert_eq!(text(&echoed.unwrap()), "still there", "{cell:?}");
    }
}

#[tokio::test]
async fn changes_of_a_watched_resource_are_told() {
    for cell in cells() {
        let (client, mut events) = connected(cell, &Behind::default()).await;
        soon(client.subscribe("memo://note")).await.unwrap_or_else(|e| panic!("{cell:?}: {e:#}"));
        soon(client.call("touch", json!({}))).await.unwrap();
        let fits = |event: &ServerEvent| matches!(event, ServerEvent::ResourceUpdated(uri) if uri == "memo://note");
        event(&mut events, fits).await;
        soon(client.unsubscribe("memo://note")).await.unwrap();
    }
}

#[tokio::test]
async fn a_new_tool_is_told_and_can_be_called() {
    for cell in cells() {
        let (client, mut events) = connected(cell, &Behind::default()).await;
        soon(client.watch_lists()).await.unwrap();
        soon(client.tools()).await.unwrap();
        soon(client.call("grow", json!({}))).await.unwrap();
        event(&mut events, |event| matches!(event, ServerEvent::ToolsChanged)).await;
        let result = soon(client.call("one__grown", json!({}))).await.unwrap();
        assert_eq!(text(&result), "grown", "{cell:?}");
    }
}

#[tokio::test]
async fn everything_else_passes_too() {
    for cell in cells() {
        let (client, _events) = connected(cell, &Behind::default()).await;
        let tools = soon(client.tools()).await.unwrap();
        assert!(tools.iter().any(|tool| tool.name == "one__echo"), "{cell:?}");
        let failed = soon(client.call("one__fail", json!({}))).await.unwrap();
        assert!(failed.failed() && text(&failed) == "it failed", "{cell:?}");
        let read = soon(client.read("memo://item/7")).await.unwrap();
        assert_eq!(read.contents[0].as_text(), Some("item 7"), "{cell:?}");
        let missing = soon(client.read("other://nothing")).await.unwrap_err();
        assert!(missing.is_resource_not_found(), "{cell:?}: {missing:#}");
        let prompt = soon(client.prompt("one__greet", [("name", "Ada")])).await.unwrap();
        let said = prompt.messages[0].content.as_text();
        assert_eq!(said, Some("Greet Ada"), "{cell:?}");
        let reference = CompletionReference::Prompt(PromptReference {
            name: "one__greet".into(),
            ..Default::default()
        });
        let found =
            soon(client.complete(reference, "name", "Al", Default::default())).await.unwrap();
        assert_eq!(found.values, ["Alan"], "{cell:?}");
        let template =
            ResourceTemplateReference { uri: "memo://item/{id}".into(), ..Default::default() };
        let reference = CompletionReference::Resource(template);
        let found = soon(client.complete(reference, "id", "", Default::default())).await.unwrap();
        assert_eq!(found.values, ["1", "2", "3"], "{cell:?}");
        let linked = soon(client.call("link", json!({}))).await.unwrap();
        for block in &linked.content {
            let ContentBlock::ResourceLink(link) = block else { panic!("{cell:?}: {block:?}") };
            assert!(link.uri.starts_with("memo://"), "{cell:?}: {}", link.uri);
        }
        let unknown = soon(client.call("nothing", json!({}))).await.unwrap_err();
        assert!(unknown.is_invalid_params(), "{cell:?}: {unknown:#}");
        let server = client.server();
        assert!(server.capabilities.completions.is_some(), "{cell:?}");
    }
}

/// What can be passed on as it is written comes out like what cannot.
#[tokio::test]
async fn results_have_the_shape_of_the_clients_revision() {
    for cell in cells() {
        let (client, _events) = connected(cell, &Behind::default()).await;
        for (structured, deep) in
            [(json!({ "a": 1 }), false), (json!({ "a": 1 }), true), (json!([1]), false)]
        {
            let asked = json!({ "structured": structured, "deep": deep });
            let result = soon(client.call("one__shapes", asked)).await.unwrap();
            assert_eq!(text(&result), "shaped", "{cell:?}");
            let both = cell.client.is_modern() && cell.server.is_modern();
            let expected = Some(structured).filter(|value| both || value.is_object());
            assert_eq!(result.structured_content, expected, "{cell:?}");
            let mut meta = result.meta.clone().unwrap();
            assert_eq!(meta.remove("example.com/kept"), Some(json!(1)), "{cell:?}");
            let told = meta.remove(Meta::SERVER_INFO);
            assert_eq!(told.is_some(), cell.client.is_modern(), "{cell:?}");
            assert!(told.is_none_or(|told| told["name"] != "fixture"), "{cell:?}");
            assert!(meta.is_empty(), "{cell:?}: {meta:?}");
            let ContentBlock::Text(content) = &result.content[0] else { panic!("{cell:?}") };
            assert_eq!(content.meta.is_some(), deep, "{cell:?}");
            let kind = result.extra.get("resultType").map(|kind| kind.to_string());
            let expected = cell.client.is_modern().then(|| "\"complete\"".to_owned());
            assert_eq!(kind, expected, "{cell:?}");
        }
        client.close().await;
    }
}

#[tokio::test]
async fn tasks_pass_between_sides_of_one_era_and_are_waited_for_otherwise() {
    for cell in cells() {
        let (builder, _events) = client(cell.client);
        let gateway = gateway(cell, &Behind::default());
        let client = connect(&gateway, cell.way, builder.tasks()).await;
        let called = soon(client.call_task("one__task", json!({}))).await;
        let called = called.unwrap_or_else(|error| panic!("{cell:?}: {error:#}"));
        assert_eq!(matches!(called, Called::Task(_)), cell.client == cell.server, "{cell:?}");
        let result = match called {
            Called::Done(result) => result,
            Called::Task(task) => {
                soon(task.wait()).await.unwrap_or_else(|e| panic!("{cell:?}: {e:#}"))
            }
        };
        assert_eq!(text(&result), "the task is done", "{cell:?}");
    }
}
