//! `cargo xtask bench`: builds the same server on several SDKs and measures them side by side; or,
//! in `gateway`, a server beside itself behind the gateway; or, in `clients`, one-shot clients; or,
//! in `packages`, the engine beside parsers; or, in `project`, a question to all packages of one.
//! What is measured, and how, is in `bench/README.md`.

mod clients;
pub(crate) mod gateway;
mod packages;

use crate::workspace::Workspace;
use crate::{Outcome, gate, process};

/// Name in the report, and the command after the folder of release binaries.
const STDIO: &[(&str, &str)] = &[
    ("raw", "echo-raw"),
    ("rmcp-stdio", "echo-rmcp stdio"),
    ("rmcp-pipes", "echo-rmcp pipes"),
    ("rmcp-stored", "echo-rmcp pipes stored"),
    ("docent", "echo-docent"),
];

const HTTP: &[(&str, &str)] = &[
    ("raw", "echo-raw http"),
    ("rmcp-stateful", "echo-rmcp http-stateful"),
    ("rmcp-nodelay", "echo-rmcp http-stateful nodelay stored"),
    ("rmcp-sse", "echo-rmcp http-stateless-sse nodelay stored"),
    ("rmcp-json", "echo-rmcp http-stateless-json nodelay stored"),
    ("docent", "echo-docent http"),
];

const PACKAGES: &[&str] = &["docent-bench", "echo-docent", "echo-rmcp", "echo-raw"];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments.split_first().map(|(name, rest)| (name.as_str(), rest)) {
        Some(("stdio", rest)) => servers("stdio", STDIO, rest),
        Some(("http", rest)) => servers("http", HTTP, rest),
        Some(("gateway", rest)) => gateway::run(rest),
        Some(("clients", rest)) => clients::run(rest),
        Some(("packages", rest)) => packages::run(rest),
        Some(("project", rest)) => packages::project(rest),
        _ => Err("which bench? benches: stdio, http, gateway, clients, packages, project".into()),
    }
}

/// Measures servers over one of the transports.
fn servers(transport: &str, servers: &[(&str, &str)], rest: &[String]) -> Outcome {
    let workspace = Workspace::load()?;
    for package in PACKAGES {
        println!("building {package}");
        match transport == "http" && *package != "docent-bench" {
            // A server on stdio is built without what HTTP needs, so that it is not weighed with it.
            true => gate::build_with(package, &["--features", "http"])?,
            false => gate::build(package)?,
        }
    }
    let release = gate::release(&workspace);
    let mut command = process::program(release.join("docent-bench"));
    command.arg(transport).arg("--out").arg(workspace.target.join("bench"));
    for (name, server) in servers {
        command.arg("--server").arg(format!("{name}={}/{server}", release.display()));
    }
    if transport == "http" {
        command.arg("--client").arg(format!("{}/echo-docent client", release.display()));
    }
    // `--build` and the rest are the load generator's own options.
    process::run(command.args(rest))?;
    Ok(true)
}
