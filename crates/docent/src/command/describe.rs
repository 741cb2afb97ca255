//! `docent describe`: a package, or one symbol of it.

use std::process::ExitCode;

use clap::Args;
use docent_packages::{Engine, Error, PackageRef};

use crate::arguments::Common;
use crate::print;

#[derive(Args)]
pub(crate) struct Describe {
    /// The package, such as `npm:zod@4` or `pypi:requests`
    pub(crate) package: PackageRef,
    /// The symbol, such as `ZodString.email`
    pub(crate) symbol: Option<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(engine: &Engine, describe: &Describe) -> Result<ExitCode, Error> {
    let Describe { package, symbol, common } = describe;
    let target = common.target(package.clone());
    let answer = engine.describe(&target, symbol.as_deref(), &common.style()).await?;
    Ok(print::answer(&answer, common))
}
