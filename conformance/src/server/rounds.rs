//! Tools whose questions are named, counted or sealed: the `input_required` results of 2026-07-28.

use docent_mcp::Server;
use docent_mcp::server::{Context, Elicited, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::questions::{form, sample};

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Color {
    color: String,
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    ok: bool,
}

pub(crate) fn add(server: Server) -> Server {
    let named = |suffix: &str| format!("test_input_required_result_{suffix}");
    server
        .tool(named("elicitation"), "Asks for a name", elicitation)
        .tool(named("sampling"), "Asks the model", sampling)
        .tool(named("list_roots"), "Asks for the roots", list_roots)
        .tool(named("request_state"), "Asks for a confirmation", request_state)
        .tool(named("multiple_inputs"), "Asks three things at once", multiple_inputs)
        .tool(named("multi_round"), "Asks one thing after another", multi_round)
        .tool(named("tampered_state"), "Asks for a confirmation", request_state)
        .tool(named("capabilities"), "Asks what the client can answer", capabilities)
}

/// Asks for a name under the key that the suite expects.
pub(crate) async fn ask_name(ctx: &Context, key: &str) -> Result<String, ToolError> {
    match ctx.question(key).elicit::<Name>("What is your name?").await? {
        Elicited::Accepted(answer) => Ok(answer.name),
        Elicited::Declined | Elicited::Cancelled => Err(ToolError::new("no name was given")),
    }
}

async fn elicitation(ctx: Context, (): ()) -> Result<String, ToolError> {
    Ok(format!("Hello, {}!", ask_name(&ctx, "user_name").await?))
}

async fn sampling(ctx: Context, (): ()) -> Result<String, ToolError> {
    let question = sample("What is the capital of France?", 100);
    Ok(ctx.question("capital_question").sample(question).await?.content.joined_text())
}

async fn list_roots(ctx: Context, (): ()) -> Result<String, ToolError> {
    let roots = ctx.question("client_roots").roots().await?;
    Ok(roots.into_iter().map(|root| root.uri).collect::<Vec<_>>().join(", "))
}

async fn request_state(ctx: Context, (): ()) -> Result<&'static str, ToolError> {
    match ctx.question("confirm").elicit::<Confirmation>("Please confirm").await? {
        Elicited::Accepted(Confirmation { ok: true }) => Ok("state-ok"),
        _ => Ok("not confirmed"),
    }
}

async fn multiple_inputs(ctx: Context, (): ()) -> Result<String, ToolError> {
    let (name, greeting, roots) =
        (ctx.question("user_name"), ctx.question("greeting"), ctx.question("client_roots"));
    let (name, greeting, roots) = tokio::join!(
        name.elicit::<Name>("What is your name?"),
        greeting.sample(sample("Generate a greeting", 50)),
        roots.roots(),
    );
    let name = name?.accepted().map_or("nobody".to_owned(), |answer| answer.name);
    Ok(format!("{}, {name}: {} roots", greeting?.content.joined_text(), roots?.len()))
}

async fn multi_round(ctx: Context, (): ()) -> Result<String, ToolError> {
    let name = ask_name(&ctx, "step1").await?;
    let color = ctx.question("step2").elicit::<Color>("What is your favorite color?").await?;
    Ok(match color {
        Elicited::Accepted(Color { color }) => format!("{name} likes {color}"),
        Elicited::Declined | Elicited::Cancelled => format!("{name} does not say"),
    })
}

async fn capabilities(ctx: Context, (): ()) -> Result<String, ToolError> {
    if ctx.client_capabilities().elicitation.is_some() {
        let form = form("Which topic?", json!({ "topic": { "type": "string" } }));
        let answer = ctx.question("topic").elicit_form(form).await?;
        return Ok(json!(answer.content).to_string());
    }
    let question = sample("Choose a topic", 100);
    Ok(ctx.question("topic").sample(question).await?.content.joined_text())
}
