//! The role of a server: small, well-behaved, and able to crash or stop on demand.

use docent_mcp::server::{Context, Server, ToolError};
use docent_mcp::types::Revision;
use rustix::process::{Signal, getpid, kill_process};

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

async fn stop(_: Context, (): ()) -> std::result::Result<(), ToolError> {
    Ok(kill_process(getpid(), Signal::STOP)?)
}

/// With the word `legacy`, it knows no newer revision than 2025-11-25.
pub(crate) fn run(words: &[String]) -> Result<()> {
    let mut server = Server::new("gate", "1.0");
    if words.iter().any(|word| word == "legacy") {
        server = server.revisions([Revision::NEWEST_LEGACY]);
    }
    server = server.tool("echo", "Gives back its message", echo);
    server = server.tool("crash", "Ends the server at once", crash);
    server = server.tool("stop", "Stops the server, so that it does nothing more", stop);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(server.serve_stdio())?)
}
