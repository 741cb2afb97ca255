//! Listing and calling tools: most scenarios watch how, and not what.

use serde_json::json;

use super::{Failure, Task};

/// Connects, lists the tools if there are any, and leaves.
pub(crate) async fn list(task: &Task) -> Result<(), Failure> {
    let client = task.connect().await?;
    if client.server().capabilities.tools.is_some() || task.revision.is_modern() {
        client.tools().await?;
    }
    client.close().await;
    Ok(())
}

pub(crate) async fn add_numbers(task: &Task) -> Result<(), Failure> {
    call(task, "add_numbers", json!({ "a": 5, "b": 3 })).await
}

/// The server ends the stream before its answer, which comes after a new connection.
pub(crate) async fn reconnect(task: &Task) -> Result<(), Failure> {
    call(task, "test_reconnection", json!({})).await
}

pub(crate) async fn call_test_tool(task: &Task) -> Result<(), Failure> {
    call(task, "test-tool", json!({})).await
}

async fn call(task: &Task, tool: &str, arguments: serde_json::Value) -> Result<(), Failure> {
    let client = task.connect().await?;
    client.tools().await?;
    let result = client.call(tool, arguments).await?;
    client.close().await;
    if result.failed() {
        return Err(format!("{tool} failed: {:?}", result.content).into());
    }
    Ok(())
}
