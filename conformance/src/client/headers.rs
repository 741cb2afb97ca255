//! Requests whose headers are looked at: those of every request, and those that repeat arguments.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Failure, Task};

/// A call that the scenario wants made.
#[derive(Deserialize)]
struct ToolCall {
    name: String,
    arguments: Value,
}

/// Makes one request of each kind that carries a name.
pub(crate) async fn standard(task: &Task) -> Result<(), Failure> {
    let client = task.connect().await?;
    for tool in client.tools().await? {
        client.call(&tool.name, json!({})).await?;
    }
    for resource in client.resources().await? {
        client.read(&resource.uri).await?;
    }
    for prompt in client.prompts().await? {
        client.prompt(&prompt.name, [("", ""); 0]).await?;
    }
    client.close().await;
    Ok(())
}

/// Makes the calls of the context, with their arguments as they are.
pub(crate) async fn custom(task: &Task) -> Result<(), Failure> {
    let calls: Vec<ToolCall> = serde_json::from_value(task.context["toolCalls"].clone())?;
    let client = task.connect().await?;
    client.tools().await?;
    for call in calls {
        client.call(&call.name, call.arguments).await?;
    }
    client.close().await;
    Ok(())
}

/// Calls every tool that is left after those with bad header names were dropped.
pub(crate) async fn invalid(task: &Task) -> Result<(), Failure> {
    let client = task.connect().await?;
    for tool in client.tools().await? {
        client.call(&tool.name, json!({ "region": "us-east1" })).await?;
    }
    client.close().await;
    Ok(())
}
