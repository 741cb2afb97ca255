//! `cargo xtask bench gateway`: the echo server by itself, and the same behind the gateway.
//!
//! What the gateway adds is the difference of two rows in one table. Further gateways take part as
//! `--server "NAME=COMMAND"`, given after the name of the transport.

use crate::workspace::Workspace;
use crate::{Outcome, gate, process};

pub(super) fn run(arguments: &[String]) -> Outcome {
    let (transport, rest) = match arguments.split_first() {
        Some((first, rest)) if first == "stdio" || first == "http" => (&**first, rest),
        _ => ("http", arguments),
    };
    let workspace = Workspace::load()?;
    println!("building");
    gate::build("docent-bench")?;
    gate::build_with("echo-docent", &["--features", "http"])?;
    gate::build_with("docent-host", &["--example", "gateway"])?;
    let release = gate::release(&workspace);
    let echo = release.join("echo-docent").display().to_string();
    let gateway = release.join("examples").join("gateway").display().to_string();
    let mut command = process::program(release.join("docent-bench"));
    command.arg(transport).arg("--out").arg(workspace.target.join("bench"));
    let servers = match transport {
        "stdio" => [("direct", echo.clone()), ("gateway", format!("{gateway} {echo}"))],
        _ => [("direct", format!("{echo} http")), ("gateway", format!("{gateway} --http {echo}"))],
    };
    for (name, server) in servers {
        command.arg("--server").arg(format!("{name}={server}"));
    }
    process::run(command.args(rest))?;
    Ok(true)
}
