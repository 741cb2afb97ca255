//! Tools that send something before their answer: progress, log messages, a stream that ends early.

use std::time::Duration;

use docent_mcp::Server;
use docent_mcp::server::{Context, ToolError};
use docent_mcp::types::LoggingLevel;

/// Long enough that each message is sent on its own.
const STEP: Duration = Duration::from_millis(50);

pub(crate) fn add(server: Server) -> Server {
    server
        .tool("test_tool_with_progress", "Reports progress three times", progress)
        .tool("test_tool_with_logging", "Sends three log messages", logging)
        .tool("test_logging_tool", "Sends a log message to those who asked for some", logging)
        .tool("test_reconnection", "Ends the stream of its call before the answer", reconnection)
}

async fn progress(ctx: Context, (): ()) -> Result<&'static str, ToolError> {
    for (step, progress) in [0.0, 50.0, 100.0].into_iter().enumerate() {
        if step > 0 {
            tokio::time::sleep(STEP).await;
        }
        let message = format!("Completed step {} of 3", step + 1);
        ctx.progress(progress, Some(100.0), message).await?;
    }
    Ok("Progress was reported")
}

async fn logging(ctx: Context, (): ()) -> Result<&'static str, ToolError> {
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        ctx.log(LoggingLevel::Info, None, message).await?;
        tokio::time::sleep(STEP).await;
    }
    Ok("Messages were logged")
}

async fn reconnection(ctx: Context, (): ()) -> Result<&'static str, ToolError> {
    tokio::time::sleep(STEP).await;
    ctx.close_stream(Duration::from_millis(500));
    // The answer has to wait until the client has seen the end.
    tokio::time::sleep(2 * STEP).await;
    Ok("Reconnection test completed successfully")
}
