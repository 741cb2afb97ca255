//! Both halves together: our client logs in to our server, inside axum, at the test kit's
//! authorization server.

use axum::Router;
use docent_mcp::auth::{Introspection, JwtVerifier, OAuth, Policy, Protection, Visit};
use docent_mcp::transport::BoxFuture;
use docent_mcp::transport::http::{HookError, HttpEndpoint, HttpOptions};
use docent_mcp::{Client, Server};
use docent_testkit::authorization::{AuthorizationServer, Client as Known, Options};
use docent_testkit::plain_http;
use serde_json::json;

use super::counted;

/// A user who follows the one redirect there is.
struct Follow;

impl Visit for Follow {
    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<Option<String>, HookError>> {
        Box::pin(async move {
            let reply = plain_http::send("GET", url, &[], "").await?;
            let to = reply.header("location");
            Ok(Some(to.ok_or("nobody was sent anywhere")?.to_owned()))
        })
    }
}

/// A protected server that listens, and its address.
struct World {
    address: String,
    authority: AuthorizationServer,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for World {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn world(
    options: Options,
    server: Server,
    protection: impl FnOnce(&str, &AuthorizationServer) -> Protection,
) -> World {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    let authority = AuthorizationServer::start(options).await;
    let options = HttpOptions::new().protect(protection(&address, &authority));
    let service = server.http_service(options).unwrap();
    let metadata = "/.well-known/oauth-protected-resource/mcp";
    let routes =
        Router::new().route_service("/mcp", service.clone()).route_service(metadata, service);
    let serving = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    World { address, authority, serving }
}

impl World {
    async fn connect(&self, login: OAuth) -> docent_mcp::Result<Client> {
        Client::start(HttpEndpoint::new(&self.address)?.authorize(login)).await
    }
}

async fn who(client: &Client) -> String {
    let result = client.call("who", json!({})).await.unwrap();
    result.content[0].as_text().unwrap_or_default().to_owned()
}

fn scopes() -> Options {
    let scopes = ["notes", "admin"].map(str::to_owned).to_vec();
    Options { scopes, ..Options::default() }
}

/// [SRV-AUTH-02] [SRV-AUTH-17] from nothing to a token, and from one scope to two.
#[tokio::test]
async fn a_user_logs_in_and_steps_up() {
    let server = counted().server.layer(Policy::new().tool("who").needs_scope("admin"));
    let world = world(scopes(), server, |address, authority| {
        let verifier = JwtVerifier::new(authority.issuer());
        Protection::new(address, verifier).needs_scope("notes").offers_scope("admin")
    })
    .await;
    let client = world.connect(OAuth::user("test").visit(Follow)).await.unwrap();
    assert!(client.tools().await.unwrap().is_empty(), "the scope is missing");
    assert_eq!(who(&client).await, "ada: admin notes");
    let logins = world.authority.requests().iter().filter(|it| *it == "GET /authorize").count();
    assert_eq!(logins, 2, "{:?}", world.authority.requests());
    client.close().await;
}

/// [SRV-AUTH-17] a token that is bound to the client's key, with nonces.
#[tokio::test]
async fn a_user_logs_in_with_a_key() {
    let world = world(scopes(), counted().server, |address, authority| {
        let verifier = JwtVerifier::new(authority.issuer());
        Protection::new(address, verifier).bound_tokens_only().proof_nonces()
    })
    .await;
    // A client uses a key when it is told to, and when the server's metadata wants one.
    for login in [OAuth::user("test").dpop(), OAuth::user("test")] {
        let client = world.connect(login.visit(Follow)).await.unwrap();
        assert!(who(&client).await.starts_with("ada: "));
        client.close().await;
    }
}

/// [SRV-AUTH-17] a program with an account of its own, and tokens that only the issuer can read.
#[tokio::test]
async fn a_machine_logs_in() {
    let options = Options { opaque_tokens: true, ..scopes() };
    let world = world(options, counted().server, |address, authority| {
        let verifier = Introspection::new(authority.issuer(), "server", "s3cret");
        Protection::new(address, verifier).needs_scope("notes")
    })
    .await;
    for id in ["server", "worker"] {
        world.authority.add_client(Known {
            id: id.to_owned(),
            secret: Some("s3cret".to_owned()),
            grant_types: vec!["client_credentials".to_owned()],
            auth_method: "client_secret_basic".to_owned(),
            ..Known::default()
        });
    }
    let client = world.connect(OAuth::machine("worker").client_secret("s3cret")).await.unwrap();
    assert_eq!(who(&client).await, "worker: notes");
    client.close().await;
    let refused = world.connect(OAuth::machine("worker").client_secret("guess")).await;
    let shown = format!("{:?} {:#}", refused.as_ref().err(), refused.as_ref().err().unwrap());
    assert!(!shown.contains("guess"), "{shown}");
}
