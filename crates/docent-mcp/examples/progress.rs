//! A server whose tool takes long, says how far it is, and stops when nobody waits any more.

use docent_mcp::Cancel;
use docent_mcp::server::{Context, Json, Server, ToolError};
use docent_mcp::types::LoggingLevel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

#[derive(Deserialize, JsonSchema)]
struct CountPrimes {
    /// Only primes below this number count.
    below: u32,
}

// Structured content: clients get it as JSON, and its schema with the tool.
#[derive(Serialize, JsonSchema)]
struct Primes {
    count: u32,
}

/// The work is heavy, so it runs on a thread of its own and leaves the connection free to read
/// the cancellation. When that comes, this function is dropped where it waits; the thread is not,
/// and looks at the token itself.
async fn count_primes(ctx: Context, args: CountPrimes) -> Result<Json<Primes>, ToolError> {
    let (report, mut reports) = watch::channel(0);
    let cancel = ctx.cancellation().clone();
    let counting = tokio::task::spawn_blocking(move || count(args.below, &report, &cancel));
    // A `watch` keeps only the latest figure, so a slow client does not slow the thread down.
    while reports.changed().await.is_ok() {
        let done = *reports.borrow_and_update();
        let message = format!("{done} numbers tried");
        // Sent only if the client asked for progress.
        ctx.progress(done.into(), Some(args.below.into()), message).await?;
    }
    let Some(count) = counting.await? else { return Err(ToolError::new("cancelled")) };
    // Sent only if the client wants messages of this level.
    ctx.log(LoggingLevel::Info, Some("primes"), format!("found {count}")).await?;
    Ok(Json(Primes { count }))
}

/// `None` if it was cancelled.
fn count(below: u32, report: &watch::Sender<u32>, cancel: &Cancel) -> Option<u32> {
    let mut primes: Vec<u32> = Vec::new();
    for number in 2..below {
        if cancel.is_cancelled() {
            eprintln!("stopped at {number}");
            return None;
        }
        let mut divisors = primes.iter().take_while(|prime| **prime <= number / **prime);
        if divisors.all(|prime| number % prime != 0) {
            primes.push(number);
        }
        if number % 1000 == 0 {
            report.send_replace(number);
        }
    }
    report.send_replace(below);
    u32::try_from(primes.len()).ok()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> docent_mcp::Result<()> {
    Server::new("primes", "1.0")
        .tool("count_primes", "Counts primes", count_primes)
        .serve_stdio()
        .await
}
