//! `docent answer`: answers what a server asked while there was no terminal, and goes on with the call.

use std::process::ExitCode;

use clap::Args;
use docent_mcp::schema::{SchemaLimits, Validator};
use docent_mcp::types::{ElicitAction, ElicitResult, JsonObject};
use serde_json::{Value, json};

use crate::client::later::{Files, Now, Question, follow, show};
use crate::client::values;
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::{Look, Span, line, plain};

#[derive(Args)]
pub(crate) struct Answer {
    /// The call, by the name that it was given; without one, all that wait
    pub(crate) token: Option<String>,
    /// The answer: `key=text`, `key:=json`, or `-` for an object on standard input
    pub(crate) fields: Vec<String>,
    /// Agree without filling in anything, or to a page that you have visited
    #[arg(long)]
    pub(crate) accept: bool,
    /// Say no
    #[arg(long, conflicts_with_all = ["accept", "fields"])]
    pub(crate) decline: bool,
    /// Leave the question alone: the server goes on without an answer, or gives up
    #[arg(long, conflicts_with_all = ["accept", "decline", "fields"])]
    pub(crate) dismiss: bool,
}

pub(crate) async fn run(answer: &Answer, console: &Console) -> Result<ExitCode, Failure> {
    let Some(token) = &answer.token else { return list(console) };
    let files = Files::of(token)?;
    let decided = answer.accept || answer.decline || answer.dismiss || !answer.fields.is_empty();
    let reply = match (files.now(), decided) {
        (Some(Now::Asks(question)), true) => Some(reply(answer, &question)?),
        (Some(Now::Asks(question)), false) => {
            return show(&files, &question, console).map(|()| ExitCode::SUCCESS);
        }
        (Some(_), true) => return Err(Failure::absent("nothing is asked at the moment")),
        _ => None,
    };
    follow(&files, reply, console).await
}

/// Everything that waits.
fn list(console: &Console) -> Result<ExitCode, Failure> {
    let waiting = Files::all().into_iter().filter_map(|files| Some((files.now()?, files)));
    let (mut rows, mut out) = (Vec::new(), String::new());
    for (now, files) in waiting {
        let (state, text) = match &now {
            Now::Running => ("running", String::new()),
            Now::Asks(question) => ("asks", format!("{}: {}", question.server, question.message)),
            Now::Done(_) => ("done", "its result was not seen yet".to_owned()),
        };
        rows.push(json!({ "token": files.token(), "state": state, "text": text }));
        let token = Span::new(files.token(), Look::Code);
        let spans =
            [token, plain("  "), Span::new(state, Look::Strong), plain(format!("  {text}"))];
        out.push_str(&line(&spans, &console.terminal));
    }
    console.value(&rows, if out.is_empty() { "nothing waits for an answer\n" } else { &out })?;
    Ok(ExitCode::SUCCESS)
}

/// The user's decision, which must fit what is asked.
fn reply(answer: &Answer, question: &Question) -> Result<ElicitResult, Failure> {
    let decided = |action| ElicitResult { action, ..ElicitResult::default() };
    if answer.decline || answer.dismiss {
        let action = if answer.decline { ElicitAction::Decline } else { ElicitAction::Cancel };
        return Ok(decided(action));
    }
    let Some(form) = &question.form else {
        return match answer.fields.is_empty() {
            true => Ok(decided(ElicitAction::Accept)),
            false => {
                Err(Failure::usage("there is nothing to fill in: visit the page, then --accept"))
            }
        };
    };
    let content = values::arguments(&answer.fields, form)?;
    check(&content, form)?;
    Ok(ElicitResult { content: Some(content), ..decided(ElicitAction::Accept) })
}

/// Says what is wrong here, where it can still be put right.
fn check(content: &JsonObject, form: &Value) -> Result<(), Failure> {
    let Ok(validator) = Validator::with_formats(form, &SchemaLimits::default()) else {
        // The form itself is not understood; the connection refuses it with a reason.
        return Ok(());
    };
    // A field with a default need not be there.
    let mut filled = content.clone();
    docent_mcp::schema::fill_defaults(form, &mut filled);
    validator.check(&Value::Object(filled)).map_err(|violations| {
        let problems: Vec<String> = violations.iter().map(ToString::to_string).collect();
        Failure::usage(format!("the answer does not fit: {}", problems.join("; ")))
    })
}
