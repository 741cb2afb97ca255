//! Every command that a document tells people to type exists.
//!
//! The rule, for `sh`, `bash` and `console` blocks in Markdown files (README.md is required):
//!
//! - `cargo xtask X` is a command of this program, and the name after `gate` is a gate.
//! - `-p`, `--example`, `--bin` and `--path` of any other cargo command name what they should.
//! - `docent X` is a command of the binary: a source file of `crates/docent` has the name, quoted
//!   or as an enum variant.
//! - A program written with a `/` is a file of the repository.
//!
//! Shell variables and other programs are not ours to check.

use super::Problem;
use super::markdown::{self, Line};
use super::tree::Tree;
use crate::workspace::{Package, Workspace};
use crate::{TASKS, gate};

pub(crate) fn check(tree: &Tree, workspace: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    if tree.text("README.md").is_none() {
        problems.push(Problem::new("README.md", 1, "is missing; it tells people how to start"));
    }
    for (file, text) in tree.ending(".md") {
        for (number, line) in command_lines(text) {
            for command in line.split(['|', ';']).flat_map(|part| part.split("&&")) {
                let words: Vec<&str> = without_assignments(command).collect();
                if let Some(what) = fault(&words, tree, workspace) {
                    problems.push(Problem::new(file, number, what));
                }
            }
        }
    }
    problems
}

/// The lines of shell blocks: prompt and comment taken off, continued lines joined.
fn command_lines(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut continued = false;
    for (number, line) in markdown::lines(text) {
        let Line::Fenced { language: "sh" | "bash" | "console", text } = line else { continue };
        let text = text.trim();
        let text = text.strip_prefix("$ ").unwrap_or(text);
        let text = text.split(" #").next().unwrap_or_default();
        if text.starts_with('#') {
            continue;
        }
        let (words, more) = match text.strip_suffix('\\') {
            Some(words) => (words, true),
            None => (text, false),
        };
        match found.last_mut().filter(|_| continued) {
            Some((_, line)) => *line += words,
            None => found.push((number, words.to_owned())),
        }
        continued = more;
    }
    found
}

/// The words of a command after `NAME=value` prefixes.
fn without_assignments(command: &str) -> impl Iterator<Item = &str> {
    let is_assignment = |word: &&str| {
        word.split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
    };
    command.split_whitespace().skip_while(is_assignment)
}

fn fault(words: &[&str], tree: &Tree, workspace: &Workspace) -> Option<String> {
    match words {
        ["cargo", "xtask", rest @ ..] => xtask_fault(rest),
        ["cargo", rest @ ..] => cargo_fault(rest, tree, workspace),
        ["docent", rest @ ..] => docent_fault(rest, tree),
        [program, ..] if program.contains('/') && !program.contains(['<', '~', '$', ':']) => {
            let path = program.trim_start_matches("./");
            let known =
                program.starts_with('/') || path.starts_with("target/") || tree.exists(path);
            (!known).then(|| format!("`{program}` is not in the repository"))
        }
        _ => None,
    }
}

fn xtask_fault(words: &[&str]) -> Option<String> {
    let name = words.first()?;
    if !TASKS.iter().any(|task| task.name == *name) {
        return Some(format!("`cargo xtask {name}` is not a command; see `cargo xtask help`"));
    }
    let gate = words.get(1).filter(|_| *name == "gate")?;
    let known = gate.chars().all(char::is_uppercase) || gate::find(gate).is_some();
    (!known).then(|| format!("`{gate}` is not a gate; see `cargo xtask help`"))
}

fn cargo_fault(words: &[&str], tree: &Tree, workspace: &Workspace) -> Option<String> {
    let words = words.split(|word| *word == "--").next().unwrap_or_default();
    for pair in words.windows(2) {
        let [flag, name] = [pair[0], pair[1]];
        let any = |has: fn(&Package, &str) -> bool| workspace.packages.iter().any(|p| has(p, name));
        if name.starts_with('$') {
            continue;
        }
        let (known, kind) = match flag {
            "-p" | "--package" => (workspace.package(name).is_some(), "package"),
            "--example" => (any(|p, name| p.examples.iter().any(|e| e == name)), "example"),
            "--bin" => (any(|p, name| p.binaries.iter().any(|b| b == name)), "binary"),
            "--path" => (tree.exists(name), "path"),
            _ => continue,
        };
        if !known {
            return Some(format!("the {kind} `{name}` does not exist"));
        }
    }
    None
}

