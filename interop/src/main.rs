//! The fixture server of the interoperability tests, on docent-mcp: `fixture` over a transport.
//!
//! Without arguments it speaks on stdin and stdout. With `http` it listens on any free port, prints
//! its address, and ends when its input does. With `protected [ISSUER]` it does the same, and wants
//! tokens.

mod fixture;
mod protected;

use std::error::Error;

use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_mcp::types::Revision;
use tokio::io::AsyncReadExt as _;

/// Fixes the one revision that the server speaks.
const REVISION: &str = "INTEROP_REVISION";

#[expect(clippy::print_stdout, reason = "whoever starts it reads its address there")]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let input_ended = async {
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
    };
    if std::env::args().nth(1).as_deref() == Some("protected") {
        let protected = protected::Protected::start(std::env::args().nth(2)).await?;
        println!("{}", protected.url);
        return Ok(protected.listening.serve_until(input_ended).await?);
    }
    let mut server = fixture::fixture();
    if let Ok(revision) = std::env::var(REVISION) {
        server = server.revisions([revision.parse::<Revision>()?]);
    }
    if std::env::args().nth(1).as_deref() != Some("http") {
        return Ok(server.serve_stdio().await?);
    }
    let service = server.http_service(HttpOptions::new().old_sse())?;
    let listening = HttpServer::bind(service, "127.0.0.1:0").await?;
    println!("http://{}/mcp", listening.local_addr());
    Ok(listening.serve_until(input_ended).await?)
}
