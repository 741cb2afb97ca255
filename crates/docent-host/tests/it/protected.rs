//! A server that wants tokens, and the authorization server that gives them.

use axum::Router;
use docent_host::config::ServerEntry;
use docent_mcp::Server;
use docent_mcp::auth::{JwtVerifier, Policy, Protection};
use docent_mcp::server::{Context, ToolError};
use docent_mcp::transport::http::HttpOptions;
use docent_testkit::authorization::{AuthorizationServer, Options};

pub(crate) struct Protected {
    pub(crate) url: String,
    pub(crate) authority: AuthorizationServer,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for Protected {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// What the server is called: by another name than its address, as behind a proxy, and its metadata
/// is nowhere to be found.
pub(crate) const RESOURCE: &str = "https://notes.example/mcp";

/// Starts both. The tool `who` says who asks, with which scopes; `admin` takes a scope of its own.
pub(crate) async fn protected() -> Protected {
    let scopes = ["notes", "admin"].map(str::to_owned).to_vec();
    let authority = AuthorizationServer::start(Options { scopes, ..Options::default() }).await;
    let server = Server::new("notes", "1.0")
        .tool("who", "Says who asks", |context: Context, (): ()| async move {
            let scopes: Vec<_> = context.claims().into_iter().flat_map(|it| it.scopes()).collect();
            let principal = context.principal().unwrap_or("nobody");
            Ok::<_, ToolError>(format!("{principal}: {}", scopes.join(" ")))
        })
        .tool("admin", "Needs more", |_: Context, (): ()| async move { Ok::<_, ToolError>("done") })
        .layer(Policy::new().tool("admin").needs_scope("admin"));
    let protection = Protection::new(RESOURCE, JwtVerifier::new(authority.issuer()));
    let options = HttpOptions::new().protect(protection.needs_scope("notes"));
    let service = server.http_service(options).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let routes = Router::new().route_service("/mcp", service);
    let serving = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    Protected { url, authority, serving }
}

impl Protected {
    pub(crate) fn entry(&self) -> ServerEntry {
        ServerEntry::http("notes", &self.url)
    }
}
