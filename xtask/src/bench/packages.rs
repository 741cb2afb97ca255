//! `cargo xtask bench packages`: installs the packages of `bench/packages.txt`, each into a project
//! of its own below the target folder, and starts the measurement. `cargo xtask bench project --project
//! FOLDER` asks questions to all dependencies of a project.

use std::path::Path;

use crate::workspace::Workspace;
use crate::{Outcome, exactness, gate, process};

pub(super) fn run(rest: &[String]) -> Outcome {
    let workspace = Workspace::load()?;
    for package in ["docent", "docent-exactness"] {
        println!("building {package}");
        gate::build(package)?;
    }
    let list = workspace.root.join("bench/packages.txt");
    let projects = workspace.target.join("bench/packages");
    let text = std::fs::read_to_string(&list)
        .map_err(|error| format!("cannot read {}: {error}", list.display()))?;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [ecosystem, name, version, _] = words[..] else {
            return Err(format!("`{line}` is not an ecosystem, name, version and symbol"));
        };
        let folder = projects.join(format!("{ecosystem}-{}-{version}", name.replace('/', "+")));
        if let Err(reason) = install(ecosystem, name, version, &folder) {
            println!("skipped  {ecosystem} {name} {version}: {reason}");
        }
    }
    let release = gate::release(&workspace);
    let mut command = process::program(release.join("docent-exactness"));
    command.arg("bench").arg("--list").arg(&list).arg("--projects").arg(&projects);
    command.arg("--docent").arg(release.join("docent"));
    if let Some(version) = process::version("node", &["--version"]) {
        let project = exactness::npm_project(&workspace, &version)?;
        command.arg("--typescript").arg(project.join("parse.mjs"));
    }
    process::run(command.args(rest))?;
    Ok(true)
}

pub(super) fn project(rest: &[String]) -> Outcome {
    let workspace = Workspace::load()?;
    println!("building docent-exactness");
    gate::build("docent-exactness")?;
    let mut command = process::program(gate::release(&workspace).join("docent-exactness"));
    command.arg("project").arg("--cache").arg(workspace.target.join("bench/project"));
    process::run(command.args(rest))?;
    Ok(true)
}

/// Installs a package as its users would, unless it has been.
fn install(ecosystem: &str, name: &str, version: &str, folder: &Path) -> Result<(), String> {
    let stamp = folder.join(".installed");
    if stamp.exists() {
        return Ok(());
    }
    println!("installing {name} {version}");
    let cannot = |error: std::io::Error| format!("cannot write {}: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).map_err(cannot);
    match ecosystem {
        "npm" => {
            write("package.json", "{ \"private\": true }\n")?;
            let mut npm = process::program("npm");
            npm.args(["install", "--no-fund", "--no-audit", "--ignore-scripts", "--silent"]);
            process::run(npm.arg(format!("{name}@{version}")).current_dir(folder))?;
        }
        "rust" => {
            // A workspace of its own, wherever the target folder is.
            let package =
                "[workspace]\n[package]\nname = \"x\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";
            write("Cargo.toml", &format!("{package}[dependencies]\n{name} = \"={version}\"\n"))?;
            std::fs::create_dir_all(folder.join("src")).map_err(cannot)?;
            write("src/lib.rs", "")?;
            let mut cargo = process::program("cargo");
            process::run(cargo.args(["fetch", "--quiet"]).current_dir(folder))?;
        }
        "go" => {
            write("go.mod", "module x.example/x\n")?;
            let mut go = process::program("go");
            process::run(go.args(["get", &format!("{name}@{version}")]).current_dir(folder))?;
        }
        "swift" => {
            process::version("git", &["--version"]).ok_or("`git` is not on PATH")?;
            let package = format!(".package(url: \"{name}\", exact: \"{version}\")");
            let head = "// swift-tools-version: 6.0\nimport PackageDescription\n\n";
            let manifest =
                format!("{head}let package = Package(name: \"x\", dependencies: [{package}])\n");
            write("Package.swift", &manifest)?;
            // Where the package manager would have it.
            let checkouts = folder.join(".build/checkouts");
            std::fs::create_dir_all(&checkouts).map_err(cannot)?;
            let last = name.rsplit('/').next().unwrap_or(name);
            let checkout = checkouts.join(last);
            exactness::check_out(name, version, &checkout)?;
            let mut git = process::program("git");
            let revision = git.args(["rev-parse", "HEAD"]).current_dir(&checkout);
            let revision = process::output(revision)?;
            let state = serde_json::json!({ "revision": revision.trim(), "version": version });
            let pin = serde_json::json!({
                "identity": last, "kind": "remoteSourceControl", "location": name, "state": state,
            });
            let resolved = serde_json::json!({ "pins": [pin], "version": 2 });
            write("Package.resolved", &resolved.to_string())?;
        }
        _ => {
            let environment = folder.join(".venv");
            let mut make = process::program("python3");
            process::run(make.args(["-m", "venv", "--clear"]).arg(&environment))?;
            let mut pip = process::program(environment.join("bin/python"));
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            process::run(pip.arg(format!("{name}=={version}")))?;
        }
    }
    write(".installed", "")
}
