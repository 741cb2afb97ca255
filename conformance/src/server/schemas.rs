//! Tools whose schema matters more than what they do: every keyword has to reach clients as it was
//! written, and arguments that are mirrored in headers have to match them.

use docent_mcp::Server;
use docent_mcp::server::{Context, ServerTool, ToolError};
use docent_mcp::types::{CallToolResult, JsonObject, Tool};
use serde_json::{Value, json};

pub(crate) fn add(server: Server) -> Server {
    server
        .with_tool(ServerTool::from_schema(
            Tool::new(
                "json_schema_2020_12_tool",
                "Takes arguments described with the vocabulary of 2020-12",
                contact_schema(),
            ),
            echo,
        ))
        .with_tool(ServerTool::from_schema(
            Tool::new(
                "test_header_mirror",
                "Takes arguments that clients repeat in headers",
                mirrored_schema(),
            ),
            echo,
        ))
}

async fn echo(_: Context, arguments: JsonObject) -> Result<CallToolResult, ToolError> {
    Ok(CallToolResult::text(Value::Object(arguments).to_string()))
}

fn contact_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {
                    "street": { "type": "string" },
                    "city": { "type": "string" },
                },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

fn mirrored_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "priority": { "type": "integer", "x-mcp-header": "Priority" },
            "urgent": { "type": "boolean", "x-mcp-header": "Urgent" },
            "note": { "type": "string" },
        },
        "required": ["region"],
    })
}
