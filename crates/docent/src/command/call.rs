//! `docent call`: calls a tool.

use std::time::Duration;

use clap::Args;
use docent_mcp::client::RequestOptions;
use docent_mcp::types::CallToolResult;

use crate::client::later::{Asking, Whom};
use crate::client::{Which, contents, missing, open_for_tools, sampling, values};
use crate::exit;
use crate::failure::Failure;
use crate::print::Console;
use crate::settings::SamplingFlags;

#[derive(Args)]
pub(crate) struct Call {
    /// The tool, as `SERVER.TOOL`, or its bare name if only one server has it
    pub(crate) tool: String,
    /// Arguments: `key=text`, `key:=json`, or `-` for an object on standard input
    pub(crate) arguments: Vec<String>,
    /// How long it may take
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u64>,
    #[command(flatten)]
    pub(crate) asking: Asking,
    #[command(flatten)]
    pub(crate) sampling: SamplingFlags,
    #[command(flatten)]
    pub(crate) which: Which,
}

pub(crate) async fn run(call: &Call, console: &Console, whom: Whom) -> Result<u8, Failure> {
    let host = open_for_tools(&call.which, console, whom.clone())?;
    let outcome = answer(&host, call, console).await.and_then(|result| {
        let text = contents::result(&result, &console.terminal);
        console.value(&result, &text)?;
        if result.is_error != Some(true) {
            return Ok(0);
        }
        // The tool ran, and says itself that it failed.
        if let Some(hint) = sampling::hint(console, &whom, &text) {
            console.hint(hint);
        }
        Ok(exit::FINDINGS)
    });
    host.close().await;
    outcome
}

async fn answer(
    host: &docent_host::Host,
    call: &Call,
    console: &Console,
) -> Result<CallToolResult, Failure> {
    let tool = host.tool(&call.tool).await;
    let tool = tool.map_err(|error| missing::explained(host, &call.tool, error, console))?;
    let arguments = values::arguments(&call.arguments, &tool.item.input_schema)?;
    let mut options = RequestOptions::new();
    if let Some(seconds) = call.timeout {
        options = options.timeout(Duration::from_secs(seconds));
    }
    if console.beside.layout {
        options = options.on_progress(|progress| {
            let message: String = progress.message.unwrap_or_default();
            let message: String = message.chars().filter(|c| !c.is_control()).collect();
            let of = progress.total.map_or(String::new(), |total| format!(" of {total}"));
            eprintln!("  {}{of} {message}", progress.progress);
        });
    }
    Ok(host.call_with(&call.tool, arguments, options).await?)
}
