//! A company decides who may use a server: its identity provider knows the user (`ID_TOKEN`, from
//! the login to the company) and gives the program what the server's authorization server takes.
//!
//! ```sh
//! ID_TOKEN=… CLIENT_SECRET=… \
//!     cargo run --example enterprise --features tls -- URL CLIENT_ID PROVIDER_TOKEN_ENDPOINT TOOL
//! ```
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;

use docent_mcp::Client;
use docent_mcp::auth::{IdentityProvider, OAuth, Secret};
use docent_mcp::transport::http::HttpEndpoint;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, client_id, token_endpoint, tool] = &arguments[..] else {
        return Err("usage: enterprise URL CLIENT_ID PROVIDER_TOKEN_ENDPOINT TOOL".into());
    };
    let id_token = Secret::new(std::env::var("ID_TOKEN")?);
    let secret = Secret::new(std::env::var("CLIENT_SECRET")?);
    // The provider and the authorization server may know the program by different ids and secrets.
    let provider = IdentityProvider::new(token_endpoint, client_id, id_token);
    let login = OAuth::enterprise(client_id, provider.client_secret(secret.clone()));
    let endpoint = HttpEndpoint::new(url)?.authorize(login.client_secret(secret));
    let client = Client::start(endpoint).await?;
    let result = client.call(tool, serde_json::json!({})).await?;
    println!("{}", result.content.first().and_then(|it| it.as_text()).unwrap_or("nothing"));
    client.close().await;
    Ok(())
}
