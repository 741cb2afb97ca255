//! `docent replay`: plays the client's part of a record to a server, and compares the answers.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::exit;
use crate::failure::Failure;
use crate::print::Console;

#[derive(Args)]
pub(crate) struct Replay {
    /// A record that `docent tap` has written
    pub(crate) record: PathBuf,
    /// How long an answer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) timeout: u64,
    /// The server's command line
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// One request of the record, and whether the answer is the same.
struct Compared {
    method: String,
    id: Value,
    recorded: Option<Value>,
    answer: Option<Value>,
}

pub(crate) async fn run(replay: &Replay, console: &Console) -> Result<ExitCode, Failure> {
    let text = std::fs::read_to_string(&replay.record)
        .map_err(|error| Failure::file("read", &replay.record, &error))?;
    let steps = steps(&text)?;
    let mut server = Server::start(&replay.command)?;
    let compared = server.play(steps, Duration::from_secs(replay.timeout)).await;
    server.end().await;
    let compared = compared?;
    let different = compared.iter().filter(|one| !one.is_same()).count();
    let rows: Vec<Value> = compared.iter().map(Compared::json).collect();
    let mut text: String = compared.iter().map(Compared::text).collect();
    text.push_str(&format!("{} requests, {different} answered differently\n", compared.len()));
    console.value(&rows, &text)?;
    Ok(if different > 0 { exit::findings() } else { ExitCode::SUCCESS })
}

/// What happened, in its order: only that says which answers the client waited for.
enum Step {
    Sent(Value),
    Answered(Value),
}

fn steps(text: &str) -> Result<VecDeque<Step>, Failure> {
    let mut steps = VecDeque::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let entry: Value = serde_json::from_str(line).map_err(|error| {
            Failure::new(format!("line {} of the record is damaged: {error}", number + 1))
        })?;
        let Some(message) = entry.get("message").cloned() else { continue };
        match entry.get("from").and_then(Value::as_str) {
            Some("client") => steps.push_back(Step::Sent(message)),
            _ if message.get("method").is_none() => steps.push_back(Step::Answered(message)),
            _ => {}
        }
    }
    Ok(steps)
}

impl Compared {
    /// What was not answered then, because the client left, cannot be answered differently.
    fn is_same(&self) -> bool {
        self.recorded.is_none() || self.answer == self.recorded
    }

    fn json(&self) -> Value {
        json!({
            "method": self.method, "id": self.id, "same": self.is_same(),
            "recorded": self.recorded, "answer": self.answer,
        })
    }

    fn text(&self) -> String {
        if self.is_same() {
            return format!("same       {} {}\n", self.method, self.id);
        }
        let shown = |value: &Option<Value>| {
            let text = value.as_ref().map_or("no answer".to_owned(), Value::to_string);
            let short: String = text.chars().take(400).collect();
            if short.len() < text.len() { format!("{short}…") } else { short }
        };
        format!(
            "different  {} {}\n  before: {}\n  now:    {}\n",
            self.method,
            self.id,
            shown(&self.recorded),
            shown(&self.answer)
        )
    }
}

/// A server that is being played to.
struct Server {
    process: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Server {
    fn start(command: &[String]) -> Result<Self, Failure> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| Failure::usage("no command"))?;
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| Failure::io(format_args!("`{program}` cannot be started"), &error))?;
        let input = process.stdin.take();
        let output = process.stdout.take().ok_or_else(|| Failure::new("no standard output"))?;
        Ok(Self { process, input, output: BufReader::new(output).lines() })
    }

    async fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let Some(input) = &mut self.input else { return Ok(()) };
        let line = format!("{message}\n");
        let written = input.write_all(line.as_bytes()).await;
        written.map_err(|error| Failure::io("the server does not read any more", &error))
    }

    /// The next message, if one comes in time.
    async fn receive(&mut self, patience: Duration) -> Option<Value> {
        loop {
            let line =
                tokio::time::timeout(patience, self.output.next_line()).await.ok()?.ok()??;
            if let Ok(message) = serde_json::from_str(&line) {
                return Some(message);
            }
        }
    }

    async fn play(
        &mut self,
        mut steps: VecDeque<Step>,
        patience: Duration,
    ) -> Result<Vec<Compared>, Failure> {
        let mut compared: Vec<Compared> = Vec::new();
        while let Some(step) = steps.pop_front() {
            match step {
                Step::Sent(message) => {
                    let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
                    // Answers to the server's own questions are given when it asks.
                    let Some(method) = method else { continue };
                    self.send(&message).await?;
                    if let Some(id) = message.get("id").cloned() {
                        compared.push(Compared { method, id, recorded: None, answer: None });
                    }
                }
                Step::Answered(message) => {
                    let is_it = |one: &&mut Compared| message.get("id") == Some(&one.id);
                    let Some(request) = compared.iter_mut().find(is_it) else { continue };
                    request.recorded = Some(outcome(&message));
                    let id = request.id.clone();
                    if !steps.iter().any(|step| matches!(step, Step::Sent(_))) {
                        // Some requests are only answered when the client leaves.
                        self.input = None;
                    }
                    self.wait_for(&id, &mut compared, &mut steps, patience).await?;
                }
            }
        }
        Ok(compared)
    }

    /// Takes answers until the one with this number is there, and answers what the server asks
    /// meanwhile as the client did then.
    async fn wait_for(
        &mut self,
        id: &Value,
        compared: &mut [Compared],
        steps: &mut VecDeque<Step>,
        patience: Duration,
    ) -> Result<(), Failure> {
        let is_there = |compared: &[Compared]| {
            compared.iter().any(|one| one.id == *id && one.answer.is_some())
        };
        while !is_there(compared) {
            let Some(message) = self.receive(patience).await else { break };
            if message.get("method").is_none() {
                let of = compared.iter_mut().find(|one| message.get("id") == Some(&one.id));
                if let Some(request) = of {
                    request.answer = Some(outcome(&message));
                }
                continue;
            }
            let Some(asked) = message.get("id") else { continue };
            let answers =
                |step: &Step| matches!(step, Step::Sent(one) if one.get("method").is_none());
            let next = steps.iter().position(answers);
            let mut reply = match next.and_then(|at| steps.remove(at)) {
                Some(Step::Sent(reply)) => reply,
                _ => json!({ "jsonrpc": "2.0", "error":
                    { "code": -32601, "message": "the record has no answer to this" } }),
            };
            reply["id"] = asked.clone();
            self.send(&reply).await?;
        }
        Ok(())
    }

    async fn end(&mut self) {
        self.input = None;
        if tokio::time::timeout(Duration::from_secs(2), self.process.wait()).await.is_err() {
            let _ = self.process.kill().await;
        }
    }
}

/// What a response says, without its number.
fn outcome(message: &Value) -> Value {
    message.get("result").or_else(|| message.get("error")).cloned().unwrap_or_default()
}
