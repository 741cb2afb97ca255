//! Several servers, used as one: lists their tools, or calls one.
//!
//! ```sh
//! use_servers "time=uvx mcp-server-time" "docs=https://mcp.example.com/mcp"
//! use_servers "time=uvx mcp-server-time" call time.get_current_time '{"timezone": "UTC"}'
//! ```

use std::io::Write as _;

use docent_host::config::ServerEntry;
use docent_host::{Host, State};
use serde_json::Value;

/// `name=command arguments…`, or `name=https://…`.
fn entry(text: &str) -> Option<ServerEntry> {
    let (name, rest) = text.split_once('=')?;
    if rest.starts_with("http") {
        return Some(ServerEntry::http(name, rest));
    }
    let mut words = rest.split_whitespace();
    Some(ServerEntry::stdio(name, words.next()?, words))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let host = Host::from_entries(arguments.iter().map_while(|text| entry(text)));
    let mut out = std::io::stdout();
    match arguments.iter().skip_while(|text| entry(text).is_some()).collect::<Vec<_>>()[..] {
        [call, tool, ref rest @ ..] if call == "call" => {
            let given = rest.first().map(|text| serde_json::from_str::<Value>(text)).transpose()?;
            let result = host.call(tool, given).await?;
            for block in &result.content {
                writeln!(out, "{}", block.as_text().unwrap_or("[not text]"))?;
            }
        }
        _ => {
            for tool in host.tools().await {
                writeln!(out, "{}  {}", tool.name, tool.item.description.unwrap_or_default())?;
            }
        }
    }
    // One that did not come says why, and the others are there all the same.
    for server in host.servers() {
        if let State::Failed(failure) = server.state {
            eprintln!("{}: {failure}", server.name);
        }
    }
    host.close().await;
    Ok(())
}
