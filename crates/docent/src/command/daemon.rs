//! `docent daemon`: keeps MCP servers running between commands.

use std::os::unix::process::CommandExt as _;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::client::daemon::{Kept, Said, Told, ask, serve};
use crate::exit;
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::{Look, Span, Table, plain};

#[derive(Args)]
pub(crate) struct Daemon {
    #[command(subcommand)]
    pub(crate) what: What,
}

#[derive(Subcommand)]
pub(crate) enum What {
    /// Start it in the background
    Start {
        /// End servers, and the daemon itself, that nobody has used for so long
        #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
        idle: u64,
    },
    /// Tell which servers it keeps
    Status,
    /// End it and all its servers
    Stop,
    /// Be it
    #[command(hide = true)]
    Run {
        #[arg(long, default_value_t = 1800)]
        idle: u64,
    },
}

pub(crate) async fn run(daemon: &Daemon, console: &Console) -> Result<ExitCode, Failure> {
    match daemon.what {
        What::Start { idle } => start(idle, console).await,
        What::Status => match ask(&Said::Status).await {
            Some(Told::Servers(servers)) => show(&servers, console),
            _ => {
                console.value(&Option::<Vec<Kept>>::None, "the daemon is not running\n")?;
                Ok(exit::findings())
            }
        },
        What::Stop => {
            let stopped = ask(&Said::Stop).await.is_some();
            let text = if stopped { "the daemon ends\n" } else { "the daemon is not running\n" };
            console.value(&json!({ "stopped": stopped }), text).map(|()| ExitCode::SUCCESS)
        }
        What::Run { idle } => serve(Duration::from_secs(idle)).await.map(|()| ExitCode::SUCCESS),
    }
}

async fn start(idle: u64, console: &Console) -> Result<ExitCode, Failure> {
    if ask(&Said::Status).await.is_some() {
        console.value(&json!({ "started": false }), "the daemon is running already\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    let failed = |error: std::io::Error| Failure::io("the daemon cannot be started", &error);
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = std::process::Command::new(program);
    command.args(["daemon", "run", "--idle", &idle.to_string()]).process_group(0);
    // It belongs to no folder: what it starts is told where to run.
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    while ask(&Said::Status).await.is_none() {
        if let Some(status) = child.try_wait().map_err(failed)? {
            let mut complaint = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                let _ = std::io::Read::read_to_string(&mut stderr, &mut complaint);
            }
            let failure = Failure::new(format!("the daemon ended at once, {status}"));
            return Err(failure.hint(complaint.trim()));
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    console.value(&json!({ "started": true }), "the daemon keeps servers from now on\n")?;
    Ok(ExitCode::SUCCESS)
}

fn show(servers: &[Kept], console: &Console) -> Result<ExitCode, Failure> {
    let mut table = Table::new(&["server", "clients", "unused for"]);
    for server in servers {
        table.row([
            Span::new(&server.command, Look::Strong),
            plain(server.clients.to_string()),
            plain(format!("{} s", server.unused_seconds)),
        ]);
    }
    let text = match servers.is_empty() {
        true => "the daemon is running and keeps no servers yet\n".to_owned(),
        false => table.render(&console.terminal),
    };
    console.value(&servers, &text).map(|()| ExitCode::SUCCESS)
}
