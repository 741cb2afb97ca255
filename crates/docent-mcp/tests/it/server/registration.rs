//! What is refused when it is registered, and what is advertised.

use docent_mcp::server::{
    Context, Server, ServerPrompt, ServerResource, ServerTemplate, ServerTool, ToolError,
};
use docent_mcp::types::{CallToolResult, Revision, Tool};
use serde_json::{Value, json};

use super::line::{Line, modern};

fn tool(name: &str, schema: Value) -> ServerTool {
    ServerTool::from_schema(Tool::new(name, "A tool", schema), |_, _| async {
        Ok(CallToolResult::text("ok"))
    })
}

fn refusal(tool: ServerTool) -> Option<String> {
    Server::new("s", "1").add_tool(tool).err().map(|error| error.to_string())
}

/// [SRV-TOOLS-04] names have 1 to 128 characters of a small set.
#[test]
fn tool_names() {
    let object = || json!({ "type": "object" });
    for (name, good) in [
        ("a", true),
        ("A-Z_a.z09", true),
        (&*"n".repeat(128), true),
        ("", false),
        (&*"n".repeat(129), false),
        ("two words", false),
        ("päckchen", false),
        ("a/b", false),
    ] {
        assert_eq!(refusal(tool(name, object())).is_none(), good, "{name:?}");
    }
}

/// [SRV-TOOLS-03] [SRV-TOOLS-14] [BOTH-SCHEMA-01] [BOTH-SCHEMA-02] schemas that cannot be used are
/// refused with a reason.
#[test]
fn tool_schemas() {
    let header = |schema: Value, name: &str| {
        let mut schema = schema;
        schema["x-mcp-header"] = json!(name);
        json!({ "type": "object", "properties": { "p": schema } })
    };
    for (schema, expected) in [
        (json!({ "type": "object" }), None),
        (json!({ "type": "string" }), Some("object")),
        (json!(true), Some("object")),
        (Value::Null, Some("object")),
        (
            json!({ "type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema" }),
            None,
        ),
        (json!({ "type": "object", "$schema": "http://json-schema.org/draft-07/schema#" }), None),
        (
            json!({ "type": "object", "$schema": "http://json-schema.org/draft-04/schema#" }),
            Some("draft-04"),
        ),
        (
            json!({ "type": "object", "properties": { "p": { "$ref": "http://127.0.0.1:9/x" } } }),
            Some("127.0.0.1"),
        ),
        (
            json!({ "type": "object", "properties": { "p": { "$ref": "#/$defs/none" } } }),
            Some("$defs/none"),
        ),
        (header(json!({ "type": "string" }), "Region"), None),
        (header(json!({ "type": "number" }), "Region"), Some("p")),
        (header(json!({ "type": "string" }), "bad name"), Some("bad name")),
        (header(json!({ "type": "string" }), ""), Some("p")),
        (
            json!({ "type": "object", "properties": { "a": { "type": "array", "items": { "type": "string", "x-mcp-header": "X" } } } }),
            Some("x-mcp-header"),
        ),
    ] {
        let refused = refusal(tool("t", schema.clone()));
        match (expected, refused) {
            (None, None) => {}
            (Some(reason), Some(refused)) => {
                assert!(refused.contains("tool `t`") && refused.contains(reason), "{refused}");
            }
            (_, refused) => panic!("{schema}: {refused:?}"),
        }
    }
}

/// A server with something wrong says what when it starts.
#[tokio::test]
async fn a_wrong_registration_is_reported_by_serve() {
    async fn takes_text(_: Context, _: String) -> Result<String, ToolError> {
        Ok(String::new())
    }
    let (near, far) = docent_mcp::transport::memory();
    let served = Server::new("s", "1").tool("t", "No object", takes_text).serve(far).await;
    drop(near);
    let error = served.unwrap_err().to_string();
    assert!(error.contains("tool `t`"), "{error}");

    let server = Server::new("s", "1");
    let resource = ServerResource::new("not an address", "r", |_, _| async { Ok("x") });
    assert!(server.add_resource(resource).unwrap_err().to_string().contains("not an address"));
    let template = ServerTemplate::new("memo://{", "t", |_, _| async { Ok("x") });
    assert!(server.add_template(template).unwrap_err().to_string().contains("memo://{"));
    let prompt = ServerPrompt::new("p", "", |_, _| async { Ok(String::new()) })
        .complete("nobody", docent_mcp::server::Completer::values(["x"]));
    assert!(server.add_prompt(prompt).unwrap_err().to_string().contains("nobody"));
}

