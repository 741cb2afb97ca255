//! `cargo xtask breadth`: loads the packages listed below `breadth/` from the machine's registries.
//! `cargo-cache` is every crate that cargo has unpacked on this machine. Swift packages live in
//! repositories: `cargo xtask breadth swift --checkouts FOLDER` reads them from a folder of checkouts.
//! `cargo xtask breadth all --checkouts FOLDER` is all of it, and writes `docs/tables/breadth.md`.
//! `cargo xtask breadth npm python --write docs/tables/breadth.md` writes the tables of some, in place of
//! those that the page has.

use std::path::PathBuf;

use crate::workspace::Workspace;
use crate::{Outcome, gate, process};

/// The lists of names.
const LISTS: [&str; 5] = ["npm", "python", "go", "rust", "swift"];

/// The word for all lists in full.
const ALL: &str = "all";

/// The word for every crate that cargo has unpacked on this machine.
const CARGO_CACHE: &str = "cargo-cache";

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workspace = Workspace::load()?;
    let (all, arguments): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|word| *word == ALL);
    let is_all = !all.is_empty();
    let (cache, arguments): (Vec<&String>, Vec<&String>) =
        arguments.into_iter().partition(|word| *word == CARGO_CACHE);
    let (chosen, rest): (Vec<&String>, Vec<&String>) =
        arguments.iter().copied().partition(|word| LISTS.contains(&word.as_str()));
    println!("building docent-exactness");
    gate::build("docent-exactness")?;
    let mut command = process::program(gate::release(&workspace).join("docent-exactness"));
    command.arg("breadth");
    for name in LISTS {
        let by_default = chosen.is_empty() && cache.is_empty() && name != "swift";
        if is_all || by_default || chosen.iter().any(|chosen| *chosen == name) {
            let list = workspace.root.join("breadth").join(format!("{name}.txt"));
            command.arg("--list").arg(format!("{name}={}", list.display()));
        }
    }
    if is_all || !cache.is_empty() {
        command.arg("--sum").arg(format!("rust={}", cargo_cache(&workspace)?.display()));
    }
    if is_all {
        let day = process::version("date", &["--utc", "+%Y-%m-%d"]).unwrap_or_default();
        command.arg("--write").arg(workspace.root.join("docs/tables/breadth.md"));
        command.arg("--note").arg(format!("`cargo xtask breadth all` on {day}"));
    }
    Ok(process::run(command.args(rest)).is_ok())
}

/// A list of every crate that cargo has unpacked on this machine.
fn cargo_cache(workspace: &Workspace) -> Result<PathBuf, String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let sources = home.ok_or("cargo has no folder here")?.join("registry/src");
    let folders = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let crates = folders(sources).flat_map(|index| folders(index.path()));
    let mut names: Vec<String> = crates
        .filter_map(|folder| {
            let name = folder.file_name().into_string().ok()?;
            let at = name.match_indices('-').map(|(at, _)| at).find(|at| {
                let version = &name[at + 1..];
                version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.')
            })?;
            Some(format!("{}@{}", &name[..at], &name[at + 1..]))
        })
        .collect();
    names.sort_unstable();
    let file = workspace.target.join("cargo-cache.txt");
    let written = std::fs::write(&file, names.join("\n"));
    written.map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    Ok(file)
}
