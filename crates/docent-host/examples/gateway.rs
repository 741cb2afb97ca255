//! A gateway before one server, over standard input and output or over HTTP.
//!
//! ```sh
//! gateway uvx mcp-server-time
//! gateway --http uvx mcp-server-time
//! gateway --bare --http http://localhost:8000/mcp
//! ```
//!
//! Over HTTP it prints the address that it listens on. With `--bare`, tools keep their names.

use std::io::Write as _;

use docent_host::config::{Masked, ServerEntry, Transport};
use docent_host::{Gateway, Host};
use docent_mcp::transport::http::HttpOptions;

fn entry(words: &[String]) -> Option<ServerEntry> {
    let (first, rest) = words.split_first()?;
    if first.starts_with("http://") || first.starts_with("https://") {
        return Some(ServerEntry::http("server", first));
    }
    let transport = Transport::Stdio {
        command: Masked::plain(first),
        args: rest.iter().map(Masked::plain).collect(),
        env: Default::default(),
        cwd: None,
        // Whoever types a command wants it to run as if they had started it themselves.
        inherit: true,
    };
    Some(ServerEntry::new("server", transport))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut option = |name: &str| {
        let given = words.first().is_some_and(|word| word == name);
        if given {
            words.remove(0);
        }
        given
    };
    let (bare, http) = (option("--bare"), option("--http"));
    let usage = "usage: gateway [--bare] [--http] COMMAND ARGUMENTS… | URL";
    let entry = entry(&words).ok_or(usage)?;
    let host = Host::builder("gateway", env!("CARGO_PKG_VERSION"));
    let host = if bare { host.bare_names() } else { host };
    let builder = Gateway::builder(host.from_entries([entry]));
    if !http {
        return Ok(builder.build_for_one().serve_stdio().await?);
    }
    let gateway = builder.build();
    let listening = gateway.bind("127.0.0.1:0", HttpOptions::new()).await?;
    writeln!(std::io::stdout(), "{}", listening.local_addr())?;
    listening.serve().await?;
    gateway.close().await;
    Ok(())
}
