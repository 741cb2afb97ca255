//! Tools that ask one question. In a session that is a request to the client; in 2026-07-28 it is
//! the answer to the call, which the client then repeats.

use docent_mcp::Server;
use docent_mcp::server::{Context, ToolError};
use docent_mcp::types::{
    CreateMessageRequestParams, ElicitRequestFormParams, ElicitResult, SamplingMessage,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Prompt {
    /// What to ask the model.
    prompt: String,
}

#[derive(Deserialize, JsonSchema)]
struct Message {
    /// What to ask the user.
    message: String,
}

pub(crate) fn add(server: Server) -> Server {
    server
        .tool("test_sampling", "Asks the client's model", sampling)
        .tool("test_elicitation", "Asks the user for name and address", elicitation)
        .tool("test_elicitation_sep1034_defaults", "Asks with a default in each field", defaults)
        .tool("test_elicitation_sep1330_enums", "Asks with each kind of choice", choices)
        .tool("test_streaming_elicitation", "Asks the user to go on", go_on)
        .tool("test_missing_capability", "Needs a client that can sample", needs_sampling)
}

/// A question to the model, as short as it gets.
pub(crate) fn sample(text: impl Into<String>, max_tokens: u64) -> CreateMessageRequestParams {
    let messages = vec![SamplingMessage::user(text.into())];
    CreateMessageRequestParams { messages, max_tokens, ..Default::default() }
}

/// A form with these fields, all of them required.
pub(crate) fn form(message: &str, properties: Value) -> ElicitRequestFormParams {
    let names: Vec<_> =
        properties.as_object().into_iter().flat_map(|fields| fields.keys()).collect();
    ElicitRequestFormParams {
        message: message.to_owned(),
        requested_schema: json!({ "type": "object", "required": names, "properties": properties }),
        ..Default::default()
    }
}

fn told(answer: &ElicitResult) -> String {
    let content = json!(answer.content);
    format!("Elicitation completed: action={:?}, content={content}", answer.action)
}

async fn sampling(ctx: Context, args: Prompt) -> Result<String, ToolError> {
    let answer = ctx.sample(sample(args.prompt, 100)).await?;
    Ok(format!("LLM response: {}", answer.content.joined_text()))
}

async fn elicitation(ctx: Context, args: Message) -> Result<String, ToolError> {
    let fields = json!({
        "username": { "type": "string", "description": "User's response" },
        "email": { "type": "string", "description": "User's email address" },
    });
    Ok(told(&ctx.elicit_form(form(&args.message, fields)).await?))
}

async fn defaults(ctx: Context, (): ()) -> Result<String, ToolError> {
    let fields = json!({
        "name": { "type": "string", "description": "User name", "default": "John Doe" },
        "age": { "type": "integer", "description": "User age", "default": 30 },
        "score": { "type": "number", "description": "User score", "default": 95.5 },
        "status": {
            "type": "string",
            "description": "User status",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": { "type": "boolean", "description": "Is verified", "default": true },
    });
    let mut form = form("Please review and update the form fields with defaults", fields);
    form.requested_schema["required"] = json!([]);
    Ok(told(&ctx.elicit_form(form).await?))
}

async fn choices(ctx: Context, (): ()) -> Result<String, ToolError> {
    let words = ["option1", "option2", "option3"];
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" },
    ]);
    let fields = json!({
        "untitledSingle": { "type": "string", "enum": words },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": words } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    });
    let mut form = form("Please select options from the enum fields", fields);
    form.requested_schema["required"] = json!([]);
    Ok(told(&ctx.elicit_form(form).await?))
}

async fn go_on(ctx: Context, (): ()) -> Result<String, ToolError> {
    let fields = json!({ "proceed": { "type": "boolean" } });
    Ok(told(&ctx.elicit_form(form("Shall this go on?", fields)).await?))
}

async fn needs_sampling(ctx: Context, (): ()) -> Result<String, ToolError> {
    let answer = ctx.sample(sample("Say hello", 100)).await?;
    Ok(answer.content.joined_text())
}
