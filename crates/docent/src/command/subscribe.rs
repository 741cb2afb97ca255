//! `docent subscribe`: tells when resources change.

use std::process::ExitCode;

use clap::Args;
use docent_host::{Host, HostEvent, State};
use serde_json::json;
use tokio::sync::mpsc;

use crate::client::{Which, watched};
use crate::failure::Failure;
use crate::print::Console;
use crate::stop;

#[derive(Args)]
pub(crate) struct Subscribe {
    #[command(flatten)]
    pub(crate) what: Watched,
    #[command(flatten)]
    pub(crate) which: Which,
}

/// What is watched, and how long.
#[derive(Args)]
pub(crate) struct Watched {
    /// The addresses to watch
    #[arg(required = true)]
    pub(crate) uris: Vec<String>,
    /// End after so many changes
    #[arg(long, value_name = "N")]
    pub(crate) count: Option<usize>,
}

/// What happened and was not told yet, at most.
const EVENTS_MAX: usize = 1024;

/// A host whose events are heard.
pub(crate) fn hearing(
    which: &Which,
    console: &Console,
) -> Result<(Host, mpsc::Receiver<HostEvent>), Failure> {
    let (told, heard) = mpsc::channel(EVENTS_MAX);
    let host = watched(which, console, move |event| {
        // Whoever does not listen does not miss anything.
        let _ = told.try_send(event);
    })?;
    Ok((host, heard))
}

pub(crate) async fn run(subscribe: &Subscribe, console: &Console) -> Result<ExitCode, Failure> {
    let (host, mut heard) = hearing(&subscribe.which, console)?;
    let outcome = tokio::select! {
        outcome = follow(&host, &mut heard, &subscribe.what, console) => outcome,
        () = stop::asked() => Ok(()),
    };
    host.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

/// Prints a line for each change, as it comes, until there were enough.
pub(crate) async fn follow(
    host: &Host,
    heard: &mut mpsc::Receiver<HostEvent>,
    what: &Watched,
    console: &Console,
) -> Result<(), Failure> {
    // What happened before is not what was asked for.
    while heard.try_recv().is_ok() {}
    let mut servers = Vec::new();
    for uri in &what.uris {
        host.subscribe(uri).await?;
        servers.push(host.server_of(uri).await?);
    }
    if console.beside.layout {
        eprintln!("watching; end with Ctrl-C");
    }
    let mut left = what.count.unwrap_or(usize::MAX);
    while left > 0 {
        match heard.recv().await {
            Some(HostEvent::ResourceUpdated(uri)) if is_meant(&what.uris, &uri) => {
                left -= 1;
                let json = json!({ "updated": uri });
                console.print(&if console.json {
                    format!("{json}\n")
                } else {
                    format!("{uri}\n")
                })?;
            }
            Some(HostEvent::State(server)) if servers.contains(&server) => {
                let status = host.servers().into_iter().find(|one| one.name == server);
                if let Some(State::Failed(failure)) = status.map(|one| one.state) {
                    console.warn(&format!("{server}: {failure}"));
                }
            }
            Some(_) => {}
            None => break,
        }
    }
    Ok(())
}

/// Whether an address is one of those that are watched, or below one. With and without the name of
/// its server before it, it is the same.
fn is_meant(watched: &[String], updated: &str) -> bool {
    let is_it = |one: &str, other: &str| {
        one.strip_suffix(other).is_some_and(|before| before.is_empty() || before.ends_with('+'))
    };
    watched.iter().any(|one| {
        let below = updated.strip_prefix(one.trim_end_matches('/'));
        let is_below = below.is_some_and(|rest| rest.starts_with('/'));
        is_it(one, updated) || is_it(updated, one) || is_below
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_watched_is_meant() {
        for (watched, updated, expected) in [
            ("file:///a", "file:///a", true),
            ("file:///a", "file:///a/b", true),
            ("file:///a/", "file:///a/b", true),
            ("file:///a", "file:///ab", false),
            ("docs+file:///a", "file:///a", true),
            ("file:///a", "docs+file:///a", true),
            ("file:///a", "file:///", false),
            ("file:///x/a", "a", false),
        ] {
            assert_eq!(is_meant(&[watched.to_owned()], updated), expected, "{watched} {updated}");
        }
    }
}
