//! The commands that answer a person at a terminal: `describe`, `search`, `diff`.

use std::process::ExitCode;

use docent_packages::{Answer, Engine, Error, PackageRef, Progress};
use serde::Serialize;

use crate::arguments::{Common, Describe, Diff, Search};

pub(crate) async fn describe(engine: &Engine, describe: &Describe) -> Result<ExitCode, Error> {
    let Describe { package, symbol, common } = describe;
    let target = common.target(package.clone());
    let answer = engine.describe(&target, symbol.as_deref(), &common.style()).await?;
    Ok(print_answer(&answer, common))
}

pub(crate) async fn search(engine: &Engine, search: &Search) -> Result<ExitCode, Error> {
    let Search { package, words, common } = search;
    let targets = [common.target(package.clone())];
    let answer = engine.search(&targets, &words.join(" "), &common.style()).await?;
    Ok(print_answer(&answer, common))
}

pub(crate) async fn diff(engine: &Engine, diff: &Diff) -> Result<ExitCode, Error> {
    let Diff { package, old, new, common } = diff;
    let at = |version: &str| {
        common.target(PackageRef::new(package.ecosystem, &package.name, Some(version)))
    };
    let diff = engine.diff(&at(old), &at(new), &Progress::default()).await?;
    print(&diff, &diff.text(common.max_tokens), common);
    Ok(ExitCode::SUCCESS)
}

/// What was asked for and is not there is told by the exit code too.
fn print_answer(answer: &Answer, common: &Common) -> ExitCode {
    print(answer, &answer.text, common);
    if answer.found { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

fn print(value: &impl Serialize, text: &str, common: &Common) {
    match serde_json::to_string_pretty(value) {
        Ok(json) if common.json => println!("{json}"),
        _ => println!("{}", text.trim_end()),
    }
}
