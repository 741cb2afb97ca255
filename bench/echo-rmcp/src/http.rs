//! The same server on rmcp's Streamable HTTP, in axum as its README has it.
//!
//! * `stateful` is its default. `stateless-sse` and `stateless-json` are what its settings offer besides.
//! * With `nodelay`, small writes are not held back, which the README leaves to the reader.

use std::error::Error;
use std::io::Write;

use axum::Router;
use axum::serve::ListenerExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::Echo;

pub(crate) async fn serve(echo: Echo, mode: &str, nodelay: bool) -> Result<(), Box<dyn Error>> {
    let config = StreamableHttpServerConfig::default();
    let config = match mode {
        "stateful" => config,
        "stateless-sse" => config.with_legacy_session_mode(false),
        "stateless-json" => config.with_legacy_session_mode(false).with_json_response(true),
        _ => return Err(format!("no such mode: http-{mode}").into()),
    };
    let sessions = LocalSessionManager::default();
    let service = StreamableHttpService::new(move || Ok(echo.clone()), sessions.into(), config);
    let router = Router::new().nest_service("/mcp", service);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?)?;
    if nodelay {
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        axum::serve(listener, router).await?;
    } else {
        axum::serve(listener, router).await?;
    }
    Ok(())
}
