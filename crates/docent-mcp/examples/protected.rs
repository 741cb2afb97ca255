//! A server that takes tokens, with rules about who may use what, and an authorization server for
//! trying it: `cargo run --example protected -- 127.0.0.1:3000`
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use docent_mcp::Server;
use docent_mcp::auth::{JwtVerifier, Policy, Protection};
use docent_mcp::server::{Context, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_testkit::authorization::{AuthorizationServer, Options};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

async fn read(context: Context, _: Nothing) -> Result<String, ToolError> {
    Ok(format!("The notes of {}: none yet.", context.principal().unwrap_or("nobody")))
}

async fn clear(context: Context, _: Nothing) -> Result<String, ToolError> {
    let claims = context.claims().ok_or("there is no token")?;
    let client = claims.get("client_id").and_then(|id| id.as_str()).unwrap_or("some client");
    Ok(format!("{} had them cleared by {client}.", claims.subject()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new("notes", "1.0")
        .tool("read", "Reads all notes", read)
        .tool("clear", "Throws all notes away", clear)
        .layer(Policy::new().tool("clear").needs_scope("notes:write"));

    // A real server knows both addresses beforehand: its own, and that of its issuer.
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:3000".to_owned());
    let free = tokio::net::TcpListener::bind(address).await?;
    let address = free.local_addr()?;
    drop(free);
    let resource = format!("http://{address}/mcp");
    let issuer = AuthorizationServer::start(Options {
        scopes: vec!["notes".to_owned(), "notes:write".to_owned()],
        resources: vec![resource.clone()],
        ..Options::default()
    })
    .await;

    let protection = Protection::new(&resource, JwtVerifier::new(issuer.issuer()))
        .needs_scope("notes")
        .offers_scope("notes:write")
        .name("Notes");
    let service = server.http_service(HttpOptions::new().protect(protection))?;
    let listening = HttpServer::bind(service, address).await?;
    println!("{resource}");
    println!("token: {}", issuer.token(&resource, "ada", "notes"));
    listening.serve().await?;
    Ok(())
}
