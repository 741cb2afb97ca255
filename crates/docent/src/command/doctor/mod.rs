//! `docent doctor`: what Docent finds on this machine, what is wrong, and what to do.
//!
//! `checks` looks, one function for each section; this file runs them and shows what they found.

mod checks;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use docent_packages::{Engine, Environment};
use serde::Serialize;
use serde_json::json;

use crate::exit;
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::{Indent, Look, Span, count, line, plain, wrap};

#[derive(Args)]
pub(crate) struct Doctor {
    /// The project to look at; the working folder by default
    #[arg(value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

/// How something is.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Good,
    /// Neither good nor bad.
    Note,
    Wrong,
}

/// One thing that was looked at.
#[derive(Serialize)]
struct Finding {
    state: State,
    what: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Finding {
    fn good(what: impl Into<String>) -> Self {
        Self { state: State::Good, what: what.into(), advice: None }
    }

    fn note(what: impl Into<String>) -> Self {
        Self { state: State::Note, what: what.into(), advice: None }
    }

    fn wrong(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { state: State::Wrong, what: what.into(), advice: Some(advice.into()) }
    }

    fn failure(failure: &Failure) -> Self {
        let advice = failure.hints.first().cloned();
        Self { state: State::Wrong, what: failure.to_string(), advice }
    }
}

/// What was found in one respect.
#[derive(Serialize)]
struct Section {
    about: &'static str,
    findings: Vec<Finding>,
}

pub(crate) async fn run(
    doctor: &Doctor,
    console: &Console,
    environment: &Environment,
    engine: Result<Engine, Failure>,
    settings: Option<Failure>,
) -> Result<ExitCode, Failure> {
    let here = environment.directory().to_owned();
    let project = doctor.project.as_ref().map_or(here.clone(), |project| here.join(project));
    let project = project.canonicalize().unwrap_or(project);
    let mut sections = vec![
        Section { about: "Docent", findings: checks::program() },
        Section {
            about: "Settings",
            findings: checks::settings(console, environment, settings.as_ref()),
        },
    ];
    match &engine {
        Ok(engine) => {
            sections
                .push(Section { about: "Project", findings: checks::project(engine, &project) });
            let found = checks::registries(engine, environment, &project, console).await;
            sections.push(Section { about: "Registries", findings: found });
            sections.push(Section { about: "Cache", findings: checks::cache(engine, console) });
        }
        Err(failure) => {
            sections.push(Section { about: "Cache", findings: vec![Finding::failure(failure)] });
        }
    }
    sections.push(Section { about: "Clients", findings: checks::clients(environment) });
    let all = || sections.iter().flat_map(|section| &section.findings);
    let wrong = all().filter(|finding| finding.state == State::Wrong).count();
    let mut text: String = sections.iter().map(|section| shown(section, console)).collect();
    let end = match wrong {
        0 => Span::new("Nothing is wrong.", Look::Good),
        wrong => Span::new(format!("{} found.", count(wrong, "problem")), Look::Bad),
    };
    text.push_str(&line(&[end], &console.terminal));
    console.value(&json!({ "sections": sections, "problems": wrong }), &text)?;
    if let Ok(engine) = engine {
        crate::print::leave(engine);
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { exit::findings() })
}

fn shown(section: &Section, console: &Console) -> String {
    let terminal = &console.terminal;
    let mut out = line(&[Span::new(section.about, Look::Strong)], terminal);
    for finding in &section.findings {
        // The mark tells it without color, too.
        let (mark, look) = match finding.state {
            State::Good => ("  ✓ ", Look::Good),
            State::Note => ("  · ", Look::Dim),
            State::Wrong => ("  ✗ ", Look::Bad),
        };
        let indent = Indent { first: vec![Span::new(mark, look)], rest: vec![plain("    ")] };
        for spans in wrap(&[plain(&finding.what)], terminal.columns, &indent) {
            out.push_str(&line(&spans, terminal));
        }
        if let Some(advice) = &finding.advice {
            let indent = Indent {
                first: vec![Span::new("    → ", Look::Code)],
                rest: vec![plain("      ")],
            };
            for spans in wrap(&[plain(advice)], terminal.columns, &indent) {
                out.push_str(&line(&spans, terminal));
            }
        }
    }
    out.push('\n');
    out
}
