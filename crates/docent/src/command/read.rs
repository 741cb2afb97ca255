//! `docent read`: reads a resource, or lists what can be read.

use clap::Args;
use docent_host::Host;
use serde_json::json;

use crate::client::later::{Asking, Whom};
use crate::client::{Which, contents, missing, open_once};
use crate::failure::Failure;
use crate::print::Console;
use crate::settings::SamplingFlags;
use crate::terminal::{Look, Span, line, plain};

#[derive(Args)]
pub(crate) struct Read {
    /// The address; without one, all that are listed
    pub(crate) uri: Option<String>,
    #[command(flatten)]
    pub(crate) asking: Asking,
    #[command(flatten)]
    pub(crate) sampling: SamplingFlags,
    #[command(flatten)]
    pub(crate) which: Which,
}

pub(crate) async fn run(read: &Read, console: &Console, whom: Whom) -> Result<u8, Failure> {
    let host = open_once(&read.which, console, whom)?;
    let outcome = match &read.uri {
        Some(uri) => one(&host, uri, console).await,
        None => list(&host, console).await,
    };
    host.close().await;
    outcome.map(|()| 0)
}

async fn one(host: &Host, uri: &str, console: &Console) -> Result<(), Failure> {
    let read = host.read(uri).await;
    let read = read.map_err(|error| missing::explained(host, uri, error, console))?;
    console.value(&read, &contents::resource(&read, &console.terminal))
}

async fn list(host: &Host, console: &Console) -> Result<(), Failure> {
    let (resources, templates) = (host.resources().await, host.templates().await);
    missing::warn_of_failures(host, console);
    let json = json!({
        "resources": resources.iter().map(|one| &one.item).collect::<Vec<_>>(),
        "resourceTemplates": templates.iter().map(|one| &one.item).collect::<Vec<_>>(),
    });
    let rows = resources.iter().map(|one| (&one.name, &one.item.name, &one.item.description));
    let templates = templates.iter().map(|one| (&one.name, &one.item.name, &one.item.description));
    let mut out = String::new();
    for (address, name, about) in rows.chain(templates) {
        let about = about.as_ref().unwrap_or(name);
        let spans = [Span::new(address, Look::Code), plain("  "), Span::new(about, Look::Dim)];
        out.push_str(&line(&spans, &console.terminal));
    }
    console.value(&json, if out.is_empty() { "no resources\n" } else { &out })
}
