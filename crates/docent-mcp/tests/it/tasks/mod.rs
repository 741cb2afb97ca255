//! Tool calls that run as tasks: the extension of 2026-07-28 and the experiment of 2025-11-25.

/// The client's side of both.
mod client;
/// 2025-11-25.
mod legacy;
/// Bounds: how many tasks, how long, how large.
mod limits;
/// 2026-07-28.
mod modern;
/// Whose a task is.
#[cfg(feature = "http")]
mod principals;

use std::time::Duration;

use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::server::{Context, Elicited, Server, ServerTool, ToolError};
use docent_mcp::types::{CallToolResult, TaskSupport};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::server::line::{Line, modern};

/// What the client of these tests declares, with and without the extension.
fn declared() -> Value {
    let extensions = json!({ "io.modelcontextprotocol/tasks": {} });
    modern(json!({ "elicitation": {}, "roots": {}, "extensions": extensions }))
}

fn undeclared() -> Value {
    modern(json!({ "elicitation": {} }))
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Compute {
    seconds: u64,
}

/// One tool of each kind.
fn server() -> Server {
    let optional = TaskSupport::Optional;
    Server::new("tasks", "1.0")
        .tool("greet", "Never a task", greet)
        .with_tool(ServerTool::new("compute", "Takes its time", compute).task(optional))
        .with_tool(ServerTool::new("fail", "Fails", fail).task(TaskSupport::Required))
        .with_tool(ServerTool::new("break", "Breaks the protocol", break_it).task(optional))
        .with_tool(ServerTool::new("panic", "Panics", panic).task(optional))
        .with_tool(ServerTool::new("ask", "Asks for a name", ask).task(optional))
        .with_tool(ServerTool::new("ask_two", "Asks twice at once", ask_two).task(optional))
        .with_tool(ServerTool::new("ask_again", "Asks twice", ask_again).task(optional))
        .with_tool(
            ServerTool::new("ask_then_work", "Asks, then becomes a task", ask_then_work)
                .task_on_detach(TaskSupport::Required),
        )
}

async fn greet(_: Context, args: Name) -> Result<String, ToolError> {
    Ok(format!("Hello, {}!", args.name))
}

async fn compute(ctx: Context, args: Compute) -> Result<String, ToolError> {
    ctx.progress(1.0, None, "computing".to_owned()).await?;
    tokio::time::sleep(Duration::from_secs(args.seconds)).await;
    ctx.progress(2.0, None, None).await?;
    Ok(format!("computed, a task: {}", ctx.task_id().is_some()))
}

async fn fail(_: Context, (): ()) -> Result<CallToolResult, ToolError> {
    Ok(CallToolResult::error("it failed"))
}

async fn break_it(_: Context, (): ()) -> Result<String, ToolError> {
    Err(ErrorObject::new(-32603, "it broke").into())
}

async fn panic(_: Context, (): ()) -> Result<String, ToolError> {
    panic!("a secret is in here")
}

async fn ask_name(ctx: &Context, question: &str) -> Result<String, ToolError> {
    Ok(match ctx.elicit::<Name>(question).await? {
        Elicited::Accepted(answer) => answer.name,
        Elicited::Declined => "declined".to_owned(),
        Elicited::Cancelled => "cancelled".to_owned(),
    })
}

async fn ask(ctx: Context, (): ()) -> Result<String, ToolError> {
    ask_name(&ctx.question("user_name"), "Who are you?").await
}

async fn ask_two(ctx: Context, (): ()) -> Result<String, ToolError> {
    let (first, second) = tokio::join!(ask_name(&ctx, "First?"), ask_name(&ctx, "Second?"));
    Ok(format!("{} and {}", first?, second?))
}

async fn ask_again(ctx: Context, (): ()) -> Result<String, ToolError> {
    let ctx = ctx.question("again");
    Ok(format!("{} and {}", ask_name(&ctx, "First?").await?, ask_name(&ctx, "Second?").await?))
}

async fn ask_then_work(ctx: Context, (): ()) -> Result<String, ToolError> {
    let name = ask_name(&ctx.question("user_name"), "Who are you?").await?;
    let is_task = ctx.detach().await;
    ctx.task_status("working");
    tokio::time::sleep(Duration::from_secs(60)).await;
    let pet = ask_name(&ctx.question("pet"), "And your pet?").await?;
    Ok(format!("{name}, {pet}, a task: {is_task}"))
}

/// An answer to a form.
fn named(name: &str) -> Value {
    json!({ "action": "accept", "content": { "name": name } })
}

/// Sends a request and returns its answer, and the messages that came before that.
async fn answer(line: &mut Line, id: u32, method: &str, params: Value) -> (Value, Vec<Value>) {
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    line.send(request).await;
    let mut before = Vec::new();
    loop {
        let message = line.receive().await;
        if message["id"] == id && message.get("method").is_none() {
            return (message, before);
        }
        before.push(message);
    }
}
