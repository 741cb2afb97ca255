//! A server with one tool, over standard input and output.
//!
//! An MCP client starts it; `hello_client.rs` is one.

use docent_mcp::server::{Context, Server, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

// The arguments of the tool. Doc comments become the descriptions that a model reads, and arguments
// that do not fit are refused before the function runs.
#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet.
    name: String,
    /// The language to greet in.
    #[serde(default)]
    language: Language,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Language {
    #[default]
    English,
    French,
    Swahili,
}

async fn greet(_: Context, args: Greet) -> Result<String, ToolError> {
    if args.name.trim().is_empty() {
        return Err(ToolError::new("there is nobody to greet: `name` is empty"));
    }
    let hello = match args.language {
        Language::English => "Hello",
        Language::French => "Bonjour",
        Language::Swahili => "Jambo",
    };
    Ok(format!("{hello}, {}!", args.name))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> docent_mcp::Result<()> {
    Server::new("hello", "1.0").tool("greet", "Greets somebody", greet).serve_stdio().await
}
