//! Pages that tools name for what they give (MCP Apps), when two servers have the same.

use std::sync::Arc;

use docent_host::Gateway;
use docent_mcp::Server;
use docent_mcp::client::Called;
use docent_mcp::server::{Context, ServerResource, ServerTool, ToolError};
use docent_mcp::types::{
    CallToolResult, ContentBlock, ListResourcesResult, Meta, Revision, TaskSupport, method,
};
use serde_json::{Value, json};

use crate::fixture::{Behind, ERAS, Way, client, connect, host, soon, source, text};
use crate::instead::{Answering, Instead};

fn meta(value: Value) -> Meta {
    serde_json::from_value(value).unwrap()
}

/// A server with a page and tools that name it in both ways.
fn with_page(era: Revision, word: &'static str, listed: bool) -> Server {
    let nested = json!({ "ui": { "resourceUri": "ui://app/main", "visibility": ["model"] } });
    let flat = json!({ "ui/resourceUri": "ui://app/main", "other": 1 });
    let show = |_: Context, (): ()| async move {
        Ok::<_, ToolError>(CallToolResult {
            content: vec![ContentBlock::text("shown")],
            meta: Some(meta(json!({ "ui": { "resourceUri": "ui://app/main" } }))),
            ..Default::default()
        })
    };
    let server = Server::new("paged", "1.0")
        .revisions([era])
        .with_tool(ServerTool::new("show", "Shows", show).meta(meta(nested)))
        .with_tool(ServerTool::new("old", "Shows", show).meta(meta(flat)))
        .with_tool(ServerTool::new("later", "Shows", show).task(TaskSupport::Optional))
        .with_resource(ServerResource::new("ui://app/main", "page", move |_, _| async move {
            Ok(format!("<p>{word}</p>"))
        }));
    match listed {
        true => server,
        false => server.layer(Instead::new(|call| {
            let context = call.context.clone();
            (call.method == method::RESOURCES_LIST).then(|| -> Answering {
                Box::pin(async move { Ok(context.reply(ListResourcesResult::default())) })
            })
        })),
    }
}

#[tokio::test(start_paused = true)]
async fn the_page_of_a_tool_is_its_own_servers() {
    for (era, listed) in [(ERAS[0], true), (ERAS[1], true), (ERAS[0], false), (ERAS[1], false)] {
        let behind = Behind::default();
        let host = host()
            .connector("one", source(&with_page(era, "first", listed), &behind))
            .connector("two", source(&with_page(era, "second", listed), &behind))
            .from_entries([]);
        let gateway = Arc::new(Gateway::new(host));
        let client = connect(&gateway, Way::Memory, client(era).0.tasks()).await;
        let tools = soon(client.tools()).await.unwrap();
        let with_meta = tools.iter().filter_map(|tool| Some((&*tool.name, tool.meta.as_ref()?)));
        let metas: Vec<_> = with_meta.map(|(name, meta)| (name, json!(meta))).collect();
        // Those who show pages take no other scheme, so the server's name stands behind it.
        let (first, second) = ("ui://app/main", "ui://two+app/main");
        let nested = |uri| json!({ "ui": { "resourceUri": uri, "visibility": ["model"] } });
        let flat = |uri| json!({ "ui/resourceUri": uri, "other": 1 });
        let expected = [
            ("one__show", nested(first)),
            ("one__old", flat(first)),
            ("two__show", nested(second)),
            ("two__old", flat(second)),
        ];
        assert_eq!(metas, expected, "{era} listed: {listed}");
        for (tool, uri, word) in
            [("one__show", first, "<p>first</p>"), ("two__show", second, "<p>second</p>")]
        {
            let result = soon(client.call(tool, json!({}))).await.unwrap();
            assert_eq!(text(&result), "shown");
            let named = result.meta.unwrap().get("ui").cloned().unwrap();
            assert_eq!(named["resourceUri"], uri, "{era} listed: {listed}");
            let later = tool.replace("show", "later");
            let Called::Task(task) = soon(client.call_task(&later, json!({}))).await.unwrap()
            else {
                panic!("{era}: no task");
            };
            let result = soon(task.wait()).await.unwrap();
            let named = result.meta.unwrap().get("ui").cloned().unwrap();
            assert_eq!(named["resourceUri"], uri, "{era} as a task");
            let read = soon(client.read(uri)).await.unwrap();
            assert_eq!(read.contents[0].as_text(), Some(word), "{era} listed: {listed}");
            assert_eq!(read.contents[0].uri(), uri);
        }
        // An app that calls a tool as its server calls it is told to say whose, where two have it.
        let ambiguous = soon(client.call("show", json!({}))).await.unwrap_err();
        assert!(format!("{ambiguous:#}").contains("one__show or two__show"), "{ambiguous:#}");
        gateway.close().await;
    }
}
