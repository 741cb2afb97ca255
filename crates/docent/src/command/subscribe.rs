//! `docent subscribe`: tells when resources, or what servers offer, change.

use std::process::ExitCode;

use clap::Args;
use docent_host::{HostEvent, State};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::client::{Which, watched};
use crate::failure::Failure;
use crate::print::Console;

#[derive(Args)]
pub(crate) struct Subscribe {
    /// The addresses to watch
    #[arg(required = true)]
    pub(crate) uris: Vec<String>,
    /// End after so many changes
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<usize>,
    #[command(flatten)]
    pub(crate) which: Which,
}

pub(crate) async fn run(subscribe: &Subscribe, console: &Console) -> Result<ExitCode, Failure> {
    let (told, mut heard) = mpsc::unbounded_channel();
    let host = watched(&subscribe.which, console, move |event| {
        let _ = told.send(event);
    })?;
    for uri in &subscribe.uris {
        host.subscribe(uri).await?;
    }
    if console.beside.layout {
        eprintln!("watching; end with Ctrl-C");
    }
    let mut left = subscribe.count.unwrap_or(usize::MAX);
    while left > 0 {
        let event = tokio::select! {
            event = heard.recv() => event,
            _ = tokio::signal::ctrl_c() => None,
        };
        let Some(event) = event else { break };
        let line: Option<Value> = match event {
            HostEvent::ResourceUpdated(uri) => Some(json!({ "updated": uri })),
            HostEvent::State(server) => {
                let status = host.servers().into_iter().find(|one| one.name == server);
                match status.map(|one| one.state) {
                    Some(State::Failed(failure)) => {
                        Some(json!({ "failed": server, "why": failure.to_string() }))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let Some(line) = line else { continue };
        left -= 1;
        // One line for each change, as it comes.
        let text = match &line["updated"] {
            Value::String(uri) => format!("{uri}\n"),
            _ => format!("{line}\n"),
        };
        console.print(&if console.json { format!("{line}\n") } else { text })?;
    }
    host.close().await;
    Ok(ExitCode::SUCCESS)
}
