//! `cargo xtask dist`: the program as it is released.
//!
//! It is built twice. The first one counts what it does under work like that of every day; the
//! second one is built for what was counted: what runs often is fast and lies together, the rest is
//! small. A call through the gateway is hundreds of functions that run once or twice each, so it
//! mostly waits for their code to arrive from memory; nothing shortens it as much.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::exactness::Side;
use crate::workspace::Workspace;
use crate::{Outcome, bench, gate, peers, process};

/// Ecosystems whose packages are read, and the module that does it.
const LANGUAGES: [(&str, &str); 5] = [
    ("npm", "typescript"),
    ("python", "python"),
    ("go", "go"),
    ("rust", "rust"),
    ("swift", "swift"),
];

/// Counts that are in a file from the start are of how often code ran, not of the values it ran with.
const NO_VALUES: &str = "-Cllvm-args=-disable-vp";

/// How a server behind the gateway is reached.
const WAYS: [&str; 2] = ["stdio", "http"];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    crate::accept(arguments, &[])?;
    let program = build(&Workspace::load()?)?;
    println!("{}", program.display());
    Ok(true)
}

/// Builds the program, and says where it is.
pub(crate) fn build(workspace: &Workspace) -> Result<PathBuf, String> {
    let dist = Dist::new(workspace)?;
    let counts = dist.counts()?;
    println!("building the program for what was counted");
    dist.cargo(&[flag("-Cprofile-use=", &counts), NO_VALUES.into()])
}

struct Dist<'a> {
    workspace: &'a Workspace,
    host: String,
    /// Reads counts. It has to be of the compiler's own version.
    profdata: PathBuf,
    /// Where the first program counts.
    seen: PathBuf,
    /// Holds what is made on the way.
    folder: PathBuf,
}

