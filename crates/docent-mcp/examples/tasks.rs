//! A tool call that nobody has to wait for, both sides in one program. The handler asks, works and
//! asks again; the same function also serves clients that wait for the answer.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::time::Duration;

use docent_mcp::client::{Called, Client};
use docent_mcp::server::{Context, Elicited, Server, ServerTool, ToolError};
use docent_mcp::types::{ElicitResult, TaskSupport};
use docent_mcp::{Limits, transport};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct Bake {
    /// What to bake.
    cake: String,
}

#[derive(Deserialize, JsonSchema)]
struct Topping {
    /// What goes on top.
    topping: String,
}

async fn bake(ctx: Context, args: Bake) -> Result<String, ToolError> {
    for step in ["mixing", "baking"] {
        // Whoever looks at the task sees this.
        ctx.task_status(step);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // In a task, a question does not start the handler again: it waits right here.
    match ctx.elicit::<Topping>("And on top?").await? {
        Elicited::Accepted(answer) => Ok(format!("{} cake with {}", args.cake, answer.topping)),
        Elicited::Declined | Elicited::Cancelled => Ok(format!("{} cake", args.cake)),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let limits = Limits { task_poll_interval: Duration::from_millis(100), ..Limits::default() };
    let server = Server::new("bakery", "1.0")
        .limits(limits)
        .with_tool(ServerTool::new("bake", "Bakes a cake", bake).task(TaskSupport::Optional));
    let (near, far) = transport::memory();
    tokio::spawn(server.serve(far));

    let client = Client::builder("guest", "1.0")
        .tasks()
        .on_elicit_form(|form| async move {
            println!("asked: {}", form.message);
            let content = json!({ "topping": "cherries" });
            Ok(ElicitResult::accept(content.as_object().cloned().unwrap_or_default()))
        })
        .connect(near)
        .await?;

    // The plain call waits, whatever the server makes of it.
    let result = client.call("bake", json!({ "cake": "Lemon" })).await?;
    println!("{}", result.content[0].as_text().unwrap_or_default());

    // Or take the task, and do something else meanwhile.
    match client.call_task("bake", json!({ "cake": "Poppy seed" })).await? {
        Called::Task(task) => {
            task.listen().await?;
            println!("status: {}", task.status().await?.status);
            let result = task.wait().await?;
            println!("{}", result.content[0].as_text().unwrap_or_default());
        }
        Called::Done(result) => println!("done at once: {:?}", result.content),
    }
    client.close().await;
    Ok(())
}
