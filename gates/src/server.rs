//! The role of a server: small, well-behaved, and able to crash on demand.

use docent_mcp::server::{Context, Server, ToolError};

use crate::Result;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    /// What to give back.
    message: String,
}

async fn echo(_: Context, arguments: Echo) -> std::result::Result<String, ToolError> {
    Ok(arguments.message)
}

async fn crash(_: Context, (): ()) -> std::result::Result<(), ToolError> {
    std::process::abort()
}

pub(crate) fn run(_: &[String]) -> Result<()> {
    let server = Server::new("gate", "1.0").tool("echo", "Gives back its message", echo).tool(
        "crash",
        "Ends the server at once",
        crash,
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(server.serve_stdio())?)
}
