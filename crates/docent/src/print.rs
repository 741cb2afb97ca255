//! Answers on standard output, for people or as JSON.

use std::process::ExitCode;

use docent_packages::Answer;
use serde::Serialize;

use crate::arguments::Common;

/// What was asked for and is not there is told by the exit code too.
pub(crate) fn answer(answer: &Answer, common: &Common) -> ExitCode {
    value(answer, &answer.text, common.json);
    if answer.found { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

pub(crate) fn value(value: &impl Serialize, text: &str, as_json: bool) {
    match serde_json::to_string_pretty(value) {
        Ok(json) if as_json => println!("{json}"),
        _ => println!("{}", text.trim_end()),
    }
}
