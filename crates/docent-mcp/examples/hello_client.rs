//! A client that starts a server, shows its tools, calls one and ends the server again.
//!
//! ```sh
//! cargo run --example hello_client -- cargo run --quiet --example hello_server
//! ```
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;

use docent_mcp::Client;
use docent_mcp::transport::child::ChildProcess;
use docent_mcp::types::ContentBlock;
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1);
    let program = words.next().ok_or("usage: hello_client COMMAND [ARGUMENT]...")?;

    // Finds out which revision the server speaks; everything below works with all of them.
    let client = Client::start(ChildProcess::new(program).args(words)).await?;
    println!("connected, speaking {}", client.server().revision);

    for tool in client.tools().await? {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
        println!("{:#}", tool.input_schema);
    }

    let greet = client.tool("greet").await?.ok_or("the server has no tool `greet`")?;
    let result = client.call(&greet.name, json!({ "name": "Ada" })).await?;
    // A tool that ran and failed says so in its result. That is not an error of the connection.
    let verb = if result.failed() { "failed" } else { "answered" };
    for text in result.content.iter().filter_map(ContentBlock::as_text) {
        println!("{} {verb}: {text}", greet.name);
    }

    client.close().await;
    Ok(())
}
