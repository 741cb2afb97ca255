//! `cargo xtask bench`: builds the same server on several SDKs and measures them side by side; or,
//! in `packages`, the engine beside parsers.
//! What is measured, and how, is in `bench/README.md`.

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

const PACKAGES: &[&str] = &["docent-bench", "echo-docent", "echo-rmcp", "echo-raw"];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments.split_first().map(|(name, rest)| (name.as_str(), rest)) {
        Some(("stdio", rest)) => stdio(rest),
        Some(("packages", rest)) => packages::run(rest),
        _ => Err("which bench? benches: stdio, packages".into()),
    }
}

fn stdio(rest: &[String]) -> Outcome {
    let workspace = Workspace::load()?;
    for package in PACKAGES {
        println!("building {package}");
        gate::build(package)?;
    }
    let release = gate::release(&workspace);
    let mut command = process::program(release.join("docent-bench"));
    command.arg("stdio").arg("--out").arg(workspace.target.join("bench"));
    for (name, server) in STDIO {
        command.arg("--server").arg(format!("{name}={}/{server}", release.display()));
    }
    // `--build` and the rest are the load generator's own options.
    process::run(command.args(rest))?;
    Ok(true)
}
