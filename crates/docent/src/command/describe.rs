//! `docent describe`: a package, or one symbol of it.

use std::process::ExitCode;

use clap::Args;
use docent_packages::Engine;

use crate::arguments::{Asked, Common};
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::progress::Waiting;

#[derive(Args)]
pub(crate) struct Describe {
    /// The package, such as `npm:zod@4` or `pypi:requests`; for one of the project its name is enough
    pub(crate) package: Asked,
    /// The symbol, such as `ZodString.email`
    pub(crate) symbol: Option<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(
    engine: &Engine,
    describe: &Describe,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let Describe { package, symbol, common } = describe;
    let target = common.target(package, engine)?;
    let waiting = Waiting::new();
    let style = console.style(common.max_tokens, &waiting);
    let answer = engine.describe(&target, symbol.as_deref(), &style).await;
    drop(waiting);
    let answer = answer.map_err(|error| common.explain(error, &target, engine))?;
    console.answer(&answer)
}
