//! The echo server of the benchmarks, on docent-mcp: one tool that gives back its message, and as
//! many more as `BENCH_TOOLS` says.
//!
//! `echo-docent` serves stdio. With the feature `http` there are `echo-docent http` and
//! `echo-docent client URL CALLS`, both in `http.rs`.

#[cfg(feature = "http")]
mod http;

use std::error::Error;

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

fn main() -> Result<(), Box<dyn Error>> {
    #[cfg(feature = "http")]
    {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["http"] => {
                let mut runtime = tokio::runtime::Builder::new_multi_thread();
                return runtime.enable_all().build()?.block_on(http::serve(server()));
            }
            ["client", url, calls] => {
                let mut runtime = tokio::runtime::Builder::new_current_thread();
                let calling = http::call(url.to_owned(), calls.parse()?);
                return runtime.enable_all().build()?.block_on(calling);
            }
            _ => {}
        }
    }
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    Ok(runtime.enable_all().build()?.block_on(server().serve_stdio())?)
}

fn server() -> Server {
    // The payloads of the benchmark are larger than what a model would want to read.
    let limits = Limits { tool_result_bytes_max: 4 << 20, ..Limits::default() };
    let mut server =
        Server::new("echo", "1.0").limits(limits).tool("echo", "Gives back its message", echo);
    let more = std::env::var("BENCH_TOOLS").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    for n in 0..more {
        server = server.tool(format!("tool_{n}"), "Does nothing", nothing);
    }
    server
}
