//! A client of a server on the web: a token that is renewed when the server asks for it, and a call.
//!
//! ```sh
//! cargo run --example http_client -- http://127.0.0.1:8000/mcp
//! ```
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::sync::Mutex;

use docent_mcp::client::{Client, ServerEvent};
use docent_mcp::transport::BoxFuture;
use docent_mcp::transport::http::{
    Challenge, HookError, HttpEndpoint, OutgoingRequest, RequestHook,
};
use docent_mcp::types::ContentBlock;
use serde_json::json;

/// A token from the environment, fetched when the server first asks for one.
#[derive(Default)]
struct Token(Mutex<Option<String>>);

impl RequestHook for Token {
    fn prepare<'a>(
        &'a self,
        request: &'a mut OutgoingRequest,
    ) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            let token = self.0.lock().expect("no panic while locked").clone();
            if let Some(token) = token {
                request.headers.insert("authorization", format!("Bearer {token}").parse()?);
            }
            Ok(())
        })
    }

    fn challenged<'a>(
        &'a self,
        challenge: &'a Challenge,
    ) -> BoxFuture<'a, Result<bool, HookError>> {
        Box::pin(async move {
            println!("the server answers {} and wants a token", challenge.status);
            // A real program would ask its authorization server here.
            let token = std::env::var("MCP_TOKEN").ok();
            let found = token.is_some();
            *self.0.lock().expect("no panic while locked") = token;
            Ok(found)
        })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("usage: http_client URL")?;
    let endpoint = HttpEndpoint::new(url)?.hook(Token::default());

    // Finds out the era and the transport; everything below works with all of them.
    let client = Client::builder("http_client", "1.0")
        .on_event(|event| {
            if let ServerEvent::Restarted = event {
                println!("the server had lost the session; there is a new one");
            }
        })
        .connect(endpoint)
        .await?;
    println!("connected, speaking {}", client.server().revision);

    for tool in client.tools().await? {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }
    match client.call("greet", json!({ "name": "Ada" })).await {
        Ok(result) => {
            for text in result.content.iter().filter_map(ContentBlock::as_text) {
                println!("greet answered: {text}");
            }
        }
        // The status says what to do, and so does the text of the error.
        Err(error) => println!("greet failed, HTTP {:?}: {error:#}", error.http_status()),
    }
    client.close().await;
    Ok(())
}
