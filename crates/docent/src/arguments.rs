//! The command line: what all commands share, and the list of them.
//!
//! What one command takes is declared beside it, in [`crate::command`].

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, Parser, Subcommand};
use docent_packages::{Ecosystem, Engine, Error, ErrorKind, PackageRef, Target};

use crate::command::{
    answer, approve, cache, call, check, complete, completions, config, daemon, describe, diff,
    doctor, gateway, index, inspect, prompt, read, replay, search, serve, servers, setup, shell,
    subscribe, symbols, tap, tools,
};
use crate::failure::Failure;
use crate::settings::SamplingFlags;
use crate::suggest;
use crate::terminal::Color;

/// The exact documentation of the packages a project uses.
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Ask no registry: what is on this machine has to do
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// The cache folder
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Print JSON, for other programs
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use color
    #[arg(long, global = true, value_name = "WHEN")]
    pub(crate) color: Option<Color>,
    /// The name of the call that this process stays with, so that it can be answered later
    #[arg(long, hide = true, value_name = "TOKEN")]
    pub(crate) kept: Option<String>,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 failed, 2 what was asked for is not there, 3 something is wrong with what was
looked at, 4 a server asks something (`docent answer`), 64 the command line makes no sense.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve documentation to agents over MCP, on stdio unless an address is given
    Serve(serve::Serve),
    /// Describe a package, or one symbol of it
    Describe(describe::Describe),
    /// Search a package for words or symbols
    Search(search::Search),
    /// List the public API of a package
    Symbols(symbols::Symbols),
    /// Show what changed in the public API between two versions
    Diff(diff::Diff),
    /// Check whether code uses what the installed versions of its packages have
    Check(check::Check),
    /// Make all dependencies of the projects below a folder ready to be asked about, offline too
    Index(index::Index),
    /// Enter Docent into the configuration of coding agents and editors
    Setup(setup::Setup),
    /// Look at what Docent finds here, and say what is wrong and what to do
    Doctor(doctor::Doctor),
    /// Show the settings and the MCP servers, and where each comes from; convert servers
    Config(config::Config),
    /// Look at the cache, check it, or empty it
    Cache(cache::Cache),
    /// Every configured MCP server and how it is doing
    Servers(servers::Servers),
    /// The tools of MCP servers, as signatures
    Tools(tools::Tools),
    /// Call a tool of an MCP server
    Call(call::Call),
    /// Answer what an MCP server asked, and go on with the call
    Answer(answer::Answer),
    /// Read a resource of an MCP server, or list them
    Read(read::Read),
    /// Get a prompt of an MCP server, or list them
    Prompt(prompt::Prompt),
    /// Ask an MCP server for suggestions
    Complete(complete::Complete),
    /// Tell when resources of MCP servers change
    Subscribe(subscribe::Subscribe),
    /// Use MCP servers interactively
    Shell(shell::Shell),
    /// Keep MCP servers running between commands
    Daemon(daemon::Daemon),
    /// Serve all configured MCP servers as one, on stdio unless an address is given
    Gateway(gateway::Gateway),
    /// A page on this machine to look at MCP servers, use them, and see what passes
    Inspect(inspect::Inspect),
    /// Agree to what a project would run, or to the tools of servers as they are
    Approve(approve::Approve),
    /// Stand between a client and a server, and write down what passes
    Tap(tap::Tap),
    /// Play a record to a server again, and compare its answers
    Replay(replay::Replay),
    /// Print a script that completes commands in a shell
    Completions(completions::Completions),
    /// Print the manual page, or write one for each command into a folder
    Manual(completions::Manual),
}

impl Command {
    /// The folder whose `docent.toml` counts.
    pub(crate) fn project(&self) -> Option<&Path> {
        match self {
            Self::Serve(command) => command.project.as_deref(),
            Self::Describe(command) => command.common.project.as_deref(),
            Self::Search(command) => command.common.project.as_deref(),
            Self::Symbols(command) => command.common.project.as_deref(),
            Self::Diff(command) => command.common.project.as_deref(),
            Self::Check(command) => command.project.as_deref(),
            Self::Index(command) => command.folder.as_deref(),
            Self::Doctor(command) => command.project.as_deref(),
            _ => None,
        }
    }

