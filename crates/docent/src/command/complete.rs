//! `docent complete`: what a server suggests for an argument.

use std::process::ExitCode;

use clap::Args;
use docent_host::Host;
use docent_mcp::types::CompletionReference;

use super::prompt::pairs;
use crate::client::later::Whom;
use crate::client::{Which, missing, open_once};
use crate::failure::Failure;
use crate::print::Console;

#[derive(Args)]
pub(crate) struct Complete {
    #[command(flatten)]
    pub(crate) asked: Asked,
    #[command(flatten)]
    pub(crate) which: Which,
}

/// What suggestions are asked for.
#[derive(Args)]
pub(crate) struct Asked {
    /// The prompt, as `SERVER.PROMPT`, or a resource template
    pub(crate) reference: String,
    /// The argument, with what has been typed of it: `name=start`
    pub(crate) argument: String,
    /// Other arguments that are filled in: `key=text`
    pub(crate) known: Vec<String>,
}

pub(crate) async fn run(complete: &Complete, console: &Console) -> Result<ExitCode, Failure> {
    let host = open_once(&complete.which, console, Whom::at_hand())?;
    let outcome = show(&host, &complete.asked, console).await;
    host.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

pub(crate) async fn show(host: &Host, asked: &Asked, console: &Console) -> Result<(), Failure> {
    let known = pairs(&asked.known)?.into_iter().collect();
    let (argument, typed) = asked.argument.split_once('=').unwrap_or((&asked.argument, ""));
    let found = host.complete(reference(&asked.reference), argument, typed, known).await;
    let found =
        found.map_err(|error| missing::explained(host, &asked.reference, error, console))?;
    let text: String = found.values.iter().map(|value| format!("{value}\n")).collect();
    console.value(&found, &text)
}

/// What a word refers to.
pub(crate) fn reference(word: &str) -> CompletionReference {
    match word.contains("://") {
        true => CompletionReference::resource(word),
        false => CompletionReference::prompt(word),
    }
}
