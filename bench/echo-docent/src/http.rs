//! The same server over HTTP, and a client that only calls it: what a program on docent-mcp has
//! without settings of its own.

use std::error::Error;
use std::io::Write;

use docent_mcp::client::Client;
use docent_mcp::server::Server;
use docent_mcp::transport::http::{HttpEndpoint, HttpOptions, HttpServer};
use docent_mcp::types::ContentBlock;
use serde_json::json;

/// Serves until the process is told to stop.
pub(crate) async fn serve(server: Server) -> Result<(), Box<dyn Error>> {
    let service = server.http_service(HttpOptions::new())?;
    let listening = HttpServer::bind(service, "127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "{}", listening.local_addr())?;
    Ok(listening.serve().await?)
}

/// Calls `echo` so many times, one after the other, and checks every answer.
pub(crate) async fn call(url: String, calls: usize) -> Result<(), Box<dyn Error>> {
    let endpoint = HttpEndpoint::new(url)?;
    let client = Client::builder("bench", "1.0").connect(endpoint).await?;
    for n in 0..calls {
        let message = format!("call {n}");
        let result = client.call("echo", json!({ "message": message })).await?;
        let texts: Vec<&str> = result.content.iter().filter_map(ContentBlock::as_text).collect();
        if texts != [message.as_str()] {
            return Err(format!("call {n} came back as {result:?}").into());
        }
    }
    client.close().await;
    Ok(())
}
