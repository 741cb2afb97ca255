//! Logs in to a server with the user's browser, or with `--terminal` without one, and lists its
//! tools. The next start finds the login where this one kept it.
//!
//! ```sh
//! cargo run --example login --features tls -- https://mcp.example.com/mcp
//! ```
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::path::PathBuf;

use docent_mcp::auth::{FileStore, OAuth, Terminal};
use docent_mcp::transport::http::HttpEndpoint;
use docent_mcp::{Client, ErrorKind};

/// Where logins are kept: a folder of the user's own.
fn credentials() -> PathBuf {
    match std::env::var_os("LOGIN_CREDENTIALS") {
        Some(folder) => folder.into(),
        None => std::env::home_dir().unwrap_or_default().join(".local/state/login-example"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let terminal = arguments.iter().position(|argument| argument == "--terminal");
    let mut login = OAuth::user("login example").store(FileStore::open(credentials())?);
    if let Some(at) = terminal {
        arguments.remove(at);
        login = login.visit(Terminal);
    }
    let url = arguments.first().ok_or("usage: login [--terminal] URL")?;

    // Nothing happens until the server asks for a token; then this waits for the user.
    let client = match Client::start(HttpEndpoint::new(url)?.authorize(login)).await {
        Ok(client) => client,
        Err(error) if error.kind() == ErrorKind::Authorization => {
            println!("not logged in: {error:#}");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    for tool in client.tools().await? {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }
    client.close().await;
    Ok(())
}
