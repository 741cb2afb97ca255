//! An MCP server inside an axum application that has other routes and knows its users:
//! `cargo run --example http_axum -- 127.0.0.1:3000`
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use docent_mcp::Server;
use docent_mcp::server::{Context, ToolError};
use docent_mcp::transport::http::{HttpOptions, Principal};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

async fn whoami(context: Context, _: Nothing) -> Result<String, ToolError> {
    Ok(format!("You are {}.", context.principal().unwrap_or("nobody")))
}

/// Tells handlers who asks. A real application checks a token here.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let user = request.headers().get("x-user").and_then(|user| user.to_str().ok());
    let Some(user) = user.map(Principal::new) else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    request.extensions_mut().insert(user);
    next.run(request).await
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mcp = Server::new("whoami", "1.0")
        .tool("whoami", "Says who you are", whoami)
        .http_service(HttpOptions::new())?;
    let app = Router::new()
        .route_service("/mcp", mcp.clone())
        .layer(middleware::from_fn(authenticate))
        .route("/health", get(|| async { "ok" }));

    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:3000".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, app)
        .with_graceful_shutdown(async move {
            let _ = tokio::signal::ctrl_c().await;
            // Subscriptions would keep connections open for good.
            mcp.shut_down();
        })
        .await?;
    Ok(())
}
