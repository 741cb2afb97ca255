//! `docent check`: whether code uses what the installed versions of its packages have.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use docent_packages::{Checked, CodeToCheck, Engine, Language};

use crate::exit;
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::progress::Waiting;
use crate::terminal::{Indent, Look, Span, Terminal, inline, line, plain, wrap};

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
}

pub(crate) async fn run(
    engine: &Engine,
    check: &Check,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let mut all = Checked::default();
    let waiting = Waiting::new();
    for file in &check.files {
        let code = read(file, check.language.as_deref())?;
        let beside = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let project = check.project.as_deref().or(beside);
        all.merge(engine.check(&code, project, &waiting.progress()).await?);
    }
    drop(waiting);
    let text = if console.terminal.layout { shown(&all, &console.terminal) } else { all.text() };
    console.value(&all, &text)?;
    Ok(if all.findings.is_empty() { ExitCode::SUCCESS } else { exit::findings() })
}

/// The findings for a person: places stand out, declarations step back, and nothing is wider than the
/// terminal.
fn shown(all: &Checked, terminal: &Terminal) -> String {
    let mut text = String::new();
    let mut put = |spans: &[Span], first: usize, rest: usize| {
        let blank = |width: usize| vec![plain(" ".repeat(width))];
        let indent = Indent { first: blank(first), rest: blank(rest) };
        for spans in wrap(spans, terminal.columns, &indent) {
            text.push_str(&line(&spans, terminal));
        }
    };
    for finding in &all.findings {
        let place = &finding.position;
        let place = format!("{}:{}:{}: ", place.file, place.line, place.column);
        let mut spans = vec![Span::new(place, Look::Strong)];
        spans.extend(inline::spans(&finding.message, Look::Plain));
        put(&spans, 0, 4);
        for suggestion in &finding.suggestions {
            put(&inline::spans(&suggestion.question(), Look::Plain), 4, 6);
            if let Some(signature) = &suggestion.signature {
                put(&[Span::new(signature, Look::Dim)], 8, 10);
            }
        }
        put(&[], 0, 0);
    }
    let look = if all.findings.is_empty() { Look::Good } else { Look::Bad };
    for (number, summary) in all.summary().lines().enumerate() {
        let look = if number == 0 { look } else { Look::Plain };
        put(&[Span::new(summary, look)], 0, 4);
    }
    text
}

fn read(file: &Path, language: Option<&str>) -> Result<CodeToCheck, Failure> {
    let shown = file.display().to_string();
    let language = match language {
        Some(word) => Language::named(word),
        None => Language::of_file(&shown),
    };
    let language = language.ok_or_else(|| {
        Failure::usage(format!("`{shown}` is in no language that can be checked"))
            .hint("name its language with `--language`: ts, tsx, js, python, rust, go or swift")
    })?;
    let text =
        std::fs::read_to_string(file).map_err(|error| Failure::file("read", file, &error))?;
    Ok(CodeToCheck { text, language, file: shown })
}
