//! `docent search`: words or symbols in a package, or in all packages of a project.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use docent_packages::Engine;

use crate::arguments::{Asked, Common};
use crate::failure::Failure;
use crate::print::Console;
use crate::project;
use crate::terminal::progress::Waiting;

#[derive(Args)]
pub(crate) struct Search {
    /// The package, such as `npm:zod@4` or `pypi:requests`; for one of the project its name is
    /// enough. Not with `--all`
    #[arg(value_name = "PACKAGE")]
    pub(crate) first: String,
    /// What to look for
    #[arg(required_unless_present = "all")]
    pub(crate) words: Vec<String>,
    /// Look into all packages of the project that have been read; `docent index` reads them
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(
    engine: &Engine,
    search: &Search,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let Search { first, words, all, common } = search;
    let waiting = Waiting::new();
    let style = console.style(common.max_tokens, &waiting);
    let answer = if *all {
        let words: Vec<&str> = std::iter::once(first).chain(words).map(String::as_str).collect();
        engine.search_project(&folders(common), &words.join(" "), &style).await?
    } else {
        let target = common.target(&Asked::new(first), engine)?;
        let answer = engine.search(std::slice::from_ref(&target), &words.join(" "), &style).await;
        answer.map_err(|error| common.explain(error, &target, engine))?
    };
    drop(waiting);
    console.answer(&answer)
}

/// The projects that `docent index` reads: all below the folder, else the one it is in.
fn folders(common: &Common) -> Vec<PathBuf> {
    let folder = common.folder();
    let below = project::projects(&project::below(&folder));
    let mut folders: Vec<PathBuf> = below.into_iter().map(|(folder, _)| folder).collect();
    folders.dedup();
    if folders.is_empty() { vec![folder] } else { folders }
}
