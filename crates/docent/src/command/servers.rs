//! `docent servers`: every configured server and how it is doing.

use std::process::ExitCode;

use clap::Args;
use docent_host::{Collision, Host, ServerStatus, State};
use serde_json::{Value, json};

use crate::client::missing::NO_SERVERS;
use crate::client::{Which, open, trouble};
use crate::exit;
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::{Look, Span, Table, line, plain};

#[derive(Args)]
pub(crate) struct Servers {
    #[command(flatten)]
    pub(crate) which: Which,
}

pub(crate) async fn run(servers: &Servers, console: &Console) -> Result<ExitCode, Failure> {
    let host = open(&servers.which, console)?;
    host.start();
    // Waits for those that answer, up to the host's patience with the others; a lazy one stays idle.
    host.settle().await;
    show(&host, console)?;
    let all = host.servers();
    host.close().await;
    let failed = all.iter().any(|server| matches!(server.state, State::Failed(_)));
    Ok(if failed { exit::findings() } else { ExitCode::SUCCESS })
}

pub(crate) fn show(host: &Host, console: &Console) -> Result<(), Failure> {
    let (all, collisions) = (host.servers(), host.collisions());
    let json: Vec<Value> = all.iter().map(|one| with_collisions(one, &collisions)).collect();
    console.value(&json, &text(&all, &collisions, console))
}

/// The state in a word, and what to add to it.
fn state(server: &ServerStatus) -> (&'static str, Look, Option<String>) {
    match &server.state {
        State::Ready(_) => ("ready", Look::Good, None),
        State::Idle => ("idle", Look::Dim, None),
        State::Starting => ("starting", Look::Warn, Some("it has not answered yet".to_owned())),
        State::Failed(failure) => ("failed", Look::Bad, Some(failure.to_string())),
        State::Off(why) => ("off", Look::Dim, Some(why.clone())),
        _ => ("unknown", Look::Dim, None),
    }
}

fn revision(server: &ServerStatus) -> Option<String> {
    match &server.state {
        State::Ready(description) => Some(description.revision.to_string()),
        _ => None,
    }
}

fn code(server: &ServerStatus) -> Option<&'static str> {
    match &server.state {
        State::Failed(failure) => Some(failure.code().as_str()),
        _ => None,
    }
}

pub(crate) fn as_json(server: &ServerStatus) -> Value {
    let (word, _, note) = state(server);
    json!({
        "name": server.name,
        "state": word,
        "note": note,
        "code": code(server),
        "revision": revision(server),
        "tools": server.tools,
        "blocked": server.blocked.iter().map(|(tool, why)| json!({ "tool": tool, "why": why })).collect::<Vec<_>>(),
        "startMs": server.took.map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
    })
}

/// A server with what it offers and another one has the name of.
fn with_collisions(server: &ServerStatus, all: &[Collision]) -> Value {
    let own = all.iter().filter(|one| one.renamed == server.name).map(|one| {
        let renamed = Some(&one.to).filter(|to| !to.is_empty());
        json!({ "kind": one.kind, "name": one.name, "kept": one.kept, "to": renamed })
    });
    let mut json = as_json(server);
    json["collisions"] = own.collect();
    json
}

fn text(servers: &[ServerStatus], collisions: &[Collision], console: &Console) -> String {
    if servers.is_empty() {
        return format!("{NO_SERVERS}\n");
    }
    let mut table = Table::new(&["server", "state", "protocol", "tools", "start"]);
    for server in servers {
        let (word, look, _) = state(server);
        let took = server.took.map_or(String::new(), |took| format!("{} ms", took.as_millis()));
        table.row([
            Span::new(&server.name, Look::Strong),
            Span::new(word, look),
            plain(revision(server).unwrap_or_default()),
            plain(server.tools.map_or(String::new(), |tools| tools.to_string())),
            Span::new(took, Look::Dim),
        ]);
    }
    let mut out = table.render(&console.terminal);
    for server in servers {
        if let (_, _, Some(note)) = state(server) {
            let spans = [Span::new(format!("{}: ", server.name), Look::Strong), plain(note)];
            out.push_str(&line(&spans, &console.terminal));
        }
        for (tool, why) in &server.blocked {
            let spans = [Span::new(format!("{}.{tool}: ", server.name), Look::Strong), plain(why)];
            out.push_str(&line(&spans, &console.terminal));
        }
    }
    for collision in collisions {
        out.push_str(&line(&[plain(trouble::said(collision))], &console.terminal));
    }
    out
}
