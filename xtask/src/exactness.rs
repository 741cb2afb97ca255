//! `cargo xtask exactness`: compares what the engine extracts from installed packages with what
//! TypeScript, Python, Go and rustdoc say of them. `exactness/README.md` explains the numbers.
//!
//! The packages are pinned below `exactness/`; where they are downloaded from is the machine's
//! configuration. What a tool says of a package is kept below the target folder until the package,
//! the program that asks or the tool changes.

use std::path::{Path, PathBuf};

use crate::peers::{Stamp, tool};
use crate::workspace::Workspace;
use crate::{Outcome, gate, process};

/// An ecosystem with its installed packages.
pub(crate) struct Side {
    pub(crate) name: &'static str,
    /// The folder of the pinned packages, which is also the project.
    pub(crate) project: PathBuf,
    /// The virtual environment, if it is that kind of ecosystem.
    pub(crate) environment: Option<PathBuf>,
    /// What the ecosystem's tool said, one file for each package.
    references: PathBuf,
    /// The tool's version.
    version: String,
}

const SIDES: [&str; 4] = ["npm", "python", "go", "rust"];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workspace = Workspace::load()?;
    let (chosen, rest): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|word| SIDES.contains(&word.as_str()));
    let only = rest.windows(2).find(|pair| ["--only", "--missing"].contains(&pair[0].as_str()));
    let only = only.map(|pair| pair[1].to_lowercase());
    println!("building docent-exactness");
    gate::build("docent-exactness")?;
    let mut good = true;
    for name in SIDES {
        if !chosen.is_empty() && !chosen.iter().any(|chosen| *chosen == name) {
            continue;
        }
        let side = match Side::install(name, &workspace) {
            Ok(side) => side,
            Err(reason) if chosen.is_empty() => {
                println!("skipped  {name}: {reason}");
                continue;
            }
            Err(reason) => return Err(reason),
        };
        side.refer(only.as_deref())?;
        let mut compare = process::program(gate::release(&workspace).join("docent-exactness"));
        compare.args(["compare", side.name, "--project"]).arg(&side.project);
        compare.arg("--references").arg(&side.references);
        if let Some(environment) = &side.environment {
            compare.arg("--environment").arg(environment);
        }
        good &= process::run(compare.args(&rest)).is_ok();
    }
    Ok(good)
}

/// Installs the npm packages, if they are not.
fn npm(workspace: &Workspace) -> Result<Side, String> {
    let version = tool("node", "--version", (20, 0))?;
    let project = npm_project(workspace, &version)?;
    let references = workspace.target.join("exactness/npm-references");
    Ok(Side { name: "npm", project, environment: None, references, version })
}

/// The project with the npm packages, TypeScript among them.
pub(crate) fn npm_project(workspace: &Workspace, version: &str) -> Result<PathBuf, String> {
    let project = workspace.root.join("exactness/npm");
    let stamp = project.join("node_modules/.stamp");
    let stamp = Stamp::new(stamp, version, &project, &["package-lock.json"])?;
    if !stamp.matches() {
        let mut npm = process::program("npm");
        process::run(npm.args(["ci", "--no-fund", "--no-audit"]).current_dir(&project))?;
        stamp.write()?;
    }
    Ok(project)
}

