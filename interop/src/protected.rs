//! A protected fixture: one tool that says who asks, for whoever has a token of the authorization
//! server that is named, or else of the test kit's, which is started beside it.

use std::error::Error;

use docent_mcp::Server;
use docent_mcp::auth::{JwtVerifier, Protection};
use docent_mcp::server::{Context, ToolError};
use docent_mcp::transport::http::{HttpOptions, HttpServer};
use docent_testkit::authorization::{AuthorizationServer, Options};

/// The scope that every request needs.
const SCOPE: &str = "mcp";

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

async fn who(context: Context, _: Nothing) -> Result<String, ToolError> {
    let claims = context.claims().ok_or_else(|| ToolError::new("there is no token"))?;
    let scopes: Vec<_> = claims.scopes().collect();
    Ok(format!("{}: {}", claims.subject(), scopes.join(" ")))
}

/// The server with its address, and the authorization server, if it was started here.
pub(crate) struct Protected {
    pub(crate) listening: HttpServer,
    pub(crate) url: String,
    _authority: Option<AuthorizationServer>,
}

impl Protected {
    pub(crate) async fn start(issuer: Option<String>) -> Result<Protected, Box<dyn Error>> {
        // Tokens are for the address, so that has to be known first.
        let free = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = free.local_addr()?;
        drop(free);
        let url = format!("http://{address}/mcp");
        let authority = match issuer {
            Some(_) => None,
            None => {
                let (scopes, resources) = (vec![SCOPE.to_owned()], vec![url.clone()]);
                let options = Options { scopes, resources, ..Options::default() };
                Some(AuthorizationServer::start(options).await)
            }
        };
        let own = authority.as_ref().map(|authority| authority.issuer().to_owned());
        let issuer = issuer.or(own).unwrap_or_default();
        let protection = Protection::new(&url, JwtVerifier::new(issuer)).needs_scope(SCOPE);
        let server = Server::new("protected", "1.0").tool("who", "Says who asks", who);
        let service = server.http_service(HttpOptions::new().protect(protection))?;
        let listening = HttpServer::bind(service, address).await?;
        Ok(Protected { listening, url, _authority: authority })
    }
}
