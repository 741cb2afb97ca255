//! Answers on standard output, for people or as JSON.

use std::process::ExitCode;

use docent_packages::Answer;
use serde::Serialize;

use crate::arguments::Common;

/// What was asked for and is not there is told by the exit code too.
pub(crate) fn answer(answer: &Answer, common: &Common) -> ExitCode {
    value(answer, &answer.text, common);
    if answer.found { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

pub(crate) fn value(value: &impl Serialize, text: &str, common: &Common) {
    match serde_json::to_string_pretty(value) {
        Ok(json) if common.json => println!("{json}"),
        _ => println!("{}", text.trim_end()),
    }
}
