//! The fixture server of the conformance suite: every tool, prompt and resource that a scenario
//! asks for, on docent-mcp's public API, served in every revision at `http://127.0.0.1:PORT/mcp`.
//!
//! The first line of output is the address. Standard input is watched: the server ends when whoever
//! started it goes away.

#![expect(clippy::print_stdout, reason = "whoever starts the server reads its address")]

mod changes;
mod content;
mod prompts;
mod questions;
mod resources;
mod rounds;
mod schemas;
mod skills;
mod streams;
mod tasks;

use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_mcp::{Result, Server};
use tokio::io::AsyncReadExt as _;

fn server() -> Result<Server> {
    let server = Server::new("docent-conformance", "1.0.0");
    let topics = [
        content::add,
        streams::add,
        schemas::add,
        questions::add,
        rounds::add,
        changes::add,
        prompts::add,
        resources::add,
        tasks::add,
    ];
    skills::add(topics.into_iter().fold(server, |server, add| add(server)))
}

/// Waits for the end of standard input.
async fn abandoned() {
    let (mut input, mut byte) = (tokio::io::stdin(), [0]);
    while matches!(input.read(&mut byte).await, Ok(1)) {}
}

#[tokio::main]
async fn main() -> Result<()> {
    let service = server()?.http_service(HttpOptions::new())?;
    let http = HttpServer::bind(service, "127.0.0.1:0").await?;
    println!("http://{}/mcp", http.local_addr());
    http.serve_until(abandoned()).await
}
