//! `docent diff`: what changed in the public API between two versions.

use std::process::ExitCode;

use clap::Args;
use docent_packages::{Engine, Error, PackageRef, Progress};

use crate::arguments::Common;
use crate::print;

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

pub(crate) async fn run(engine: &Engine, diff: &Diff) -> Result<ExitCode, Error> {
    let Diff { package, old, new, common } = diff;
    let at = |version: &str| {
        common.target(PackageRef::new(package.ecosystem, &package.name, Some(version)))
    };
    let diff = engine.diff(&at(old), &at(new), &Progress::default()).await?;
    print::value(&diff, &diff.answer(common.max_tokens).text, common);
    Ok(ExitCode::SUCCESS)
}
