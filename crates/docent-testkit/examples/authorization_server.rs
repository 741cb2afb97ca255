//! An authorization server for trying things out, with two clients that are known:
//! `cargo run -p docent-testkit --example authorization_server -- 127.0.0.1:9000 http://localhost:3000/mcp`
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use docent_testkit::authorization::{AuthorizationServer, Client, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:9000".to_owned());
    let resources: Vec<String> = arguments.collect();
    let server = AuthorizationServer::start_at(
        address.parse()?,
        Options { resources, ..Options::default() },
    )
    .await;
    let grants = |all: &[&str]| all.iter().map(|grant| (*grant).to_owned()).collect();
    server.add_client(Client {
        id: "demo".to_owned(),
        secret: None,
        redirect_uris: vec!["http://127.0.0.1/callback".to_owned()],
        grant_types: grants(&["authorization_code", "refresh_token"]),
        auth_method: "none".to_owned(),
    });
    server.add_client(Client {
        id: "demo-machine".to_owned(),
        secret: Some("demo-secret".to_owned()),
        redirect_uris: Vec::new(),
        grant_types: grants(&["client_credentials"]),
        auth_method: "client_secret_basic".to_owned(),
    });
    println!("{}", server.issuer());
    std::future::pending().await
}
