//! `docent approve`: agrees to what a project's configuration would run, and to the tools of servers.

use std::process::ExitCode;

use clap::Args;
use docent_host::config::{Approval, Approvals, Machine, ServerEntry};
use docent_host::pin::{Change, Lock};
use docent_host::{Offered, ServerStatus, State};
use docent_mcp::types::Tool;
use serde_json::{Value, json, to_value};

use crate::client::{Which, lock, open_idle, questions};
use crate::exit;
use crate::failure::Failure;
use crate::print::Console;

#[derive(Args)]
pub(crate) struct Approve {
    /// Only this server
    pub(crate) server: Option<String>,
    /// Agree without being asked
    #[arg(long)]
    pub(crate) yes: bool,
    /// Agree to the tools as they are now, and write them to `mcp.lock`
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) tools: bool,
    /// Only show what differs from `mcp.lock`; ends with 3 if anything does
    #[arg(long, requires = "tools", conflicts_with = "yes")]
    pub(crate) check: bool,
    /// Take back what was agreed to
    #[arg(long, requires = "server")]
    pub(crate) revoke: bool,
    #[command(flatten)]
    pub(crate) which: Which,
}

impl Approve {
    /// Whether the user agrees to what was shown.
    fn agreed(&self) -> bool {
        self.yes || matches!(questions::ask("agree? [y/N]: ").as_deref(), Some("y" | "yes"))
    }
}

pub(crate) async fn run(approve: &Approve, console: &Console) -> Result<ExitCode, Failure> {
    if approve.tools { tools(approve, console).await } else { servers(approve, console) }
}

/// Shows what is to be agreed to: on standard output, unless that is for the answer as JSON.
fn show(console: &Console, text: &str) -> Result<(), Failure> {
    if console.json {
        eprint!("{text}");
        return Ok(());
    }
    console.print(text)
}

/// Agrees to start servers that a project brought along.
fn servers(approve: &Approve, console: &Console) -> Result<ExitCode, Failure> {
    let machine = Machine::of_process();
    let failed = |error: std::io::Error| Failure::io("the approvals cannot be kept", &error);
    let mut approvals = Approvals::load(&machine).map_err(failed)?;
    if let (true, Some(server)) = (approve.revoke, &approve.server) {
        let count = approvals.revoke(server).map_err(failed)?;
        let text = format!("{count} taken back for {server}\n");
        console.value(&json!({ "server": server, "revoked": count }), &text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let config = approve.which.found(console)?;
    let wanted =
        |entry: &&ServerEntry| approve.server.as_ref().is_none_or(|name| *name == entry.name);
    if let Some(name) = &approve.server
        && !config.servers.iter().any(|entry| entry.name == *name)
    {
        return Err(Failure::absent(format!("unknown server: {name}")));
    }
    let mut rows = Vec::new();
    for entry in config.servers.iter().filter(wanted) {
        let Approval::Needed { what, .. } = &entry.approval else { continue };
        // The name is the project's choice too, and may hold what a terminal obeys.
        let name = entry.name.escape_debug();
        let place = format!("{}:{}", entry.origin.file.display(), entry.origin.line);
        show(console, &format!("{name} in {place} would use:\n  {what}\n"))?;
        let agreed = approve.agreed();
        if agreed {
            approvals.approve(entry).map_err(failed)?;
            show(console, &format!("{name} may be started\n"))?;
        }
        rows.push(json!({
            "server": entry.name, "file": entry.origin.file, "line": entry.origin.line,
            "uses": what.to_string(), "agreed": agreed,
        }));
    }
    let text = if rows.is_empty() { "nothing waits for your approval\n" } else { "" };
    console.value(&rows, text)?;
    Ok(ExitCode::SUCCESS)
}

/// What is different at one server, and what it has now.
struct Differing {
    server: String,
    changes: Vec<Change>,
    now: Vec<Value>,
    agreed: bool,
}

/// Compares the tools with the lock file, and writes them to it if the user agrees.
async fn tools(approve: &Approve, console: &Console) -> Result<ExitCode, Failure> {
    let (mut lock, path) = lock::to_change()?;
    let which = Which { locked: false, ..approve.which.clone() };
    let host = open_idle(&which, console)?;
    let listed = match &approve.server {
        Some(server) => host.tools_of(server).await.map_err(Failure::from),
        None => Ok(host.tools().await),
    };
    let servers = host.servers().into_iter();
    let servers: Vec<ServerStatus> = servers
        .filter(|one| approve.server.as_ref().is_none_or(|name| *name == one.name))
        .collect();
    host.close().await;
    let mut differing = differing(&lock, &servers, &listed?);
    let unknown = unknown(&lock, &servers);
    for (server, why) in &unknown {
        console.warn(&format!("{server}: {why}"));
    }
    for one in &mut differing {
        for change in &one.changes {
            show(console, &format!("{}: {change}\n", one.server))?;
        }
        if !approve.check && approve.agreed() {
            one.agreed = true;
            lock.approve(&one.server, &one.now);
        }
    }
    let written = differing.iter().any(|one| one.agreed);
    if written {
        lock.save(&path).map_err(|error| Failure::new(error.to_string()))?;
    }
    let open = differing.iter().any(|one| !one.agreed);
    let text = match (approve.check, open) {
        _ if differing.is_empty() && !unknown.is_empty() => String::new(),
        (_, false) => format!("{} is up to date\n", Lock::FILE),
        (true, true) => format!("{} differs; `docent approve --tools` updates it\n", Lock::FILE),
        (false, true) => format!("{} keeps what was not agreed to\n", Lock::FILE),
    };
    let rows: Vec<Value> = differing.iter().map(Differing::json).collect();
    let unknown_rows: Vec<Value> =
        unknown.iter().map(|(server, why)| json!({ "server": server, "why": why })).collect();
    let json =
        json!({ "file": path, "written": written, "differing": rows, "unknown": unknown_rows });
    console.value(&json, &text)?;
    // What could not be looked at may be different too.
    let wrong = open || (approve.check && !unknown.is_empty());
    Ok(if wrong { exit::findings() } else { ExitCode::SUCCESS })
}

impl Differing {
    fn json(&self) -> Value {
        json!({ "server": self.server, "changes": self.changes, "agreed": self.agreed })
    }
}

/// The servers whose tools are not as the lock file has them.
fn differing(lock: &Lock, servers: &[ServerStatus], listed: &[Offered<Tool>]) -> Vec<Differing> {
    // One that has no tools any more has lost those that it had.
    let answered = servers.iter().filter(|server| server.tools.is_some());
    let compared = answered.map(|server| {
        let now: Vec<Value> = listed
            .iter()
            .filter(|tool| tool.server == server.name)
            .filter_map(|tool| to_value(Tool { name: tool.own.clone(), ..tool.item.clone() }).ok())
            .collect();
        let changes = lock.diff(&server.name, &now);
        Differing { server: server.name.clone(), changes, now, agreed: false }
    });
    compared.filter(|one| !one.changes.is_empty()).collect()
}

/// The servers that did not say what they have: those that failed, and those that are not used here
/// although they are in the lock file.
fn unknown(lock: &Lock, servers: &[ServerStatus]) -> Vec<(String, String)> {
    let unknown = servers.iter().filter(|server| server.tools.is_none()).filter_map(|server| {
        let why = match &server.state {
            State::Failed(failure) => failure.to_string(),
            State::Off(why) if lock.tools(&server.name).next().is_some() => why.clone(),
            State::Off(_) => return None,
            _ => "it has not answered yet".to_owned(),
        };
        Some((server.name.clone(), why))
    });
    unknown.collect()
}
