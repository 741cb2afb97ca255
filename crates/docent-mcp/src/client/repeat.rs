//! Requests that are made again because that is safe, each at most once for each reason.
//!
//! - The server did not carry it out, because it has lost the session or was replaced: on a new
//!   connection, which all who need it share.
//! - The connection broke meanwhile, and the request changes nothing.
//! - A header contradicts the tool's schema, so the schema is out of date: after listing the tools
//!   again (2026-07-28, HTTP).

use std::sync::Arc;

use super::link::Link;
use super::{Client, RequestOptions};
use crate::error::{Error, Fate, Result};
use crate::jsonrpc::{RawJson, RawObject};
use crate::types::{Tool, method};

/// What was done already.
#[derive(Default)]
struct Tried {
    reconnected: bool,
    repeated: bool,
    listed: bool,
}

impl Client {
    /// Makes a request, if `check` lets it. Returns the result with the connection that it is of.
    pub(super) async fn persist(
        &self,
        method: &str,
        params: &RawObject,
        options: &RequestOptions,
        check: impl Fn(&Link) -> Result<()>,
    ) -> Result<(Arc<Link>, RawJson)> {
        let mut tried = Tried::default();
        loop {
            let link = self.link().await?;
            check(&link)?;
            let error = match self.request_on(&link, method, params, options).await {
                Ok(result) => return Ok((link, result)),
                Err(error) => error,
            };
            match error.fate() {
                Fate::NotExecuted if !tried.reconnected => {
                    tried.reconnected = true;
                    tracing::debug!(method, "again, on another connection: {error:#}");
                    link.retire();
                }
                Fate::Interrupted if !tried.repeated && changes_nothing(method) => {
                    tried.repeated = true;
                    tracing::debug!(method, "again: {error:#}");
                }
                _ if !tried.listed && self.is_outdated(&link, method, &error) => {
                    tried.listed = true;
                    self.list_tools_anew().await?;
                }
                _ => return Err(error),
            }
        }
    }

    #[cfg(feature = "http")]
    fn is_outdated(&self, link: &Link, method: &str, error: &Error) -> bool {
        let mismatch = error.code() == Some(crate::jsonrpc::code::HEADER_MISMATCH);
        mismatch
            && method == method::TOOLS_CALL
            && link.is_modern()
            && self.inner.source.http().is_some()
    }

    #[cfg(not(feature = "http"))]
    fn is_outdated(&self, _: &Link, _: &str, _: &Error) -> bool {
        false
    }

    /// Boxed, because listing is a request like any other.
    fn list_tools_anew(&self) -> crate::transport::BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.inner.cache.evict(&super::ServerEvent::ToolsChanged);
            #[cfg(feature = "http")]
            if let Some(http) = self.inner.source.http() {
                http.mirrored.clear();
            }
            self.tools().await.map(drop)
        })
    }

    /// The tools that can be called. Over HTTP, one that asks for headers that there cannot be is
    /// dropped (2026-07-28), and what the others ask for is remembered.
    pub(super) fn usable_tools(&self, tools: Vec<Tool>) -> Vec<Tool> {
        #[cfg(feature = "http")]
        if let Some(http) = self.inner.source.http()
            && self.current().is_modern()
        {
            let tools_max = self.limits().cached_results_max;
            let usable = |tool: &Tool| {
                http.mirrored.learn(&tool.name, &tool.input_schema, tools_max).inspect_err(
                    |error| tracing::warn!(tool = tool.name, %error, "a tool that cannot be called is left out"),
                )
            };
            return tools.into_iter().filter(|tool| usable(tool).is_ok()).collect();
        }
        tools
    }
}

/// Whether a request may be made twice without harm.
fn changes_nothing(method: &str) -> bool {
    matches!(
        method,
        method::PING
            | method::SERVER_DISCOVER
            | method::TOOLS_LIST
            | method::PROMPTS_LIST
            | method::PROMPTS_GET
            | method::RESOURCES_LIST
            | method::RESOURCES_TEMPLATES_LIST
            | method::RESOURCES_READ
            | method::COMPLETION_COMPLETE
    )
}
