//! `docent setup`: enters the server into the configuration of clients, and takes it out again.
//!
//! Reading order: `clients` (who is there), `change` (what would become of one file), `diff` (how that
//! is shown). What is written where is known to `docent_host::config`.

mod change;
pub(crate) mod clients;
mod diff;

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::Args;
use docent_host::config::{Client, Machine};
use docent_packages::Environment;
use serde_json::{Value, json};

use crate::command::config::name_of_client;
use crate::exit;
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::{Look, Span, line, plain};
use change::Change;
pub(crate) use change::present;
use clients::Clients;

#[derive(Args)]
pub(crate) struct Setup {
    /// Which clients; all that are found by default
    #[arg(value_name = "CLIENT", value_parser = name_of_client())]
    pub(crate) clients: Vec<Client>,
    /// Into the files of the project in the working folder, for all who work on it
    #[arg(long)]
    pub(crate) project: bool,
    /// Write without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Show what would change, and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Take Docent out again
    #[arg(long)]
    pub(crate) undo: bool,
}

/// What became of one client.
struct Outcome {
    client: Client,
    file: String,
    state: &'static str,
    diff: String,
    error: Option<String>,
}

pub(crate) fn run(
    setup: &Setup,
    console: &Console,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    let known = Clients::new(Machine::of_process(), environment, setup.project)?;
    let clients = match setup.clients.is_empty() {
        false => setup.clients.clone(),
        true => clients::all().filter(|client| known.has(*client)).collect(),
    };
    if clients.is_empty() {
        let names: Vec<&str> = clients::all().map(Client::id).collect();
        return Err(Failure::absent("none of the clients that Docent knows was found")
            .hint(format!("name one: `docent setup {}`", names.join("|"))));
    }
    let mut outcomes = Vec::new();
    for (number, client) in clients.into_iter().enumerate() {
        if number > 0 && !console.json {
            console.print("\n")?;
        }
        outcomes.push(one(client, &known, setup, console)?);
    }
    let failed = outcomes.iter().any(|outcome| outcome.error.is_some());
    if console.json {
        let all: Vec<Value> = outcomes
            .iter()
            .map(|outcome| {
                json!({ "client": outcome.client.id(), "file": outcome.file, "state": outcome.state,
                    "diff": outcome.diff, "error": outcome.error })
            })
            .collect();
        console.value(&all, "")?;
    }
    Ok(if failed { ExitCode::FAILURE } else { exit_of(&outcomes) })
}

fn exit_of(outcomes: &[Outcome]) -> ExitCode {
    // Nobody said yes: nothing is wrong, but nothing was done either.
    if outcomes.iter().any(|outcome| outcome.state == "refused") {
        exit::findings()
    } else {
        ExitCode::SUCCESS
    }
}

/// Shows the change of one client's file, asks, and makes it. A client whose file is broken does not
/// keep the others from theirs.
fn one(
    client: Client,
    clients: &Clients,
    setup: &Setup,
    console: &Console,
) -> Result<Outcome, Failure> {
    let outcome = |file: String, state, diff, error| Outcome { client, file, state, diff, error };
    let change = match Change::plan(client, clients, setup.undo) {
        Ok(change) => change,
        Err(failure) => {
            let name = client.name();
            if !console.json {
                let spans = [Span::new(format!("{name}: "), Look::Bad), plain(failure.to_string())];
                console.print(&line(&spans, &console.terminal))?;
                for hint in &failure.hints {
                    let spans = [Span::new("  hint: ", Look::Code), plain(hint)];
                    console.print(&line(&spans, &console.terminal))?;
                }
            }
            let file = clients.file(client).map(|file| file.display().to_string());
            let file = file.unwrap_or_default();
            return Ok(outcome(file, "failed", String::new(), Some(failure.to_string())));
        }
    };
    let file = change.file.display().to_string();
    let head = |state: &str, look: Look| {
        let spans = [
            Span::new(client.name(), Look::Strong),
            Span::new(format!("  {file}  "), Look::Dim),
            Span::new(state, look),
        ];
        line(&spans, &console.terminal)
    };
    if change.is_nothing() {
        let state = if setup.undo { "not set up" } else { "already set up" };
        if !console.json {
            console.print(&head(state, Look::Good))?;
        }
        return Ok(outcome(file, "unchanged", String::new(), None));
    }
    if !console.json {
        console.print(&head("", Look::Plain))?;
        console.print(&change.shown(&console.terminal))?;
    }
    let plain_diff = change.plain();
    if setup.dry_run {
        return Ok(outcome(file, "planned", plain_diff, None));
    }
    if !setup.yes && !asked(client, setup.undo)? {
        return Ok(outcome(file, "refused", plain_diff, None));
    }
    if let Err(failure) = change.make() {
        if !console.json {
            console.print(&head(&failure.to_string(), Look::Bad))?;
        }
        return Ok(outcome(file, "failed", plain_diff, Some(failure.to_string())));
    }
    if !console.json {
        let done = if setup.undo { "taken out" } else { "set up" };
        let note = if setup.undo { "" } else { clients::afterwards(client) };
        let spans = [Span::new(format!("{done}. "), Look::Good), Span::new(note, Look::Dim)];
        console.print(&line(&spans, &console.terminal))?;
    }
    Ok(outcome(file, "written", plain_diff, None))
}

fn asked(client: Client, undo: bool) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage("nobody is there to say yes")
            .hint("`--yes` writes without asking, `--dry-run` only shows the change"));
    }
    let what = if undo { "Take Docent out of" } else { "Enter Docent into" };
    eprint!("{what} {}? [y/N] ", client.name());
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| Failure::io("the answer cannot be read", &error))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
