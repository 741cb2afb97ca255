//! The server that most tests talk to: a little of everything.

use std::time::Duration;

use docent_mcp::server::{
    Completer, Context, Elicited, Json, PromptError, ResourceError, Server, ServerPrompt,
    ServerResource, ServerTemplate, ServerTool, ToolError,
};
use docent_mcp::types::{
    ContentBlock, CreateMessageRequestParams, LoggingLevel, SamplingMessage, ToolAnnotations,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Echo {
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
struct Slow {
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Log {
    level: String,
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    /// How to be called.
    name: String,
}

/// A fresh fixture server.
pub(crate) fn server() -> Server {
    Server::new("fixture", "1.0")
        .instructions("Call echo.")
        .with_tool(
            ServerTool::new("echo", "Gives back its message", echo)
                .annotations(ToolAnnotations { read_only_hint: Some(true), ..Default::default() }),
        )
        .tool("add", "Adds two numbers", add)
        .tool("list", "Structured content that is no object", list)
        .tool("fail", "Fails", fail)
        .tool("panic", "Panics", panic)
        .tool("progress", "Reports progress", progress)
        .tool("slow", "Takes its time", slow)
        .tool("log", "Writes a log message", log)
        .tool("media", "Returns every kind of content", media)
        .tool("ask_name", "Asks for a name", ask_name)
        .tool("ask_twice", "Asks two questions, one after the other", ask_twice)
        .tool("ask_both", "Asks two questions at once", ask_both)
        .tool("summarize", "Asks the model", summarize)
        .tool("show_roots", "Asks for the roots", show_roots)
        .tool("add_tool", "Adds the tool `extra`", add_tool)
        .tool("touch", "Says that memo://hello changed", touch)
        .with_resource(
            ServerResource::new("memo://hello", "hello", |_, _| async { Ok("Hello from memo") })
                .mime_type("text/plain"),
        )
        .with_resource(
            ServerResource::new("memo://logo", "logo", |_, _| async {
                Ok(vec![0x89_u8, 0x50, 0x4e, 0x47])
            })
            .mime_type("image/png"),
        )
        .with_template(
            ServerTemplate::new("memo://item/{id}", "item", |_, request| async move {
                match request.variables.get("id") {
                    Some(id) if id != "0" => Ok(format!(r#"{{"id":"{id}"}}"#)),
                    _ => Err(ResourceError::NotFound),
                }
            })
            .mime_type("application/json")
            .complete("id", Completer::values(["1", "2", "3"])),
        )
        .with_prompt(
            ServerPrompt::new("greet", "Greets somebody", |_, args| async move {
                let style = args.get("style").map_or("friendly", String::as_str);
                Ok::<_, PromptError>(format!("Please greet {} in a {style} style", args["name"]))
            })
            .required("name", "Whom")
            .optional("style", "How")
            .complete(
                "style",
                Completer::new(|_, query| async move {
                    let formal =
                        query.arguments.get("name").is_some_and(|name| name.starts_with("Dr"));
                    let values = if formal { vec!["formal"] } else { vec!["formal", "friendly"] };
                    let fits = values.into_iter().filter(|value| value.starts_with(&query.value));
                    fits.map(str::to_owned).collect()
                }),
            ),
        )
}

async fn echo(_: Context, args: Echo) -> Result<String, ToolError> {
    Ok(args.message)
}

async fn add(_: Context, args: Numbers) -> Result<Json<Sum>, ToolError> {
    Ok(Json(Sum { sum: args.a + args.b }))
}

async fn list(_: Context, (): ()) -> Result<Json<Vec<u32>>, ToolError> {
    Ok(Json(vec![1, 2]))
}

async fn fail(_: Context, (): ()) -> Result<String, ToolError> {
    Err(std::io::Error::other("it failed").into())
}

async fn panic(_: Context, (): ()) -> Result<String, ToolError> {
    panic!("a secret is in here")
}

async fn progress(ctx: Context, args: Steps) -> Result<&'static str, ToolError> {
    for step in 1..=args.steps {
        let message = format!("step {step}");
        ctx.progress(step.into(), Some(args.steps.into()), message).await?;
        // Not beyond the last report, so never sent.
        ctx.progress(step.into(), None, None).await?;
    }
    Ok("done")
}

async fn slow(_: Context, args: Slow) -> Result<&'static str, ToolError> {
    tokio::time::sleep(Duration::from_millis(args.ms)).await;
    Ok("finished")
}

async fn log(ctx: Context, args: Log) -> Result<&'static str, ToolError> {
    let level: LoggingLevel = serde_json::from_value(args.level.into())?;
    ctx.log(level, Some("fixture"), args.message).await?;
    Ok("logged")
}

async fn media(_: Context, (): ()) -> Result<Vec<ContentBlock>, ToolError> {
    Ok(vec![
        ContentBlock::text("text"),
        ContentBlock::image([1, 2, 3], "image/png"),
        ContentBlock::audio([4, 5, 6], "audio/wav"),
    ])
}

async fn ask_name(ctx: Context, (): ()) -> Result<String, ToolError> {
    Ok(match ctx.question("user_name").elicit::<Name>("What is your name?").await? {
        Elicited::Accepted(answer) => format!("Hello, {}", answer.name),
        Elicited::Declined => "declined".to_owned(),
        Elicited::Cancelled => "cancelled".to_owned(),
    })
}

async fn ask_twice(ctx: Context, (): ()) -> Result<String, ToolError> {
    let first = ctx.elicit::<Name>("First?").await?.accepted().map(|answer| answer.name);
    let second = ctx.elicit::<Name>("Second?").await?.accepted().map(|answer| answer.name);
    Ok(format!("{first:?} {second:?}"))
}

async fn ask_both(ctx: Context, (): ()) -> Result<String, ToolError> {
    let (name, roots) = tokio::join!(ctx.elicit::<Name>("Name?"), ctx.roots());
    let name = name?.accepted().map(|answer| answer.name);
    let roots: Vec<_> = roots?.into_iter().map(|root| root.uri).collect();
    Ok(format!("{name:?} {roots:?}"))
}

async fn summarize(ctx: Context, args: Echo) -> Result<String, ToolError> {
    let params = CreateMessageRequestParams {
        messages: vec![SamplingMessage::user(&*args.message)],
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

async fn add_tool(ctx: Context, (): ()) -> Result<&'static str, ToolError> {
    ctx.server().add_tool(ServerTool::new("extra", "Was not there before", echo))?;
    Ok("added")
}

async fn touch(ctx: Context, (): ()) -> Result<&'static str, ToolError> {
    ctx.server().resource_updated("memo://hello");
    Ok("touched")
}
