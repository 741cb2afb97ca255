//! The command line: what all commands share, and the list of them.
//!
//! What one command takes is declared beside it, in [`crate::command`].

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use docent_packages::{PackageRef, Style, Target};

use crate::command::{check, describe, diff, search, serve};

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
    Serve(serve::Serve),
    /// Describe a package, or one symbol of it
    Describe(describe::Describe),
    /// Search a package for words or symbols
    Search(search::Search),
    /// Show what changed in the public API between two versions
    Diff(diff::Diff),
    /// Check whether code uses what the installed versions of its packages have
    Check(check::Check),
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
