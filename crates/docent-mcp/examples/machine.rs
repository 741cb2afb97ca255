//! A program with an account of its own calls a tool of a protected server: no user is asked.
//!
//! ```sh
//! CLIENT_SECRET=… cargo run --example machine --features tls -- URL CLIENT_ID TOOL
//! ```
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;

use docent_mcp::Client;
use docent_mcp::auth::OAuth;
use docent_mcp::transport::http::HttpEndpoint;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, client_id, tool] = &arguments[..] else {
        return Err("usage: machine URL CLIENT_ID TOOL".into());
    };
    // Where there is a choice, `private_key` is better: a key is never sent.
    let login = OAuth::machine(client_id).client_secret(std::env::var("CLIENT_SECRET")?);
    let client = Client::start(HttpEndpoint::new(url)?.authorize(login)).await?;
    let result = client.call(tool, serde_json::json!({})).await?;
    println!("{}", result.content.first().and_then(|it| it.as_text()).unwrap_or("nothing"));
    client.close().await;
    Ok(())
}
