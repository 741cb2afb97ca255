//! A server over HTTP, for both eras: `cargo run --example http_server -- 127.0.0.1:3000`
//!
//! Port 0 takes any that is free; the address is printed.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use docent_mcp::Server;
use docent_mcp::server::{Context, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpServer};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Count {
    /// How far to count.
    to: u32,
}

async fn count(context: Context, args: Count) -> Result<String, ToolError> {
    for n in 1..=args.to {
        context.progress(f64::from(n), Some(f64::from(args.to)), None).await?;
    }
    Ok(format!("counted to {}", args.to))
}

#[tokio::main]
async fn main() -> docent_mcp::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:3000".to_owned());
    let server = Server::new("counter", "1.0").tool("count", "Counts", count);
    let listening = HttpServer::bind(server.http_service(HttpOptions::new())?, address).await?;
    println!("http://{}/mcp", listening.local_addr());
    // Ends on SIGINT or SIGTERM, once everything that is running was answered.
    listening.serve().await
}
