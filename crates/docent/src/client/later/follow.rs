//! The side that looks: starts a call that is kept, brings answers to it, and tells what became of it.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitCode};
use std::time::Duration;

use docent_mcp::types::ElicitResult;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

use super::files::{Files, Now, Question};
use super::keeper::Said;
use crate::exit;
use crate::failure::Failure;
use crate::print::Console;
use crate::terminal::{Look, Span, line, plain};

/// Between two attempts to reach a process that has only just started.
const PAUSE: Duration = Duration::from_millis(1);

/// Starts this command once more, as the process that stays, and waits for what becomes of it.
pub(super) async fn start(console: &Console) -> Result<ExitCode, Failure> {
    let files = Files::new()?;
    let mut child = spawn(&files).inspect_err(|_| files.remove())?;
    let stream = loop {
        if let Ok(stream) = UnixStream::connect(files.path("socket")).await {
            break Some(stream);
        }
        // It may be over before anybody could look.
        let ended = child.try_wait().map_err(|error| Failure::io("the call is lost", &error))?;
        if ended.is_some() {
            break None;
        }
        tokio::time::sleep(PAUSE).await;
    };
    if let Some(stream) = stream {
        wait(stream, None).await?;
    }
    outcome(&files, console)
}

/// The process that stays: nobody waits for it, and no key that is pressed here reaches it.
fn spawn(files: &Files) -> Result<Child, Failure> {
    let failed = |error: std::io::Error| Failure::io("the call cannot be started", &error);
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(["--kept", files.token()]).args(std::env::args_os().skip(1)).process_group(0);
    command.stdout(files.create("out").map_err(failed)?);
    command.stderr(files.create("err").map_err(failed)?);
    command.spawn().map_err(failed)
}

/// Brings an answer, if there is one, and waits for what becomes of the call.
pub(crate) async fn follow(
    files: &Files,
    answer: Option<ElicitResult>,
    console: &Console,
) -> Result<ExitCode, Failure> {
    if !matches!(files.now(), Some(Now::Done(_))) {
        match UnixStream::connect(files.path("socket")).await {
            Ok(stream) => wait(stream, answer).await?,
            // It may have ended in between.
            Err(_) if matches!(files.now(), Some(Now::Done(_))) => {}
            Err(_) => {
                files.remove();
                return Err(Failure::absent(
                    "the call is gone: the process that kept it has ended",
                ));
            }
        }
    }
    outcome(files, console)
}

/// Says what there is to say, and waits until there is something new.
async fn wait(mut stream: UnixStream, answer: Option<ElicitResult>) -> Result<(), Failure> {
    let lost = |error: std::io::Error| Failure::io("the call cannot be reached", &error);
    let said = serde_json::to_string(&Said { answer }).expect("a wire type is representable");
    stream.write_all(format!("{said}\n").as_bytes()).await.map_err(lost)?;
    let mut refusal = String::new();
    // A process that was killed ends the connection too; the file tells.
    let _ = stream.read_to_string(&mut refusal).await;
    match refusal.trim() {
        "" => Ok(()),
        refusal => Err(Failure::absent(refusal)),
    }
}

/// Tells how it stands with a call, and ends as it did.
fn outcome(files: &Files, console: &Console) -> Result<ExitCode, Failure> {
    match files.now() {
        Some(Now::Asks(question)) => {
            show(files, &question, console)?;
            Ok(exit::asked())
        }
        Some(Now::Done(status)) => {
            let mut error = std::io::stderr().lock();
            let _ = error.write_all(&files.printed("err"));
            let out = files.printed("out");
            files.remove();
            let mut output = std::io::stdout().lock();
            let written = output.write_all(&out).and_then(|()| output.flush());
            written.map_err(|error| Failure::io("the answer could not be written", &error))?;
            Ok(ExitCode::from(status))
        }
        Some(Now::Running) | None => {
            let complaint = String::from_utf8_lossy(&files.printed("err")).trim().to_owned();
            files.remove();
            let failure = Failure::new("the process that made the call has ended");
            Err(if complaint.is_empty() { failure } else { failure.hint(complaint) })
        }
    }
}

/// Shows a question and how to answer it: on standard output as JSON, else beside the answer that is
/// still to come.
pub(crate) fn show(files: &Files, question: &Question, console: &Console) -> Result<(), Failure> {
    let token = files.token();
    if console.json {
        let mut value = serde_json::to_value(question).expect("plain data is representable");
        value["token"] = json!(token);
        return console.value(&json!({ "asks": value }), "");
    }
    let head =
        [Span::new(&question.server, Look::Strong), plain(" asks: "), plain(&question.message)];
    let mut out = line(&head, &console.beside);
    let mut example = String::new();
    if let Some(url) = &question.url {
        out += &line(&[plain("  "), Span::new(url, Look::Link)], &console.beside);
        example.push_str(" --accept");
    }
    for (name, field) in fields(question) {
        let about = crate::client::questions::about(&name, &field, question.form.as_ref());
        out += &line(&[plain("  "), Span::new(&name, Look::Code), plain(about)], &console.beside);
        example += &format!(" {name}=…");
    }
    if example.is_empty() {
        // There is nothing to fill in, only to agree to.
        example.push_str(" --accept");
    }
    for way in [example.as_str(), " --decline"] {
        let command = Span::new(format!("docent answer {token}{way}"), Look::Code);
        out += &line(&[plain("answer: "), command], &console.beside);
    }
    eprint!("{out}");
    Ok(())
}

/// The fields of a form.
fn fields(question: &Question) -> Vec<(String, Value)> {
    let properties = question.form.as_ref().and_then(|form| form.get("properties")?.as_object());
    let pairs = properties.into_iter().flatten();
    pairs.map(|(name, field)| (name.clone(), field.clone())).collect()
}
