//! A server behind layers: a log, a limit on time, a limit on the rate, and one of our own that
//! denies a tool. Clients take layers the same way, with `ClientBuilder::layer`.

use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::layer::{LogLayer, RateLimitLayer, TimeoutLayer};
use docent_mcp::server::{Call, Context, Server, ServerService, ToolError};
use docent_mcp::types::{CallToolRequestParams, method};
use tower_layer::Layer;
use tower_service::Service;

/// Denies every call of one tool, whoever makes it.
#[derive(Clone)]
struct Deny(&'static str);

impl Layer<ServerService> for Deny {
    type Service = Guard;

    fn layer(&self, inner: ServerService) -> Guard {
        Guard { inner, denied: self.0 }
    }
}

#[derive(Clone)]
struct Guard {
    inner: ServerService,
    denied: &'static str,
}

impl Guard {
    /// Parameters are still text here; a layer decodes what it needs.
    fn denies(&self, call: &Call) -> bool {
        let params = call.params.as_ref().filter(|_| call.method == method::TOOLS_CALL);
        let params = params.and_then(|params| params.decode::<CallToolRequestParams>().ok());
        params.is_some_and(|params| params.name == self.denied)
    }
}

impl Service<Call> for Guard {
    type Response = RawJson;
    type Error = ErrorObject;
    type Future = <ServerService as Service<Call>>::Future;

    fn poll_ready(&mut self, cx: &mut TaskContext<'_>) -> Poll<Result<(), ErrorObject>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: Call) -> Self::Future {
        if self.denies(&call) {
            let error = ErrorObject::new(403, format!("`{}` is not for you", self.denied));
            return Box::pin(std::future::ready(Err(error)));
        }
        self.inner.call(call)
    }
}

async fn look(_: Context, (): ()) -> Result<&'static str, ToolError> {
    Ok("all is well")
}

async fn ponder(_: Context, (): ()) -> Result<&'static str, ToolError> {
    std::future::pending().await
}

async fn explode(_: Context, (): ()) -> Result<&'static str, ToolError> {
    Ok("nobody can get here")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> docent_mcp::Result<()> {
    Server::new("guarded", "1.0")
        .tool("look", "Looks around", look)
        .tool("ponder", "Never comes to an end", ponder)
        .tool("explode", "Must not happen", explode)
        // The layer that is added last sees a request first, and its answer last.
        .layer(Deny("explode"))
        .layer(TimeoutLayer::new(Duration::from_millis(200)))
        .layer(RateLimitLayer::new(8, Duration::from_secs(3600)))
        // Writes `tracing` events; install a subscriber to see them.
        .layer(LogLayer)
        .serve_stdio()
        .await
}
