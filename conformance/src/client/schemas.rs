//! The schema of a tool, as it arrives here, sent back to the server.

use serde_json::json;

use super::{Failure, Task};

pub(crate) async fn echo(task: &Task) -> Result<(), Failure> {
    let client = task.connect().await?;
    let tool = client.tool("json_schema_2020_12_tool").await?;
    let tool = tool.ok_or("the server has no json_schema_2020_12_tool")?;
    client.call("json_schema_echo", json!({ "schema": tool.input_schema })).await?;
    client.close().await;
    Ok(())
}
