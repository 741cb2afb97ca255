//! `docent search`: words or symbols in a package.

use std::process::ExitCode;

use clap::Args;
use docent_packages::{Engine, Error, PackageRef};

use crate::arguments::Common;
use crate::print;

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

pub(crate) async fn run(engine: &Engine, search: &Search) -> Result<ExitCode, Error> {
    let Search { package, words, common } = search;
    let targets = [common.target(package.clone())];
    let answer = engine.search(&targets, &words.join(" "), &common.style()).await?;
    Ok(print::answer(&answer, common))
}
