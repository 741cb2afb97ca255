//! `docent diff`: what changed in the public API between two versions.

use std::process::ExitCode;

use clap::Args;
use docent_packages::{Engine, PackageRef, Target};

use crate::arguments::{Asked, Common};
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::progress::Waiting;

#[derive(Args)]
pub(crate) struct Diff {
    /// The package, such as `npm:zod`; for one of the project its name is enough
    pub(crate) package: Asked,
    /// The older version
    pub(crate) old: String,
    /// The newer version
    pub(crate) new: String,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(
    engine: &Engine,
    diff: &Diff,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let Diff { package, old, new, common } = diff;
    let target = common.target(package, engine)?;
    let at = |version: &str| Target {
        package: PackageRef::new(target.package.ecosystem, &target.package.name, Some(version)),
        ..target.clone()
    };
    let waiting = Waiting::new();
    let diff = engine.diff(&at(old), &at(new), &waiting.progress()).await;
    drop(waiting);
    let diff = diff.map_err(|error| common.explain(error, &target, engine))?;
    if console.json {
        console.value(&diff, "")?;
        return Ok(ExitCode::SUCCESS);
    }
    let max_tokens = common.max_tokens.unwrap_or(console.settings.max_tokens.value);
    console.answer(&diff.answer(max_tokens))
}
