//! `docent tools`: the tools of all servers, or of one, as signatures.

use std::process::ExitCode;

use clap::Args;
use docent_host::{Error, Host, Offered, ServerStatus};
use docent_mcp::types::Tool;
use serde_json::{Value, json};

use crate::client::later::Whom;
use crate::client::lock::Blocked;
use crate::client::signature::signature;
use crate::client::{Which, missing, open_for_tools};
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
    let listed = chosen(&host, name).await.map_err(|error| {
        // What one server has is no other's business; what nobody has may be at one that is not there.
        missing::explained(&host, name.unwrap_or_default(), error, console)
    });
    let outcome = listed.and_then(|listed| {
        let definitions: Vec<Value> = listed.iter().map(as_json).collect();
        let one = tools.name.is_some() && listed.len() == 1;
        console.value(&definitions, &text(&listed, tools.long || one, console))
    });
    if name.is_none() {
        missing::warn_of_failures(&host, console);
    }
    if tools.which.locked {
        Blocked::load()?.warn(&host).await;
    }
    let is_missing = |server: &ServerStatus| missing::absence(server).is_some();
    let code = match name.is_none() && host.servers().iter().any(is_missing) {
        true => exit::findings(),
        false => ExitCode::SUCCESS,
    };
    // Whoever reads the output has it already, and servers that were only listed have nothing to
    // finish: nobody waits for them.
    host.leave().await;
    outcome.map(|()| code)
}

async fn chosen(host: &Host, name: Option<&str>) -> Result<Vec<Offered<Tool>>, Error> {
    let Some(name) = name else { return Ok(host.tools().await) };
    let is_server = host.servers().iter().any(|server| server.name == name);
    match is_server {
        // Reports why that server is not there, if it is not.
        true => host.tools_of(name).await,
        false => Ok(vec![host.tool(name).await?]),
    }
}

/// The definition as the protocol has it, and beside that whose it is and what it is called there.
fn as_json(tool: &Offered<Tool>) -> Value {
    let mut definition = json!(tool.item);
    definition["server"] = json!(tool.server);
    definition["tool"] = json!(tool.own);
    definition
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
