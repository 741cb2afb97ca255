//! Servers in other clients' words: printed, or put into their files.

use std::process::ExitCode;

use clap::Args;
use docent_host::config::{
    Approvals, Client, Conversion, ImportError, Machine, Place, Scope, Survey,
};
use serde_json::{Value, json};

use super::servers::{Which, absent, name_of_client};
use crate::client::behind::{self, LEFT_OUT};
use crate::exit;
use crate::failure::Failure;
use crate::print::Console;

#[derive(Args)]
pub(crate) struct Convert {
    /// The server
    pub(crate) server: String,
    /// The client that is to understand it
    #[arg(long, value_name = "CLIENT", value_parser = name_of_client())]
    pub(crate) to: Client,
    #[command(flatten)]
    pub(crate) which: Which,
}

#[derive(Args)]
pub(crate) struct Import {
    /// The servers; all that are configured elsewhere if none is named
    pub(crate) servers: Vec<String>,
    /// The client whose file they are put into
    #[arg(long, value_name = "CLIENT", default_value = "docent", value_parser = name_of_client())]
    pub(crate) to: Client,
    /// Put them into the project's file, not the user's
    #[arg(long)]
    pub(crate) project: bool,
    #[command(flatten)]
    pub(crate) which: Which,
}

pub(super) fn convert(convert: &Convert, console: &Console) -> Result<(), Failure> {
    let survey = convert.which.readable(&Machine::of_process())?;
    let converted = converted(&survey, &convert.server, convert.to)?;
    for loss in &converted.losses {
        console.warn(loss);
    }
    let value = json!({
        "server": converted.server,
        "client": converted.client.id(),
        "file": converted.to_file(),
        "entry": converted.entry,
        "losses": converted.losses,
    });
    console.value(&value, &converted.to_file())
}

fn converted(survey: &Survey, server: &str, to: Client) -> Result<Conversion, Failure> {
    let names = names(survey);
    if !names.iter().any(|(name, _)| name == server) {
        return Err(absent(server, names.iter().map(|(name, _)| name.as_str())));
    }
    survey.convert(server, to).map_err(|reasons| {
        let failure = Failure::new(format!("`{server}` has no form for {to}"));
        reasons.iter().fold(failure, |failure, reason| failure.hint(reason))
    })
}

/// What is configured, and by whose file. A variable that is not set here does not keep an entry from
/// being written elsewhere.
fn names(survey: &Survey) -> Vec<(String, &'static str)> {
    let explanation = survey.explain(&Approvals::in_memory());
    let servers = explanation.servers.into_iter().filter(|server| server.state != "set-aside");
    let owner = |places: &[Place]| places.first().map_or("", |place| place.client);
    servers.map(|server| (server.name, owner(&server.places))).collect()
}

/// What could not be put there is told by the exit code too.
pub(super) fn import(import: &Import, console: &Console) -> Result<ExitCode, Failure> {
    let machine = Machine::of_process();
    let mut survey = import.which.readable(&machine)?;
    let scope = if import.project { Scope::Project } else { Scope::User };
    let file = import.to.file(&machine, scope).ok_or_else(|| {
        Failure::usage(format!("{} has no file for a {}", import.to, scope.name()))
    })?;
    let mut report: Vec<Value> = Vec::new();
    let (mut text, mut wrong) = (String::new(), false);
    let servers = match import.servers.is_empty() {
        false => import.servers.clone(),
        true => {
            // A gateway is there to be put before the rest, unless it is named.
            for server in behind::leave_out(&mut survey) {
                report.push(json!({ "server": server, "written": false, "why": [LEFT_OUT] }));
                text.push_str(&format!("{}: left out\n  {LEFT_OUT}\n", server.escape_debug()));
            }
            let all = names(&survey).into_iter().filter(|(_, owner)| *owner != import.to.name());
            all.map(|(name, _)| name).collect()
        }
    };
    for server in &servers {
        let outcome = converted(&survey, server, import.to).and_then(|converted| {
            let written = converted.write_to(&file);
            written.map(|()| converted.losses).map_err(|error| {
                let failure = Failure::new(error.to_string());
                match error {
                    ImportError::Text(_) => failure.hint(format!(
                        "`docent config convert {server} --to {}` prints what to paste",
                        import.to.id()
                    )),
                    _ => failure,
                }
            })
        });
        let said = match outcome {
            Ok(losses) => {
                report.push(json!({ "server": server, "written": true, "losses": losses }));
                let losses = losses.iter().map(|loss| format!("\n  {loss}"));
                format!("{}: written{}\n", server.escape_debug(), losses.collect::<String>())
            }
            Err(failure) => {
                wrong = true;
                let why = std::iter::once(failure.to_string()).chain(failure.hints);
                let why: Vec<String> = why.collect();
                report.push(json!({ "server": server, "written": false, "why": why }));
                format!("{}: not written\n  {}\n", server.escape_debug(), why.join("\n  "))
            }
        };
        text.push_str(&said);
    }
    text.push_str(&format!("{}\n", file.display()));
    console.value(&json!({ "file": file.display().to_string(), "servers": report }), &text)?;
    Ok(if wrong { exit::findings() } else { ExitCode::SUCCESS })
}
