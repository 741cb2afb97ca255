//! Tools whose calls become tasks, and one whose calls never do.

use std::time::Duration;

use docent_mcp::Server;
use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::server::{Context, Elicited, ServerTool, ToolError};
use docent_mcp::types::TaskSupport;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::rounds::ask_name;

#[derive(Deserialize, JsonSchema)]
struct Greeting {
    /// Whom to greet.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Work {
    /// How long it takes.
    seconds: u64,
    /// What to call it.
    label: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Deletion {
    /// What to delete.
    filename: String,
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    confirm: bool,
}

/// Long enough to be seen working.
const WORK: Duration = Duration::from_millis(300);

pub(crate) fn add(server: Server) -> Server {
    use TaskSupport::{Optional, Required};
    server
        .tool("greet", "Greets at once", greet)
        .with_tool(ServerTool::new("slow_compute", "Takes its time", compute).task(Optional))
        .with_tool(ServerTool::new("failing_job", "Fails after a while", fail).task(Required))
        .with_tool(ServerTool::new("protocol_error_job", "Breaks", break_down).task(Optional))
        .with_tool(ServerTool::new("confirm_delete", "Asks first", delete).task(Optional))
        .with_tool(ServerTool::new("multi_input", "Asks two things", multi_input).task(Optional))
        .with_tool(
            ServerTool::new("test_tool_with_task", "Asks, then takes its time", ask_then_work)
                .task_on_detach(Required),
        )
}

async fn greet(_: Context, args: Greeting) -> Result<String, ToolError> {
    Ok(format!("Hello, {}!", args.name))
}

async fn compute(_: Context, args: Work) -> Result<String, ToolError> {
    tokio::time::sleep(Duration::from_secs(args.seconds)).await;
    let label = args.label.unwrap_or_else(|| "unnamed".to_owned());
    Ok(format!("Computed {label} in {} s", args.seconds))
}

async fn fail(_: Context, (): ()) -> Result<String, ToolError> {
    tokio::time::sleep(WORK).await;
    Err(ToolError::new("The job failed, as it always does"))
}

async fn break_down(_: Context, (): ()) -> Result<String, ToolError> {
    tokio::time::sleep(WORK).await;
    Err(ErrorObject::internal("the job broke down").into())
}

async fn confirmed(ctx: &Context, message: String) -> Result<bool, ToolError> {
    let answer = ctx.elicit::<Confirmation>(message).await?;
    Ok(matches!(answer, Elicited::Accepted(Confirmation { confirm: true })))
}

async fn delete(ctx: Context, args: Deletion) -> Result<String, ToolError> {
    let name = args.filename;
    Ok(match confirmed(&ctx, format!("Delete {name}?")).await? {
        true => format!("Deleted {name}"),
        false => format!("Kept {name}"),
    })
}

async fn multi_input(ctx: Context, (): ()) -> Result<String, ToolError> {
    let (name, confirmed) =
        tokio::join!(ask_name(&ctx, "name"), confirmed(&ctx, "Go on?".to_owned()));
    Ok(format!("{}: {}", name?, confirmed?))
}

async fn ask_then_work(ctx: Context, (): ()) -> Result<String, ToolError> {
    let name = ask_name(&ctx, "user_name").await?;
    ctx.detach().await;
    tokio::time::sleep(WORK).await;
    Ok(format!("Hello, {name}!"))
}
