//! The fixture server of the conformance suite: every tool, prompt and resource that a scenario
//! asks for, on docent-mcp's public API, served in every revision at `http://127.0.0.1:PORT/mcp`.
//!
//! The first line of output is the address. Standard input is watched: the server ends when whoever
//! started it goes away.

mod changes;
mod content;
mod prompts;
mod questions;
mod resources;
mod rounds;
mod schemas;
mod streams;
mod tasks;

use docent_mcp::{Result, Server};

fn server() -> Server {
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
    topics.into_iter().fold(server, |server, add| add(server))
}

#[tokio::main]
async fn main() -> Result<()> {
    server().serve_stdio().await
}