/// Installs the Python packages into an environment of their own, if they are not.
fn python(workspace: &Workspace) -> Result<Side, String> {
    let version = tool("python3", "--version", (3, 11))?;
    let project = workspace.root.join("exactness/python");
    let environment = workspace.target.join("exactness/python");
    let stamp = environment.join(".stamp");
    let stamp = Stamp::new(stamp, &version, &project, &["requirements.txt"])?;
    if !stamp.matches() {
        let mut make = process::program("python3");
        process::run(make.args(["-m", "venv", "--clear"]).arg(&environment))?;
        let mut pip = process::program(environment.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
        process::run(pip.arg("--requirement").arg(project.join("requirements.txt")))?;
        stamp.write()?;
    }
    let references = workspace.target.join("exactness/python-references");
    Ok(Side { name: "python", project, environment: Some(environment), references, version })
}

/// Downloads the Go modules, if they are not there.
fn go(workspace: &Workspace) -> Result<Side, String> {
    let version = tool("go", "version", (1, 26))?;
    let project = workspace.root.join("exactness/go");
    let references = workspace.target.join("exactness/go-references");
    let mut download = process::program("go");
    process::run(download.args(["mod", "download"]).current_dir(&project))?;
    Ok(Side { name: "go", project, environment: None, references, version })
}

/// Fetches the crates, if they are not there.
fn rust(workspace: &Workspace) -> Result<Side, String> {
    tool("python3", "--version", (3, 11))?;
    let version = tool("cargo", "--version", (1, 90))?;
    let project = workspace.root.join("exactness/rust");
    let references = workspace.target.join("exactness/rust-references");
    let mut fetch = process::program("cargo");
    process::run(fetch.args(["fetch", "--locked", "--quiet"]).current_dir(&project))?;
    Ok(Side { name: "rust", project, environment: None, references, version })
}

/// Checks out the Swift packages, if they are not there, where the package manager would.
fn swift(workspace: &Workspace) -> Result<Side, String> {
    let version = tool("git", "--version", (2, 20))?;
    let pinned = workspace.root.join("exactness/swift/Package.swift");
    let manifest = read(&pinned)?;
    let project = workspace.target.join("exactness/swift");
    let checkouts = project.join(".build/checkouts");
    let made = std::fs::create_dir_all(&checkouts);
    made.map_err(|error| format!("cannot make {}: {error}", checkouts.display()))?;
    let copied = std::fs::write(project.join("Package.swift"), &manifest);
    copied.map_err(|error| format!("cannot write the manifest: {error}"))?;
    for line in manifest.lines().filter(|line| line.trim_start().starts_with(".package(")) {
        let words: Vec<&str> = line.split('"').collect();
        let [_, address, _, tag, ..] = words.as_slice() else { continue };
        let name = address.rsplit('/').next().unwrap_or(address);
        let folder = checkouts.join(name);
        let stamp = Stamp::new(
            checkouts.join(format!("{name}.stamp")),
            tag,
            &workspace.root.join("exactness/swift"),
            &[],
        )?;
        if folder.exists() && stamp.matches() {
            continue;
        }
        check_out(address, tag, &folder)?;
        stamp.write()?;
    }
    let references = workspace.target.join("exactness/swift-references");
    Ok(Side { name: "swift", project, environment: None, references, version })
}

/// The files of a repository at a tag, in a folder of their own.
pub(crate) fn check_out(address: &str, tag: &str, folder: &Path) -> Result<(), String> {
    // A copy of another version may be there.
    _ = std::fs::remove_dir_all(folder);
    // Some tags have a letter in front.
    let clone = |tag: &str| {
        let mut git = process::program("git");
        git.args(["clone", "--quiet", "--depth", "1", "--branch", tag, address]).arg(folder);
        process::run(&mut git)
    };
    clone(tag).or_else(|_| clone(&format!("v{tag}")))
}

impl Side {
    /// Installs the pinned packages of an ecosystem, if they are not.
    pub(crate) fn install(name: &str, workspace: &Workspace) -> Result<Self, String> {
        match name {
            "npm" => npm(workspace),
            "go" => go(workspace),
            "rust" => rust(workspace),
            "swift" => swift(workspace),
            _ => python(workspace),
        }
    }

    /// Asks the ecosystem's tool about each package or one of them, unless it has been asked.
    fn refer(&self, only: Option<&str>) -> Result<(), String> {
        let made = std::fs::create_dir_all(&self.references);
        made.map_err(|error| format!("cannot make {}: {error}", self.references.display()))?;
        let inputs: &[&str] = match self.name {
            "npm" => &["package-lock.json", "reference.mjs"],
            "go" => &["go.mod", "reference.go"],
            "rust" => &["Cargo.lock", "reference.py"],
            _ => &["requirements.txt", "reference.py"],
        };
        for package in self.packages()? {
            if only.is_some_and(|only| only != package.to_lowercase()) {
                continue;
            }
            let file = self.references.join(format!("{}.jsonl", package.replace('/', "+")));
            let stamp =
                Stamp::new(file.with_extension("stamp"), &self.version, &self.project, inputs)?;
            if stamp.matches() && file.exists() {
                continue;
            }
            println!("asking about {package}");
            let said = process::output(self.program().arg(&package))?;
            let written = std::fs::write(&file, said);
            written.map_err(|error| format!("cannot write {}: {error}", file.display()))?;
            stamp.write()?;
        }
        Ok(())
    }

    /// The program that asks.
    fn program(&self) -> std::process::Command {
        if self.name == "go" {
            // It asks about the modules of the project that it is started in.
            let mut command = process::program("go");
            command.args(["run", "reference.go"]).current_dir(&self.project);
            return command;
        }
        if self.name == "rust" {
            let mut command = process::program("python3");
            command.arg(self.project.join("reference.py"));
            return command;
        }
        let (interpreter, script) = match &self.environment {
            None => (PathBuf::from("node"), "reference.mjs"),
            Some(environment) => (environment.join("bin/python"), "reference.py"),
        };
        let mut command = process::program(interpreter);
        command.arg(self.project.join(script));
        command
    }

    /// The packages to compare: those that are asked for by name, not what they need.
    fn packages(&self) -> Result<Vec<String>, String> {
        let read = |file: &str| read(&self.project.join(file));
        if self.name == "go" {
            let manifest = read("go.mod")?;
            let required = manifest.lines().filter(|line| line.starts_with('\t'));
            let direct = required.filter(|line| !line.ends_with("// indirect"));
            return Ok(direct
                .filter_map(|line| Some(line.trim().split_once(' ')?.0.to_owned()))
                .collect());
        }
        if self.name == "rust" {
            let manifest = read("Cargo.toml")?;
            let names = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
            let names = names.filter_map(|line| Some(line.split_once(" =")?.0.to_owned()));
            return Ok(names.chain(bundled()).collect());
        }
        if self.environment.is_none() {
            let manifest: serde_json::Value =
                serde_json::from_str(&read("package.json")?).map_err(|error| error.to_string())?;
            let names = manifest["dependencies"].as_object().into_iter().flatten();
            let names = names.map(|(name, _)| name.clone());
            // Types belong to the packages they describe, and the compiler is the one who is asked.
            let is_compared = |name: &String| !name.starts_with("@types/") && name != "typescript";
            return Ok(names.filter(is_compared).collect());
        }
        let requirements = read("requirements.txt")?;
        let lines = requirements.lines().skip_while(|line| line.starts_with('#'));
        let lines = lines.take_while(|line| !line.starts_with('#'));
        Ok(lines.filter_map(|line| Some(line.split_once("==")?.0.to_owned())).collect())
    }
}

/// The crates that come with the compiler, if their sources and their pages are on this machine.
fn bundled() -> Vec<String> {
    const BUNDLED: [&str; 3] = ["alloc", "core", "std"];
    let installed = process::version("rustc", &["--print", "sysroot"]).map(PathBuf::from);
    let pages = installed.as_ref().map(|root| root.join("share/doc/rust/html/std/index.html"));
    let sources = std::env::var_os("RUST_SYSROOT").map(PathBuf::from).or(installed);
    let sources = sources.map(|root| root.join("lib/rustlib/src/rust/library/std/Cargo.toml"));
    for (component, file) in [("rust-docs", pages), ("rust-src", sources)] {
        if !file.is_some_and(|file| file.is_file()) {
            println!("skipped  {}: no component {component}", BUNDLED.join(", "));
            return Vec::new();
        }
    }
    BUNDLED.map(str::to_owned).to_vec()
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))
}
