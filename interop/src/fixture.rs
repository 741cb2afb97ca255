//! What the fixture server offers. `README.md` has the contract that it and the fixtures in other
//! languages keep; `main` serves it.

use std::time::Duration;

use docent_mcp::Result;
use docent_mcp::server::{
    Completer, Context, Elicited, Json, PromptError, Server, ServerPrompt, ServerResource,
    ServerTemplate, ServerTool, ToolError,
};
use docent_mcp::types::{CreateMessageRequestParams, LoggingLevel, SamplingMessage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Message {
    /// What to give back.
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Numbers {
    a: f64,
    b: f64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    steps: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Log {
    level: String,
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Wait {
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    /// Your name.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

pub(crate) fn fixture() -> Server {
    Server::new("interop-fixture", "1.0.0")
        .tool("echo", "Gives back its message", echo)
        .tool("add", "Adds two numbers", add)
        .tool("progress", "Reports progress", progress)
        .tool("log", "Writes a log message", log)
        .tool("slow", "Takes its time", slow)
        .tool("fail", "Fails", fail)
        .tool("ask_name", "Asks for a name", ask_name)
        .tool("summarize", "Asks the model", summarize)
        .tool("show_roots", "Asks for the roots", show_roots)
        .tool("touch", "Says that memo://hello changed", touch)
        .tool("add_tool", "Adds the tool `extra`", add_tool)
        .with_resource(
            ServerResource::new("memo://hello", "hello", |_, _| async { Ok("Hello from memo") })
                .mime_type("text/plain"),
        )
        .with_resource(
            ServerResource::new("memo://logo", "logo", |_, _| async { Ok(b"\x89PNG".to_vec()) })
                .mime_type("image/png"),
        )
        .with_template(
            ServerTemplate::new("memo://item/{id}", "item", |_, request| async move {
                Ok(serde_json::json!({ "id": request.variables.get("id") }).to_string())
            })
            .mime_type("application/json")
            .complete("id", Completer::values(["1", "2", "3"])),
        )
        .with_prompt(
            ServerPrompt::new("greet", "Greets somebody", |_, args| async move {
                let style = args.get("style").map_or("friendly", String::as_str);
                Ok::<_, PromptError>(format!("Please greet {} in a {style} style", args["name"]))
            })
            .required("name", "Whom to greet")
            .optional("style", "How")
            .complete("style", Completer::values(["formal", "friendly"])),
        )
}

async fn echo(_: Context, args: Message) -> Result<String, ToolError> {
    Ok(format!("Echo: {}", args.message))
}

async fn add(_: Context, args: Numbers) -> Result<Json<Sum>, ToolError> {
    Ok(Json(Sum { sum: args.a + args.b }))
}

async fn progress(ctx: Context, args: Steps) -> Result<&'static str, ToolError> {
    for step in 1..=args.steps {
        ctx.progress(step.into(), Some(args.steps.into()), format!("step {step}")).await?;
    }
    Ok("done")
}

async fn log(ctx: Context, args: Log) -> Result<&'static str, ToolError> {
    let level: LoggingLevel = serde_json::from_value(args.level.into())?;
    ctx.log(level, Some("fixture"), args.message).await?;
    Ok("logged")
}

async fn slow(_: Context, args: Wait) -> Result<&'static str, ToolError> {
    tokio::time::sleep(Duration::from_millis(args.ms)).await;
    Ok("finished")
}

async fn fail(_: Context, (): ()) -> Result<String, ToolError> {
    Err(ToolError::new("it failed"))
}

async fn ask_name(ctx: Context, (): ()) -> Result<String, ToolError> {
    Ok(match ctx.elicit::<Name>("What is your name?").await? {
        Elicited::Accepted(answer) => format!("Hello, {}", answer.name),
        Elicited::Declined => "declined".to_owned(),
        Elicited::Cancelled => "cancelled".to_owned(),
    })
}

async fn summarize(ctx: Context, args: Text) -> Result<String, ToolError> {
    let params = CreateMessageRequestParams {
        messages: vec![SamplingMessage::user(args.text)],
        max_tokens: 100,
        ..Default::default()
    };
    let answer = ctx.sample(params).await?;
    let text = answer.content.iter().find_map(|content| content.as_text()).unwrap_or_default();
    Ok(format!("Summary: {text}"))
}

async fn show_roots(ctx: Context, (): ()) -> Result<String, ToolError> {
    let roots = ctx.roots().await?;
    Ok(roots.into_iter().map(|root| root.uri).collect::<Vec<_>>().join(", "))
}

async fn touch(ctx: Context, (): ()) -> Result<&'static str, ToolError> {
    ctx.server().resource_updated("memo://hello");
    Ok("touched")
}

async fn add_tool(ctx: Context, (): ()) -> Result<&'static str, ToolError> {
    ctx.server().add_tool(ServerTool::new("extra", "Was not there before", echo))?;
    Ok("added")
}
