//! The echo server of the benchmarks, on docent-mcp: one tool that gives back its message, and as
//! many more as `BENCH_TOOLS` says.

use docent_mcp::server::{Context, Server, ToolError};
use docent_mcp::{Limits, Result};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    /// What to give back.
    message: String,
}

async fn echo(_: Context, args: Echo) -> Result<String, ToolError> {
    Ok(args.message)
}

async fn nothing(_: Context, (): ()) -> Result<(), ToolError> {
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    // The payloads of the benchmark are larger than what a model would want to read.
    let limits = Limits { tool_result_bytes_max: 4 << 20, ..Limits::default() };
    let mut server =
        Server::new("echo", "1.0").limits(limits).tool("echo", "Gives back its message", echo);
    let more = std::env::var("BENCH_TOOLS").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    for n in 0..more {
        server = server.tool(format!("tool_{n}"), "Does nothing", nothing);
    }
    server.serve_stdio().await
}
