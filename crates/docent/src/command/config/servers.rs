//! The MCP servers that are configured: explained, approved, and disapproved again.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use docent_host::config::{Approval, Approvals, Client, Machine, NobodyToAsk, Survey};
use docent_packages::Environment;
use serde_json::json;

use crate::exit;
use crate::failure::Failure;
use crate::print::Console;

#[derive(Args)]
pub(crate) struct Explain {
    /// One server only; all of them, and the settings, if none is named
    pub(crate) server: Option<String>,
    #[command(flatten)]
    pub(crate) which: Which,
}

/// Where servers are looked for.
#[derive(Args)]
pub(crate) struct Which {
    /// Look at this file only
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Whose rules that file follows, such as `cursor`; its name tells if this does not
    #[arg(long, value_name = "CLIENT", requires = "file", value_parser = client)]
    pub(crate) client: Option<Client>,
}

#[derive(Args)]
pub(crate) struct Approve {
    /// The server
    pub(crate) server: String,
    /// Do not ask again
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Args)]
pub(crate) struct Revoke {
    /// The server
    pub(crate) server: String,
}

/// A client by its name on the command line.
pub(super) fn client(id: &str) -> Result<Client, String> {
    Client::from_id(id).ok_or_else(|| {
        let known: Vec<&str> = Client::all().map(Client::id).collect();
        format!("there is {}", known.join(", "))
    })
}

impl Which {
    pub(super) fn survey(&self, machine: &Machine) -> Survey {
        match &self.file {
            Some(file) => Survey::of_file(machine, file, self.client),
            None => Survey::of(machine),
        }
    }
}

/// Whether something is wrong with what was explained is told by the exit code.
pub(super) fn explain(
    explain: &Explain,
    console: &Console,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    let machine = Machine::of_process();
    let explanation = explain.which.survey(&machine).explain(&approvals(&machine)?);
    let Some(name) = &explain.server else {
        super::explain(console, environment, Some(&explanation))?;
        let failed = explanation.servers.iter().any(|server| server.state == "failed");
        return Ok(if failed { exit::findings() } else { ExitCode::SUCCESS });
    };
    let server = explanation.servers.iter().find(|server| server.name == *name);
    let server = server.ok_or_else(|| {
        let names = explanation.servers.iter().map(|server| server.name.as_str());
        absent(name, names)
    })?;
    console.value(server, &server.to_string())?;
    Ok(if server.state == "failed" { exit::findings() } else { ExitCode::SUCCESS })
}

/// There is no such server; perhaps one of these was meant.
pub(super) fn absent<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Failure {
    let failure = Failure::absent(format!("no server `{}` is configured", name.escape_debug()));
    match crate::suggest::nearest(name, names).first() {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`docent config explain` lists those that are"),
    }
}

fn approvals(machine: &Machine) -> Result<Approvals, Failure> {
    Approvals::load(machine).map_err(|error| {
        Failure::io("the approvals cannot be read", &error)
            .hint("`docent` will not start anything of a project until approvals.json is mended")
    })
}

pub(super) fn approve(approve: &Approve, console: &Console) -> Result<(), Failure> {
    let machine = Machine::of_process();
    let mut approvals = approvals(&machine)?;
    let config = Survey::of(&machine).config(&approvals, &mut NobodyToAsk);
    let names = config.servers.iter().map(|server| server.name.as_str());
    let server =
        config.server(&approve.server).ok_or_else(|| absent(&approve.server, names.clone()))?;
    let Approval::Needed { what, .. } = &server.approval else {
        let text = format!("`{}` needs no approval\n", server.name);
        return console.value(&json!({ "server": server.name, "approved": false }), &text);
    };
    let origin = &server.origin;
    if !approve.yes
        && !agreed(&format!(
            "{}:{} wants to start `{}`:\n\n  {what}\n\nAllow exactly this? [y/N] ",
            origin.file.display(),
            origin.line,
            server.name.escape_debug()
        ))?
    {
        return Err(Failure::new("it was not approved"));
    }
    approvals
        .approve(server)
        .map_err(|error| Failure::io("the approval could not be kept", &error))?;
    let text = format!("`{}` may now run: {what}\n", server.name.escape_debug());
    console.value(&json!({ "server": server.name, "what": what, "approved": true }), &text)
}

/// Asks at the terminal. Where there is none, nobody agreed.
fn agreed(question: &str) -> Result<bool, Failure> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        return Err(Failure::usage("nobody is at a terminal to be asked").hint("say `--yes`"));
    }
    eprint!("{question}");
    let mut answer = String::new();
    let read = input.lock().read_line(&mut answer);
    read.map_err(|error| Failure::io("the answer cannot be read", &error))?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

pub(super) fn revoke(revoke: &Revoke, console: &Console) -> Result<(), Failure> {
    let machine = Machine::of_process();
    let mut approvals = approvals(&machine)?;
    let count = approvals
        .revoke(&revoke.server)
        .map_err(|error| Failure::io("the approvals could not be written", &error))?;
    let text = match count {
        0 => "there was no approval\n".to_owned(),
        1 => "1 approval taken back\n".to_owned(),
        _ => format!("{count} approvals taken back\n"),
    };
    console.value(&json!({ "server": revoke.server, "revoked": count }), &text)
}