    /// What the command line says about who answers for a model.
    pub(crate) fn sampling(&self) -> Option<&SamplingFlags> {
        match self {
            Self::Call(command) => Some(&command.sampling),
            Self::Read(command) => Some(&command.sampling),
            Self::Prompt(command) => Some(&command.sampling),
            Self::Shell(command) => Some(&command.sampling),
            Self::Inspect(command) => Some(&command.sampling),
            _ => None,
        }
    }
}

#[derive(Args)]
pub(crate) struct Common {
    /// The project the question is about; the working folder by default
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// The longest answer, in tokens [default: 2000, or as set]
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
}

impl Common {
    pub(crate) fn folder(&self) -> PathBuf {
        let here = std::env::current_dir().unwrap_or_default();
        self.project.as_ref().map_or_else(|| here.clone(), |project| here.join(project))
    }

    /// The package that is meant, seen from the project.
    pub(crate) fn target(&self, package: &Asked, engine: &Engine) -> Result<Target, Failure> {
        let package = package.package(engine, &self.folder())?;
        Ok(Target { package, project: self.project.clone() })
    }

    /// An error of the engine, with what may have been meant.
    pub(crate) fn explain(&self, error: Error, target: &Target, engine: &Engine) -> Failure {
        let elsewhere = [ErrorKind::PackageNotFound, ErrorKind::NoRegistry, ErrorKind::Offline];
        let kind = error.kind();
        let mut failure = Failure::from(error);
        if elsewhere.contains(&kind) {
            let near = suggest::packages(engine, &self.folder(), &target.package);
            if !near.is_empty() {
                failure.hints.insert(0, did_you_mean(&near));
            }
        }
        failure
    }
}

/// A package as a person writes it: `npm:zod@4`, or only `zod` if the project has it.
#[derive(Clone, Debug)]
pub(crate) struct Asked(String);

impl FromStr for Asked {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::new(text))
    }
}

impl Asked {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub(crate) fn package(&self, engine: &Engine, project: &Path) -> Result<PackageRef, Failure> {
        let invalid = match self.0.parse::<PackageRef>() {
            Ok(package) => return Ok(package),
            Err(error) => error,
        };
        let text = self.0.trim();
        if text.is_empty() || text.contains(':') {
            let failure = Failure::usage(invalid.to_string());
            return Err(invalid.hints().iter().fold(failure, |failure, hint| failure.hint(hint)));
        }
        let at = text.rfind('@').filter(|&at| at > 0);
        let (name, version) = at.map_or((text, None), |at| (&text[..at], Some(&text[at + 1..])));
        let known = suggest::dependencies(engine, project);
        let mut found: Vec<PackageRef> = known
            .iter()
            .filter(|(package, _)| package.name.eq_ignore_ascii_case(name))
            .map(|(package, _)| PackageRef::new(package.ecosystem, &package.name, version))
            .collect();
        if found.is_empty() {
            // What no file names may be installed all the same, or come with the language.
            let all = Ecosystem::all().map(|kind| PackageRef::new(kind, name, version));
            found.extend(all.filter(|package| engine.has(package, project)));
        }
        found.sort_by_key(|package| package.ecosystem);
        found.dedup();
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => {
                let message = format!("`{}` is not a package of this project", text.escape_debug());
                let names = known.iter().map(|(package, _)| package.name.as_str());
                let near = suggest::nearest(name, names);
                let near: Vec<String> = { near }.into_iter().map(str::to_owned).collect();
                let mut failure = Failure::usage(message);
                if !near.is_empty() {
                    failure = failure.hint(did_you_mean(&near));
                }
                Err(failure
                    .hint("for another one, say of which kind: `npm:zod@4`, `pypi:requests`"))
            }
            _ => {
                let message = format!("`{name}` is more than one package of this project");
                let all: Vec<String> = found.iter().map(PackageRef::to_string).collect();
                Err(Failure::usage(message).hint(did_you_mean(&all)))
            }
        }
    }
}

fn did_you_mean(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            format!("did you mean {} or {last}?", rest.join(", "))
        }
        _ => format!("did you mean {}?", names.join("")),
    }
}
