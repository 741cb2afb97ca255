//! `cargo xtask bench gateway`: gateways before the echo server, ours and those of the registries,
//! side by side; and, in `backends`, ours before twenty servers of which five fail.
//!
//! Versions are pinned by the lockfiles in `bench/gateways`; what is compiled or needs an environment
//! of its own goes below the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::peers::{self, PEERS, Stamp, State};
use crate::workspace::Workspace;
use crate::{Outcome, dist, gate, process};

/// The crate `mcp-proxy`.
const CRATE: (&str, &str) = ("mcp-proxy", "0.6.0");

/// A gateway of a registry.
struct Other {
    name: &'static str,
    /// How the server behind it is reached.
    behind: &'static str,
    path: &'static str,
    /// `{npm}`, `{pypi}`, `{fastmcp}`, `{cargo}` are where programs were installed, `{files}` is
    /// `bench/gateways`; the rest is filled in by the load generator.
    command: &'static str,
}

const AT: &str = "http://127.0.0.1:{port}";

const OTHERS: &[Other] = &[
    Other {
        name: "supergateway",
        behind: "stdio",
        path: "/mcp",
        command: "node {npm}/supergateway --stdio {server} --outputTransport streamableHttp --stateful --port {port} --logLevel none",
    },
    Other {
        name: "mcp-proxy-npm",
        behind: "stdio",
        path: "/mcp",
        command: "node {npm}/mcp-proxy --host 127.0.0.1 --port {port} --server stream -- {server}",
    },
    Other {
        name: "mcp-proxy-pypi",
        behind: "stdio",
        path: "/mcp",
        command: "{pypi}/mcp-proxy --host 127.0.0.1 --port {port} --log-level WARNING {server}",
    },
    Other {
        name: "fastmcp",
        behind: "stdio",
        path: "/mcp",
        command: "{fastmcp}/fastmcp run {file:{files}/fastmcp.json} --transport http --port {port} --no-banner --log-level WARNING",
    },
    Other {
        name: "mcp-proxy-cargo",
        behind: "stdio",
        path: "/",
        command: "{cargo}/mcp-proxy --config {file:{files}/mcp-proxy-stdio.toml}",
    },
    Other {
        name: "fastmcp",
        behind: "http",
        path: "/mcp",
        command: "{fastmcp}/fastmcp run {server} --transport http --port {port} --no-banner --log-level WARNING",
    },
    Other {
        name: "mcp-proxy-cargo",
        behind: "http",
        path: "/",
        command: "{cargo}/mcp-proxy --config {file:{files}/mcp-proxy-http.toml}",
    },
];

pub(super) fn run(arguments: &[String]) -> Outcome {
    let (which, rest) = match arguments.split_first() {
        Some((first, rest)) if !first.starts_with('-') => (&**first, rest),
        _ => ("all", arguments),
    };
    let behind: &[&str] = match which {
        "all" => &["stdio", "http"],
        "stdio" => &["stdio"],
        "http" => &["http"],
        "backends" => &[],
        other => return Err(format!("`{other}` is not one of stdio, http, backends")),
    };
    let workspace = Workspace::load()?;
    println!("building");
    gate::build("docent-bench")?;
    gate::build_with("echo-docent", &["--features", "http"])?;
    let docent = dist::build(&workspace)?;
    let release = gate::release(&workspace);
    if ["all", "backends"].contains(&which) {
        let mut command = process::program(release.join("docent-bench"));
        command.arg("backends").arg("--docent").arg(&docent);
        command.arg("--upstream").arg(release.join("echo-docent"));
        process::run(command.arg("--out").arg(workspace.target.join("bench")))?;
    }
    let places = match behind.is_empty() {
        true => return Ok(true),
        false => install(&workspace)?,
    };
    for behind in behind {
        process::run(measure(&workspace, &docent, &places, behind).args(rest))?;
    }
    Ok(true)
}

/// The load generator with our own gateway before the echo server.
pub(crate) fn ours(workspace: &Workspace, docent: &Path, behind: &str) -> Command {
    let release = gate::release(workspace);
    let echo = release.join("echo-docent");
    let (docent, echo) = (docent.display(), echo.display());
    let mut command = process::program(release.join("docent-bench"));
    command.args(["gateway", "--behind", behind, "--out"]).arg(workspace.target.join("bench"));
    let ours = match behind {
        "stdio" => {
            command.arg("--upstream").arg(echo.to_string());
            command.arg("--gateway").arg(format!("docent-stdio={docent} gateway -- {{server}}"));
            "-- {server}"
        }
        _ => {
            command.arg("--upstream").arg(format!("{echo} http"));
            let bench = release.join("docent-bench");
            let relay = format!("{} relay 127.0.0.1:{{port}} {{server}}", bench.display());
            command.arg("--gateway").arg(format!("relay={AT}/mcp {relay}"));
            "--url {server}"
        }
    };
    let listen = "gateway --http 127.0.0.1:{port}";
    command.arg("--gateway").arg(format!("docent={AT}/mcp {docent} {listen} {ours}"));
    command
}

/// The same, with the others beside it.
fn measure(
    workspace: &Workspace,
    docent: &Path,
    places: &[(&str, PathBuf)],
    behind: &str,
) -> Command {
    let mut command = ours(workspace, docent, behind);
    for other in OTHERS.iter().filter(|other| other.behind == behind) {
        let filled = places.iter().fold(other.command.to_owned(), |text, (name, place)| {
            text.replace(&format!("{{{name}}}"), &place.display().to_string())
        });
        command.arg("--gateway").arg(format!("{}={AT}{} {filled}", other.name, other.path));
    }
    command
}

/// Installs the others, and says where each kind is.
fn install(workspace: &Workspace) -> Result<Vec<(&'static str, PathBuf)>, String> {
    let files = workspace.root.join("bench/gateways");
    let place = workspace.target.join("bench/gateways");
    peers::npm_ci(&files)?;
    let python = place.join("py");
    for state in [
        peers::pip_sync(&files, "requirements.txt", &python)?,
        PEERS
            .iter()
            .find(|peer| peer.name == "fastmcp")
            .ok_or("fastmcp is no peer")?
            .install(workspace)?,
    ] {
        if let State::Skipped(reason) = state {
            return Err(format!("not every gateway can be installed: {reason}"));
        }
    }
    cargo_install(&place)?;
    Ok(vec![
        ("npm", files.join("node_modules/.bin")),
        ("pypi", python.join("bin")),
        ("fastmcp", peers::folder(workspace).join("py-fastmcp/bin")),
        ("cargo", place.join("bin")),
        ("files", files),
    ])
}

/// Builds the crate without its optional features, which are not measured here.
fn cargo_install(place: &Path) -> Result<(), String> {
    let (name, version) = CRATE;
    let stamp = Stamp::new(place.join("cargo.stamp"), version, place, &[])?;
    if stamp.matches() {
        return Ok(());
    }
    let mut cargo = process::cargo();
    cargo.args(["install", name, "--version", version, "--locked", "--no-default-features"]);
    cargo.arg("--root").arg(place).arg("--target-dir").arg(place.join("build"));
    process::run(&mut cargo)?;
    stamp.write().map(drop)
}