/// [SRV-TOOLS-01] [SRV-RES-01] [SRV-PROMPT-01] [SRV-COMP-01] [SRV-LOG-01] only what is there is
/// advertised, and only that is answered.
#[tokio::test]
async fn only_what_is_there_is_advertised() {
    let mut line = Line::default(Server::new("s", "1").without_logging());
    let discovered =
        line.request(1, "server/discover", json!({ "_meta": modern(json!({})) })).await;
    assert_eq!(discovered["result"]["capabilities"], json!({}));
    for (n, method) in [
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "prompts/list",
        "prompts/get",
        "completion/complete",
    ]
    .into_iter()
    .enumerate()
    {
        let answer = line.request(n, method, json!({ "_meta": modern(json!({})) })).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}");
    }
    let mut line = Line::default(Server::new("s", "1").will_have_tools());
    let discovered =
        line.request(1, "server/discover", json!({ "_meta": modern(json!({})) })).await;
    assert_eq!(
        discovered["result"]["capabilities"],
        json!({ "logging": {}, "tools": { "listChanged": true } })
    );
    let empty = line.request(2, "tools/list", json!({ "_meta": modern(json!({})) })).await;
    assert_eq!(empty["result"]["tools"], json!([]));
}

/// [SRV-VER-05] a modern-only server names its versions to a legacy client, and the other way
/// round a legacy-only server does not claim to be modern.
#[tokio::test]
async fn servers_of_one_era() {
    let mut line = Line::default(Server::new("s", "1").revisions([Revision::V2026_07_28]));
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    let refused = line.request(1, "initialize", params).await;
    assert_eq!(refused["error"]["code"], -32022);
    assert_eq!(
        refused["error"]["data"],
        json!({ "supported": ["2026-07-28"], "requested": "2025-06-18" })
    );

    let mut line = Line::default(Server::new("s", "1").revisions([Revision::V2024_11_05]));
    let refused = line.request(1, "server/discover", json!({ "_meta": modern(json!({})) })).await;
    assert_eq!(refused["error"]["code"], -32600, "not a modern error: {refused}");
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    assert_eq!(
        line.request(2, "initialize", params).await["result"]["protocolVersion"],
        "2024-11-05"
    );
}

/// [BOTH-SCHEMA-04] a schema made by hand arrives as it was written, keywords and order included.
#[tokio::test]
async fn schemas_are_kept_verbatim() {
    let schema = json!({
        "type": "object",
        "$defs": { "z": { "$anchor": "here", "type": "string" }, "a": {} },
        "properties": { "second": { "$ref": "#here" }, "first": { "if": { "const": 1 }, "then": true } },
        "additionalProperties": false,
    });
    let server = Server::new("s", "1").with_tool(tool("t", schema.clone()));
    let mut line = Line::default(server);
    let list = line.request(1, "tools/list", json!({ "_meta": modern(json!({})) })).await;
    let listed = &list["result"]["tools"][0]["inputSchema"];
    assert_eq!(listed.to_string(), schema.to_string());
}

/// [SRV-TOOLS-07] a tool that breaks its own output schema is an error, not a wrong result.
#[tokio::test]
async fn output_schemas_are_enforced() {
    let mut definition = Tool::new("t", "A tool", json!({ "type": "object" }));
    definition.output_schema = Some(json!({ "type": "object", "required": ["x"] }));
    for (result, good) in [
        (CallToolResult::structured(json!({ "x": 1 })), true),
        (CallToolResult::structured(json!({ "y": 1 })), false),
        (CallToolResult::text("no structure"), false),
        (CallToolResult::error("failed, so nothing to check"), true),
    ] {
        let tool = ServerTool::from_schema(definition.clone(), move |_, _| {
            std::future::ready(Ok(result.clone()))
        });
        let mut line = Line::default(Server::new("s", "1").with_tool(tool));
        let answer =
            line.request(1, "tools/call", json!({ "name": "t", "_meta": modern(json!({})) })).await;
        assert_eq!(answer.get("result").is_some(), good, "{answer}");
    }
}
