//! `docent tools`: the tools of all servers, or of one, as signatures.

use std::process::ExitCode;

use clap::Args;
use docent_host::{Host, Offered, State};
use docent_mcp::types::Tool;

use crate::client::later::Whom;
use crate::client::lock::Blocked;
use crate::client::signature::signature;
use crate::client::{Which, open_for_tools};
use crate::exit;
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::{Look, Span, line, markdown, plain};

#[derive(Args)]
pub(crate) struct Tools {
    /// Only this server, or only this tool
    pub(crate) name: Option<String>,
    /// Whole descriptions instead of their first lines
    #[arg(long)]
    pub(crate) long: bool,
    #[command(flatten)]
    pub(crate) which: Which,
}

pub(crate) async fn run(tools: &Tools, console: &Console) -> Result<ExitCode, Failure> {
    let host = open_for_tools(&tools.which, console, Whom::at_hand())?;
    let name = tools.name.as_deref();
    let listed = chosen(&host, name).await;
    // What one server has is no other's business; what nobody has may be at one that is not there.
    let about_all = match name {
        None => true,
        Some(name) => listed.is_err() && !names_server(&host, name),
    };
    let outcome = listed.and_then(|listed| {
        let definitions: Vec<&Tool> = listed.iter().map(|tool| &tool.item).collect();
        let one = tools.name.is_some() && listed.len() == 1;
        console.value(&definitions, &text(&listed, tools.long || one, console))
    });
    if about_all {
        warn_of_failures(&host, console);
    }
    if tools.which.locked {
        Blocked::load()?.warn(&host).await;
    }
    let is_missing = |state: &State| matches!(state, State::Failed(_) | State::Starting);
    let code = match about_all && host.servers().iter().any(|one| is_missing(&one.state)) {
        true => exit::findings(),
        false => ExitCode::SUCCESS,
    };
    // Whoever reads the output has it already, and servers that were only listed have nothing to
    // finish: nobody waits for them.
    host.leave().await;
    outcome.map(|()| code)
}

async fn chosen(host: &Host, name: Option<&str>) -> Result<Vec<Offered<Tool>>, Failure> {
    let Some(name) = name else { return Ok(host.tools().await) };
    let is_server = host.servers().iter().any(|server| server.name == name);
    match is_server {
        // Reports why that server is not there, if it is not.
        true => Ok(host.tools_of(name).await?),
        false => Ok(vec![host.tool(name).await?]),
    }
}

/// Whether a name is that of a server, or of something that a server is said to have.
fn names_server(host: &Host, name: &str) -> bool {
    host.servers().iter().any(|server| {
        let rest = name.strip_prefix(&*server.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

pub(crate) fn warn_of_failures(host: &Host, console: &Console) {
    for server in host.servers() {
        match &server.state {
            State::Failed(failure) => console.warn(&format!("{}: {failure}", server.name)),
            State::Starting => console.warn(&format!(
                "{0}: it has not answered yet; `docent tools {0}` waits longer",
                server.name
            )),
            _ => {}
        }
    }
}

fn text(tools: &[Offered<Tool>], long: bool, console: &Console) -> String {
    let terminal = &console.terminal;
    let mut out = String::new();
    let mut server = "";
    for tool in tools {
        if tool.server != server {
            server = &tool.server;
            let gap = if out.is_empty() { "" } else { "\n" };
            out.push_str(gap);
            out.push_str(&line(&[Span::new(server, Look::Strong)], terminal));
        }
        let spans = [plain("  "), Span::new(signature(&tool.own, &tool.item), Look::Code)];
        out.push_str(&line(&spans, terminal));
        let about = tool.item.description.as_deref().unwrap_or_default();
        let about = if long { about.to_owned() } else { markdown::first_line(about) };
        for row in about.lines().filter(|row| !row.trim().is_empty()) {
            out.push_str(&line(&[plain("      "), Span::new(row.trim_end(), Look::Dim)], terminal));
        }
    }
    if out.is_empty() { "no tools\n".to_owned() } else { out }
}
