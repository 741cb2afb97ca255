//! The echo server on rmcp, written as its README suggests: the macro router on a multi-threaded
//! tokio runtime. Words on the command line try what could make it faster.
//!
//! `echo-rmcp [stdio|pipes|http-stateful|http-stateless-sse|http-stateless-json] [stored] [single] [nodelay]`
//!
//! * `stdio` (the default) and `pipes` choose between its transports `stdio()` and `stdio_pipes()`.
//! * The `http-` modes, with the feature `http`, are in `http.rs`; `nodelay` is for them.
//! * `stored` keeps one router for the life of the server. The README's form, the default here,
//!   builds a router for each call.
//! * `single` runs it on tokio's single-threaded runtime.

#[cfg(feature = "http")]
mod http;

use std::borrow::Cow;
use std::error::Error;
use std::sync::{Arc, LazyLock};

use rmcp::handler::server::common::schema_for_empty_input;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::Tool;
use rmcp::transport::{stdio, stdio_pipes};
use rmcp::{ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use tokio::runtime;

/// Names of the additional tools. Static strings, as the macro would generate them.
static MORE_TOOLS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let count = std::env::var("BENCH_TOOLS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    (0..count).map(|n| &*format!("tool_{n}").leak()).collect()
});

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct EchoParams {
    message: String,
}

#[derive(Clone)]
struct Echo {
    stored: Option<Arc<ToolRouter<Self>>>,
}

#[tool_router]
impl Echo {
    #[tool(description = "Returns the message")]
    fn echo(&self, Parameters(EchoParams { message }): Parameters<EchoParams>) -> String {
        message
    }
}

impl Echo {
    fn nothing(&self) -> String {
        "ok".to_owned()
    }

    /// What the macro's `tool_router` would be if the additional tools were methods.
    fn all_tools() -> ToolRouter<Self> {
        MORE_TOOLS.iter().fold(Self::tool_router(), |router, name| {
            let description = Some("Does nothing".into());
            let tool = Tool::new_with_raw(*name, description, schema_for_empty_input());
            router.with_route((tool, Self::nothing))
        })
    }

    fn router(&self) -> Cow<'_, ToolRouter<Self>> {
        match &self.stored {
            Some(router) => Cow::Borrowed(router),
            None => Cow::Owned(Self::all_tools()),
        }
    }
}

#[tool_handler(router = self.router())]
impl ServerHandler for Echo {}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|given| given == word);
    let echo = Echo { stored: has("stored").then(|| Arc::new(Echo::all_tools())) };
    let mut runtime = if has("single") {
        runtime::Builder::new_current_thread()
    } else {
        runtime::Builder::new_multi_thread()
    };
    let runtime = runtime.enable_all().build()?;
    #[cfg(feature = "http")]
    if let Some(mode) = words.iter().find_map(|word| word.strip_prefix("http-")) {
        return runtime.block_on(http::serve(echo, mode, has("nodelay")));
    }
    runtime.block_on(serve(echo, has("pipes")))
}

async fn serve(echo: Echo, pipes: bool) -> Result<(), Box<dyn Error>> {
    let service =
        if pipes { echo.serve(stdio_pipes()).await? } else { echo.serve(stdio()).await? };
    service.waiting().await?;
    Ok(())
}
