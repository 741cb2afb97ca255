//! The authorization server of the test kit, with the one client that the conformance suite plays.
//!
//! The first line of output is the issuer. Standard input is watched: the server ends when whoever
//! started it goes away.

#![expect(clippy::print_stdout, reason = "whoever starts the server reads its address")]

use docent_testkit::authorization::{AuthorizationServer, Client, Options};
use tokio::io::AsyncReadExt as _;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = AuthorizationServer::start(Options::default()).await;
    server.add_client(Client {
        id: "conformance".to_owned(),
        secret: None,
        redirect_uris: vec!["http://127.0.0.1/callback".to_owned()],
        grant_types: ["authorization_code", "refresh_token"].map(str::to_owned).into(),
        auth_method: "none".to_owned(),
    });
    println!("{}", server.issuer());
    let (mut input, mut byte) = (tokio::io::stdin(), [0]);
    while matches!(input.read(&mut byte).await, Ok(1)) {}
}