fn docent_fault(words: &[&str], tree: &Tree) -> Option<String> {
    let sources: Vec<&str> = tree
        .ending(".rs")
        .filter(|(file, _)| file.starts_with("crates/docent/src/"))
        .map(|(_, text)| text)
        .collect();
    if sources.is_empty() {
        return Some("`docent` is not built here yet; leave the command out".into());
    }
    let name = words.first().filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))?;
    let quoted = format!("\"{name}\"");
    let variant: String = name.split('-').map(capitalized).collect();
    let is_variant = |text: &str| {
        text.lines().any(|line| {
            let rest = line.trim().strip_prefix(variant.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '(', '{', ',']))
        })
    };
    let known = sources.iter().any(|text| text.contains(&quoted) || is_variant(text));
    (!known).then(|| format!("`docent {name}` is not defined in crates/docent"))
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problems_of;

    const COMMANDS: (&str, &str) =
        ("crates/docent/src/command.rs", "enum Command {\n    Serve(Serve),\n    DryRun,\n}");

    fn check_readme(readme: &str, files: &[(&str, &str)]) -> String {
        let package = Package {
            name: "docent-mcp".into(),
            examples: vec!["hello".into()],
            binaries: vec!["tool".into()],
            ..Package::default()
        };
        let workspace = Workspace { packages: vec![package], ..Workspace::default() };
        let files = [files, &[("README.md", readme), (".ci/run", "x")]].concat();
        problems_of(check, &workspace, &files)
    }

    #[test]
    fn commands_that_exist_pass() {
        let readme = "```sh
            # a comment: cargo xtask nothing
            $ cargo xtask test --fast   # cargo xtask nothing
            RUST_LOG=info cargo run -p docent-mcp \\
              --example hello -- --example other
            cd docent && cargo xtask gate eof | tee log
            cargo xtask gate NAME
            .ci/run; cargo run --bin tool
            bin=target/release
            $bin/tool && target/release/tool && cargo build -p $package
            docent serve --http | docent dry-run
            ```";
        assert_eq!(check_readme(readme, &[COMMANDS]), "");
    }

    #[test]
    fn each_kind_of_command_can_fail() {
        for (command, reason) in [
            ("cargo xtask tset", "`cargo xtask tset` is not a command; see `cargo xtask help`"),
            ("cargo xtask gate oef", "`oef` is not a gate; see `cargo xtask help`"),
            ("cargo run -p docent-gone", "the package `docent-gone` does not exist"),
            ("cargo run --example gone", "the example `gone` does not exist"),
            ("cargo run \\\n--example gone", "the example `gone` does not exist"),
            ("cargo run --bin gone", "the binary `gone` does not exist"),
            ("cargo install --path crates/gone", "the path `crates/gone` does not exist"),
            ("docent sreve", "`docent sreve` is not defined in crates/docent"),
            ("./gone.sh", "`./gone.sh` is not in the repository"),
            ("true && cargo xtask x", "`cargo xtask x` is not a command; see `cargo xtask help`"),
        ] {
            let found = check_readme(&format!("```sh\n{command}\n```"), &[COMMANDS]);
            assert_eq!(found, format!("README.md:2: {reason}\n"));
        }
    }

    #[test]
    fn the_binary_must_exist_before_it_is_documented() {
        let expected = "README.md:2: `docent` is not built here yet; leave the command out\n";
        assert_eq!(check_readme("```sh\ndocent serve\n```", &[]), expected);
    }

    #[test]
    fn the_readme_itself_is_needed() {
        let found = problems_of(check, &Workspace::default(), &[]);
        assert_eq!(found, "README.md:1: is missing; it tells people how to start\n");
    }
}
