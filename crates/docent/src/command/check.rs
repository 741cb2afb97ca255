//! `docent check`: whether code uses what the installed versions of its packages have.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use docent_packages::{Checked, CodeToCheck, Engine, Error, Language, Progress};

use crate::print;

#[derive(Args)]
pub(crate) struct Check {
    /// The files to check
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The language, such as `ts` or `python`; by the names of the files by default
    #[arg(long, value_name = "NAME")]
    pub(crate) language: Option<String>,
    /// The project whose packages count; the folder of each file by default
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Print the outcome as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Ends with 2 if something was found, and with 1 if a file could not be checked.
pub(crate) async fn run(engine: &Engine, check: &Check) -> Result<ExitCode, Error> {
    let mut all = Checked::default();
    let mut failed = false;
    for file in &check.files {
        let code = match read(file, check.language.as_deref()) {
            Ok(code) => code,
            Err(message) => {
                eprintln!("error: {message}");
                failed = true;
                continue;
            }
        };
        let beside = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let project = check.project.as_deref().or(beside);
        all.merge(engine.check(&code, project, &Progress::default()).await?);
    }
    print::value(&all, &all.text(), check.json);
    Ok(match (failed, all.findings.is_empty()) {
        (true, _) => ExitCode::FAILURE,
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(2),
    })
}

fn read(file: &Path, language: Option<&str>) -> Result<CodeToCheck, String> {
    let shown = file.display().to_string();
    let language = match language {
        Some(word) => Language::named(word),
        None => Language::of_file(&shown),
    };
    let language = language.ok_or_else(|| {
        format!("{shown}: not a language that can be checked; `--language` takes another name")
    })?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{shown}: {error}"))?;
    Ok(CodeToCheck { text, language, file: shown })
}
