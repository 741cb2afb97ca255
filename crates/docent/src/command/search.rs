//! `docent search`: words or symbols in a package.

use std::process::ExitCode;

use clap::Args;
use docent_packages::Engine;

use crate::arguments::{Asked, Common};
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::progress::Waiting;

#[derive(Args)]
pub(crate) struct Search {
    /// The package, such as `npm:zod@4` or `pypi:requests`; for one of the project its name is enough
    pub(crate) package: Asked,
    /// What to look for
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(
    engine: &Engine,
    search: &Search,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let Search { package, words, common } = search;
    let target = common.target(package, engine)?;
    let waiting = Waiting::new();
    let style = console.style(common.max_tokens, &waiting);
    let answer = engine.search(std::slice::from_ref(&target), &words.join(" "), &style).await;
    drop(waiting);
    let answer = answer.map_err(|error| common.explain(error, &target, engine))?;
    console.answer(&answer)
}
