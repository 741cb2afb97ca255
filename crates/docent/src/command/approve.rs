//! `docent approve`: agrees to what a project's configuration would run, and to the tools of servers.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use docent_host::config::{Approval, Approvals, Machine, ServerEntry};
use docent_host::pin::Lock;
use docent_mcp::types::Tool;
use serde_json::{Value, to_value};

use crate::client::{LOCK_FILE, Which, open, questions};
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
    /// Take back what was agreed to
    #[arg(long, requires = "server")]
    pub(crate) revoke: bool,
    #[command(flatten)]
    pub(crate) which: Which,
}

pub(crate) async fn run(approve: &Approve, console: &Console) -> Result<ExitCode, Failure> {
    if approve.tools { tools(approve, console).await } else { servers(approve, console) }
}

/// Agrees to start servers that a project brought along.
fn servers(approve: &Approve, console: &Console) -> Result<ExitCode, Failure> {
    let machine = Machine::of_process();
    let failed = |error: std::io::Error| Failure::io("the approvals cannot be kept", &error);
    let mut approvals = Approvals::load(&machine).map_err(failed)?;
    if let (true, Some(server)) = (approve.revoke, &approve.server) {
        let count = approvals.revoke(server).map_err(failed)?;
        console.print(&format!("{count} taken back for {server}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let config = approve.which.found(console)?;
    let wanted =
        |entry: &&ServerEntry| approve.server.as_ref().is_none_or(|name| *name == entry.name);
    let mut seen = 0;
    for entry in config.servers.iter().filter(wanted) {
        let Approval::Needed { what, .. } = &entry.approval else { continue };
        seen += 1;
        // The name is the project's choice too, and may hold what a terminal obeys.
        let name = entry.name.escape_debug();
        let place = format!("{}:{}", entry.origin.file.display(), entry.origin.line);
        console.print(&format!("{name} in {place} would use:\n  {what}\n"))?;
        let agreed =
            approve.yes || matches!(questions::ask("agree? [y/N]: ").as_deref(), Some("y" | "yes"));
        if agreed {
            approvals.approve(entry).map_err(failed)?;
            console.print(&format!("{name} may be started\n"))?;
        }
    }
    if seen == 0 {
        console.print("nothing waits for your approval\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the tools as they are now to the lock file, after showing what changed.
async fn tools(approve: &Approve, console: &Console) -> Result<ExitCode, Failure> {
    let path = Path::new(LOCK_FILE);
    let mut lock = match path.exists() {
        true => Lock::load(path).map_err(|error| Failure::new(error.to_string()))?,
        false => Lock::default(),
    };
    let which = Which { locked: false, ..approve.which.clone() };
    let host = open(&which, console)?;
    let listed = host.tools().await;
    super::tools::warn_of_failures(&host, console);
    host.close().await;
    let mut servers: Vec<&str> = listed.iter().map(|tool| tool.server.as_str()).collect();
    servers.dedup();
    for server in servers {
        if approve.server.as_ref().is_some_and(|name| name != server) {
            continue;
        }
        let definitions: Vec<Value> = listed
            .iter()
            .filter(|tool| tool.server == server)
            .filter_map(|tool| to_value(Tool { name: tool.own.clone(), ..tool.item.clone() }).ok())
            .collect();
        let changes = lock.diff(server, &definitions);
        if changes.is_empty() {
            continue;
        }
        for change in &changes {
            console.print(&format!("{server}: {change}\n"))?;
        }
        let agreed =
            approve.yes || matches!(questions::ask("agree? [y/N]: ").as_deref(), Some("y" | "yes"));
        if agreed {
            lock.forget(server);
            lock.approve(server, &definitions);
        }
    }
    lock.save(path).map_err(|error| Failure::new(error.to_string()))?;
    console.print(&format!("{LOCK_FILE} is up to date\n"))?;
    Ok(ExitCode::SUCCESS)
}
