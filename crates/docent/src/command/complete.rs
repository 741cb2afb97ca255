//! `docent complete`: what a server suggests for an argument.

use std::process::ExitCode;

use clap::Args;
use docent_mcp::types::CompletionReference;

use super::prompt::pairs;
use crate::client::later::Whom;
use crate::client::{Which, missing, open_once};
use crate::failure::Failure;
use crate::print::Console;

#[derive(Args)]
pub(crate) struct Complete {
    /// The prompt, as `SERVER.PROMPT`, or a resource template
    pub(crate) reference: String,
    /// The argument, with what has been typed of it: `name=start`
    pub(crate) argument: String,
    /// Other arguments that are filled in: `key=text`
    pub(crate) known: Vec<String>,
    #[command(flatten)]
    pub(crate) which: Which,
}

pub(crate) async fn run(complete: &Complete, console: &Console) -> Result<ExitCode, Failure> {
    let known = pairs(&complete.known)?.into_iter().collect();
    let (argument, typed) = complete.argument.split_once('=').unwrap_or((&complete.argument, ""));
    let reference = match complete.reference.contains("://") {
        true => CompletionReference::resource(&complete.reference),
        false => CompletionReference::prompt(&complete.reference),
    };
    let host = open_once(&complete.which, console, Whom::at_hand())?;
    let outcome = host.complete(reference, argument, typed, known).await;
    let outcome =
        outcome.map_err(|error| missing::explained(&host, &complete.reference, error, console));
    let outcome = outcome.and_then(|found| {
        let text: String = found.values.iter().map(|value| format!("{value}\n")).collect();
        console.value(&found, &text)
    });
    host.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}