impl Dist<'_> {
    fn new(workspace: &Workspace) -> Result<Dist<'_>, String> {
        let about = process::output(process::program("rustc").arg("-vV"))?;
        let host = about.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.ok_or("`rustc -vV` names no host")?.to_owned();
        let root = process::output(process::program("rustc").args(["--print", "sysroot"]))?;
        let tools = Path::new(root.trim()).join("lib/rustlib").join(&host).join("bin");
        let profdata = tools.join("llvm-profdata");
        if !profdata.exists() {
            let mut rustup = process::program("rustup");
            let added = process::run(rustup.args(["component", "add", "llvm-tools"]));
            added.map_err(|error| format!("Rust's component llvm-tools is needed: {error}"))?;
        }
        let (seen, folder) = (workspace.target.join("seen"), workspace.target.join("dist"));
        Ok(Dist { workspace, host, profdata, seen, folder })
    }

    /// Builds docent. Naming the target keeps the flags from build scripts, which would count too. The
    /// profile is the same for both: names of functions depend on it, and counts are found by name.
    fn cargo(&self, flags: &[OsString]) -> Result<PathBuf, String> {
        let mut cargo = process::cargo();
        cargo.args(["build", "--quiet", "--profile", "dist", "--package", "docent"]);
        cargo.args(["--target", &self.host]);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f".as_ref()));
        process::run(&mut cargo)?;
        Ok(self.workspace.target.join(&self.host).join("dist/docent"))
    }

    /// The file of what was counted: the one from before, if the program that counts is the same.
    fn counts(&self) -> Result<PathBuf, String> {
        println!("building the program that counts");
        // A worker has no environment and may write no file, and it is killed once it has answered. So
        // counts are in a file from the start (`%c`).
        let flags = [
            flag("-Cprofile-generate=", &self.seen.join("%c")),
            "-Cllvm-args=-runtime-counter-relocation".into(),
            NO_VALUES.into(),
        ];
        let program = self.cargo(&flags)?;
        let bytes = std::fs::read(&program)
            .map_err(|error| format!("cannot read {}: {error}", program.display()))?;
        // Another program that counts needs counts of its own.
        let counts = self.folder.join(format!("{:016x}.profdata", peers::fnv1a(&bytes)));
        if !counts.exists() {
            self.count(&program, &counts)?;
        }
        Ok(counts)
    }

    fn count(&self, program: &Path, counts: &Path) -> Result<(), String> {
        gate::build("docent-bench")?;
        gate::build_with("echo-docent", &["--features", "http"])?;
        std::fs::create_dir_all(&self.folder)
            .map_err(|error| format!("cannot make {}: {error}", self.folder.display()))?;
        clear(&self.seen)?;
        let (mut parts, mut unseen) = (Vec::new(), Vec::new());
        for (name, module) in LANGUAGES {
            match Side::install(name, self.workspace) {
                Ok(side) => {
                    println!("counting: packages of {name}");
                    self.read(program, &side)?;
                    parts.push(self.part(name)?);
                }
                Err(reason) => {
                    println!("skipped  {name}: {reason}");
                    unseen.push(format!("{}{module}", module.len()));
                }
            }
        }
        for behind in WAYS {
            println!("counting: calls to a server behind {behind}");
            let mut load = bench::gateway::ours(self.workspace, program, behind);
            load.args(["--rounds", "1", "--out"]).arg(&self.folder);
            process::run(load.stdout(Stdio::null()))?;
            parts.push(self.part(behind)?);
        }
        let mut merge = process::program(&self.profdata);
        merge.arg("merge");
        if !unseen.is_empty() {
            // What could not be counted is built as ever, not as if nobody used it.
            merge.arg(format!("--no-function={}", unseen.join("|")));
        }
        // Each kind of work weighs the same, however long it took.
        let most = parts.iter().map(|part| part.total).max().unwrap_or_default();
        for Part { file, total } in &parts {
            merge.arg(format!("--weighted-input={},{}", most / total, file.display()));
        }
        let unfinished = counts.with_extension("unfinished");
        process::run(merge.arg("--output").arg(&unfinished))?;
        std::fs::rename(&unfinished, counts)
            .map_err(|error| format!("cannot write {}: {error}", counts.display()))
    }

    /// Reads all packages that the project of an ecosystem has installed.
    fn read(&self, program: &Path, side: &Side) -> Result<(), String> {
        let cache = self.folder.join("cache");
        clear(&cache)?;
        let mut index = process::program(program);
        index.arg("index").arg(&side.project).arg("--offline").arg("--cache").arg(&cache);
        if let Some(environment) = &side.environment {
            index.env("VIRTUAL_ENV", environment);
        }
        // Not all have to be there: some are for other systems than this one.
        let output = index.arg("--json").stderr(Stdio::null()).output();
        let output =
            output.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        match report["items"].as_u64() {
            Some(0) | None => Err(format!("`{}` read nothing", process::line(&index))),
            Some(_) => Ok(()),
        }
    }

    /// Takes what was counted since the last time.
    fn part(&self, name: &str) -> Result<Part, String> {
        let file = self.folder.join(name).with_extension("profdata");
        let mut merge = process::program(&self.profdata);
        process::run(merge.arg("merge").arg(&self.seen).arg("--output").arg(&file))?;
        clear(&self.seen)?;
        let mut show = process::program(&self.profdata);
        let summary = process::output(show.args(["show", "--detailed-summary"]).arg(&file))?;
        let total = summary.lines().find_map(|line| line.strip_prefix("Total count: "));
        match total.and_then(|total| total.trim().parse().ok()) {
            Some(0) | None => Err(format!("nothing was counted for {name}")),
            Some(total) => Ok(Part { file, total }),
        }
    }
}

/// What was counted for one kind of work.
struct Part {
    file: PathBuf,
    total: u64,
}

fn flag(name: &str, path: &Path) -> OsString {
    let mut flag = OsString::from(name);
    flag.push(path);
    flag
}

fn clear(folder: &Path) -> Result<(), String> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_that_read_packages_have_these_names() {
        let extract = process::root().join("crates/docent-packages/src/extract");
        for (ecosystem, module) in LANGUAGES {
            assert!(
                extract.join(module).is_dir(),
                "{ecosystem} is read elsewhere than in {module}"
            );
        }
    }
}
