//! `docent prompt`: the messages of a prompt, or the prompts there are.

use clap::Args;
use docent_host::Host;
use docent_mcp::types::Prompt as Definition;

use crate::client::later::{Asking, Whom};
use crate::client::{Which, contents, missing, open_once};
use crate::failure::Failure;
use crate::print::Console;
use crate::settings::SamplingFlags;
use crate::terminal::{Look, Span, line};

#[derive(Args)]
pub(crate) struct Prompt {
    /// The prompt, as `SERVER.PROMPT`; without one, all that are listed
    pub(crate) name: Option<String>,
    /// Arguments: `key=text`
    pub(crate) arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) asking: Asking,
    #[command(flatten)]
    pub(crate) sampling: SamplingFlags,
    #[command(flatten)]
    pub(crate) which: Which,
}

pub(crate) async fn run(prompt: &Prompt, console: &Console, whom: Whom) -> Result<u8, Failure> {
    let pairs = pairs(&prompt.arguments)?;
    let host = open_once(&prompt.which, console, whom)?;
    let outcome = match &prompt.name {
        Some(name) => one(&host, name, pairs, console).await,
        None => list(&host, console).await,
    };
    host.close().await;
    outcome.map(|()| 0)
}

/// `key=text`, each.
pub(crate) fn pairs(written: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let pair = |text: &String| match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err(Failure::usage(format!("`{text}` is not `key=text`"))),
    };
    written.iter().map(pair).collect()
}

async fn one(
    host: &Host,
    name: &str,
    pairs: Vec<(String, String)>,
    console: &Console,
) -> Result<(), Failure> {
    let prompt = host.prompt(name, pairs).await;
    let prompt = prompt.map_err(|error| missing::explained(host, name, error, console))?;
    console.value(&prompt, &contents::messages(&prompt, &console.terminal))
}

async fn list(host: &Host, console: &Console) -> Result<(), Failure> {
    let prompts = host.prompts().await;
    missing::warn_of_failures(host, console);
    let definitions: Vec<&Definition> = prompts.iter().map(|one| &one.item).collect();
    let mut out = String::new();
    for prompt in &prompts {
        let arguments: Vec<String> = prompt
            .item
            .arguments
            .iter()
            .map(|one| {
                let mark = if one.required == Some(true) { "" } else { "?" };
                format!("{}{mark}", one.name)
            })
            .collect();
        let name = format!("{}.{}({})", prompt.server, prompt.own, arguments.join(", "));
        let about = prompt.item.description.as_deref().unwrap_or_default();
        let spans = [Span::new(name, Look::Code), Span::new(format!("  {about}"), Look::Dim)];
        out.push_str(&line(&spans, &console.terminal));
    }
    console.value(&definitions, if out.is_empty() { "no prompts\n" } else { &out })
}
