//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use docent_packages::{PackageRef, Style, Target};

/// The exact documentation of the packages a project uses.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Ask no registry: what is on this machine has to do
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// The cache folder
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Serve documentation to agents over MCP, on stdio unless an address is given
    Serve(Serve),
    /// Describe a package, or one symbol of it
    Describe(Describe),
    /// Search a package for words or symbols
    Search(Search),
    /// Show what changed in the public API between two versions
    Diff(Diff),
}

#[derive(Args)]
pub(crate) struct Serve {
    /// Listen at this address, such as `127.0.0.1:3000`; the path is `/mcp`
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<String>,
    /// Also serve clients that call this machine by this name; only this machine itself otherwise
    #[arg(long = "host", value_name = "NAME", requires = "http")]
    pub(crate) hosts: Vec<String>,
}

#[derive(Args)]
pub(crate) struct Describe {
    /// The package, such as `npm:zod@4` or `pypi:requests`
    pub(crate) package: PackageRef,
    /// The symbol, such as `ZodString.email`
    pub(crate) symbol: Option<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Args)]
pub(crate) struct Search {
    /// The package, such as `npm:zod@4` or `pypi:requests`
    pub(crate) package: PackageRef,
    /// What to look for
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Args)]
pub(crate) struct Diff {
    /// The package, such as `npm:zod`
    pub(crate) package: PackageRef,
    /// The older version
    pub(crate) old: String,
    /// The newer version
    pub(crate) new: String,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Args)]
pub(crate) struct Common {
    /// The project the question is about; the working folder by default
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// The longest answer, in tokens
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub(crate) max_tokens: usize,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Common {
    pub(crate) fn target(&self, package: PackageRef) -> Target {
        Target { package, project: self.project.clone() }
    }

    pub(crate) fn style(&self) -> Style {
        Style::default().max_tokens(self.max_tokens)
    }
}
