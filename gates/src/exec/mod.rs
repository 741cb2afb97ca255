//! Hostile names through every entry of the engine: the only programs that start are the ones it
//! names itself, with arguments that it has written itself.
//!
//! The names go in in a process whose `PATH` holds nothing but recorders, under `strace` where there
//! is one, so that a program started by its full path is seen as well.

pub(crate) mod entries;
mod names;
pub(crate) mod recorder;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use docent_testkit::folder::Folder;

use self::names::MARK;
use crate::Result;
use crate::arguments::Options;
use crate::report::Report;

/// How many names there must be.
const NAMES_MIN: usize = 200;

const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "fish", "cmd", "cmd.exe", "pwsh"];

pub(crate) fn run(_: &Options) -> Result<Report> {
    let mut report = Report::new();
    let folder = Folder::new();
    let programs = folder.path().join("bin");
    recorder::install(&programs)?;
    let record = folder.path().join("record");
    let trace = folder.path().join("trace");
    let this = std::env::current_exe()?;
    let mut command = match strace() {
        Some(strace) => {
            let mut command = Command::new(strace);
            command.args(["-f", "-qq", "-s", "4096", "-e", "trace=execve,execveat", "-o"]);
            command.arg(&trace).arg("--").arg(&this);
            command
        }
        None => {
            println!("skipped: tracing, because there is no strace; recorders only");
            Command::new(&this)
        }
    };
    command.arg("hostile-names").arg(folder.path()).env("PATH", &programs);
    command.env(recorder::VARIABLE, &record).stdin(Stdio::null());
    let ended_well = command.status()?.success();

    let started = started(&trace, &record)?;
    let tally = Tally::of(&started, &this, &programs);
    println!("{} programs started: {:?}", started.len(), tally.programs);
    report.count("names_missing", NAMES_MIN.saturating_sub(names::all().len()), 0);
    report.count("died", usize::from(!ended_well), 0);
    report.count("shells", tally.shells, 0);
    report.count("other_programs", tally.others, 0);
    report.count("arguments_from_names", tally.marked, 0);
    Ok(report)
}

fn strace() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join("strace")).find(|file| file.is_file())
}

/// One line for each program that was started, with its arguments.
fn started(trace: &Path, record: &Path) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for file in [trace, record] {
        if file.exists() {
            let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
            lines.extend(text.lines().filter(|line| line.contains("exec")).map(str::to_owned));
        }
    }
    Ok(lines)
}

/// All that the engine may ask of other programs: constants, with nothing of a user's in them.
const QUESTIONS: &[&str] = &[
    r#"("npm", ["config", "get", "registry"])"#,
    r#"("pnpm", ["config", "get", "registry"])"#,
    r#"("yarn", ["config", "get", "npmRegistryServer"])"#,
    r#"("yarn", ["config", "get", "registry"])"#,
    r#"("python3", ["-I", "-m", "pip", "install", "--help"])"#,
    r#"("pip3", ["install", "--help"])"#,
    r#"("pip", ["install", "--help"])"#,
    r#"("uv", ["pip", "install", "--help"])"#,
    r#"("go", ["env", "GOPROXY"])"#,
];

/// Whether a name got no further than the address of a repository, which is what Swift packages are
/// named by: `git` gets it behind all options, with a scheme that runs nothing and without credentials.
fn is_address(program: &str, line: &str) -> bool {
    let Some((before, address)) = line.split_once(r#"", "--", "https://"#) else { return false };
    let address = address.split('"').next().unwrap_or_default();
    program == "git" && !before.contains(MARK) && !address.contains('@')
}

#[derive(Default)]
struct Tally {
    programs: Vec<String>,
    shells: usize,
    others: usize,
    marked: usize,
}

impl Tally {
    fn of(started: &[String], this: &Path, programs: &Path) -> Self {
        let mut tally = Self::default();
        for line in started {
            let program = line.split('"').nth(1).unwrap_or_default();
            let name = program.rsplit('/').next().unwrap_or_default();
            let own = Path::new(program) == this || program == "/proc/self/exe";
            // What the recorders note is what the engine asks the ecosystems' own tools.
            let asked = line.strip_prefix("recorded exec");
            if asked.is_some_and(|question| QUESTIONS.contains(&question)) {
                continue;
            }
            if SHELLS.contains(&name) {
                tally.shells += 1;
                println!("shell: {line}");
            } else if !own && !Path::new(program).starts_with(programs) {
                tally.others += 1;
                println!("program: {line}");
            }
            if line.contains(MARK) && !is_address(name, line) {
                tally.marked += 1;
                println!("argument: {line}");
            }
            if !tally.programs.iter().any(|known| known == name) {
                tally.programs.push(name.to_owned());
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_address_behind_all_options_is_no_argument() {
        let check = |program: &str, line: &str, expected: bool| {
            assert_eq!(is_address(program, line), expected, "{line}");
        };
        check("git", r#"["git", "ls-remote", "--", "https://hx7qz/x"]"#, true);
        check("git", r#"["git", "ls-remote", "https://hx7qz/x"]"#, false);
        check("git", r#"["git", "--hx7qz", "--", "https://hx7qz/x"]"#, false);
        check("git", r#"["git", "ls-remote", "--", "ext::hx7qz"]"#, false);
        check("git", r#"["git", "ls-remote", "--", "https://user:pass@hx7qz/x"]"#, false);
        check("npm", r#"["npm", "x", "--", "https://hx7qz/x"]"#, false);
    }

    #[test]
    fn shells_strangers_and_names_are_counted() {
        let lines = [
            r#"12 execve("/gates", ["/gates", "hostile-names"], 0x1 /* 3 vars */) = 0"#,
            r#"13 execve("/proc/self/exe", ["/proc/self/exe"], 0x1 /* 2 vars */) = 0"#,
            r#"14 execve("/bin/npm", ["npm", "config", "get"], 0x1 /* 2 vars */) = 0"#,
            r#"15 execve("/usr/bin/sh", ["sh", "-c", "x"], 0x1 /* 2 vars */) = 0"#,
            r#"16 execve("/usr/bin/curl", ["curl", "hx7qz"], 0x1 /* 2 vars */) = 0"#,
        ];
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let tally = Tally::of(&lines, Path::new("/gates"), Path::new("/bin"));
        assert_eq!((tally.shells, tally.others, tally.marked), (1, 1, 1));
        assert_eq!(tally.programs, ["gates", "exe", "npm", "sh", "curl"]);
    }
}
