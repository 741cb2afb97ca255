//! The role of a server behind the gateway, which says of everything whose it is: results, progress,
//! log messages, questions, resources, tasks. Over a pipe, and of one era.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use docent_mcp::server::{Context, Elicited, Server, ServerTemplate, ServerTool, ToolError};
use docent_mcp::types::{CacheScope, LoggingLevel, Revision, TaskSupport};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::Result;

#[derive(Deserialize, JsonSchema)]
struct Whose {
    /// Whose call it is.
    own: String,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

type Said = std::result::Result<String, ToolError>;

/// Tells of progress and logs on the way, and gives others time to do the same.
async fn work(context: Context, Whose { own }: Whose) -> Said {
    for step in 1..=3_u8 {
        context.progress(step.into(), None, format!("progress of {own}")).await?;
        context.log(LoggingLevel::Error, None, json!(format!("log of {own}"))).await?;
        tokio::task::yield_now().await;
    }
    Ok(format!("done for {own}"))
}

async fn ask(context: Context, Whose { own }: Whose) -> Said {
    Ok(match context.elicit::<Name>(format!("a question to {own}")).await? {
        Elicited::Accepted(Name { name }) => format!("{own} is called {name}"),
        _ => format!("{own} does not answer"),
    })
}

async fn touch(context: Context, Whose { own }: Whose) -> Said {
    context.server().resource_updated(format!("memo://of/{own}"));
    Ok(format!("touched for {own}"))
}

async fn later(context: Context, Whose { own }: Whose) -> Said {
    context.progress(1.0, None, format!("a task of {own}")).await?;
    Ok(format!("a task done for {own}"))
}

pub(crate) fn run(words: &[String]) -> Result<()> {
    let revision = match words {
        [era] if era == "legacy" => Revision::NEWEST_LEGACY,
        [era] if era == "modern" => Revision::NEWEST_MODERN,
        _ => return Err("tenant-server legacy|modern".into()),
    };
    let reads = Arc::new(AtomicUsize::new(0));
    let server = Server::new("tenants", "1.0")
        .revisions([revision])
        .tool("work", "Tells of itself on the way", work)
        .tool("ask", "Asks the user", ask)
        .tool("touch", "Says that a memo changed", touch)
        .with_tool(ServerTool::new("later", "Is a task", later).task(TaskSupport::Optional))
        .with_template(
            ServerTemplate::new("memo://{kind}/{name}", "memo", move |_, _| {
                let read = reads.fetch_add(1, Ordering::Relaxed);
                // Callers may have processes of their own, each of which counts from the start.
                let process = std::process::id();
                async move { Ok(format!("read number {read} of {process}")) }
            })
            .cache(3_600_000, CacheScope::Private),
        );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(server.serve_stdio())?)
}
