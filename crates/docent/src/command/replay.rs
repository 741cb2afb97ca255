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
    let (sent, answers) = parts(&text)?;
    let mut server = Server::start(&replay.command)?;
    let compared = server.play(sent, &answers, Duration::from_secs(replay.timeout)).await;
    server.end().await;
    let compared = compared?;
    let different = compared.iter().filter(|one| one.answer != one.recorded).count();
    let rows: Vec<Value> = compared.iter().map(Compared::json).collect();
    let mut text: String = compared.iter().map(Compared::text).collect();
    text.push_str(&format!("{} requests, {different} answered differently\n", compared.len()));
    console.value(&rows, &text)?;
    Ok(if different > 0 { exit::findings() } else { ExitCode::SUCCESS })
}

/// What the client sent, and what the server answered.
fn parts(text: &str) -> Result<(VecDeque<Value>, Vec<Value>), Failure> {
    let (mut sent, mut answers) = (VecDeque::new(), Vec::new());
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let entry: Value = serde_json::from_str(line).map_err(|error| {
            Failure::new(format!("line {} of the record is damaged: {error}", number + 1))
        })?;
        let Some(message) = entry.get("message").cloned() else { continue };
        match entry.get("from").and_then(Value::as_str) {
            Some("client") => sent.push_back(message),
            _ if message.get("method").is_none() => answers.push(message),
            _ => {}
        }
    }
    Ok((sent, answers))
}

impl Compared {
    fn is_same(&self) -> bool {
        self.answer == self.recorded
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
        mut sent: VecDeque<Value>,
        answers: &[Value],
        patience: Duration,
    ) -> Result<Vec<Compared>, Failure> {
        let mut compared = Vec::new();
        while let Some(message) = sent.pop_front() {
            let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
            let id = message.get("id").cloned();
            // Answers to the server's own questions are given when it asks.
            let Some(method) = method else { continue };
            self.send(&message).await?;
            let Some(id) = id else { continue };
            let answer = self.answer_to(&id, &mut sent, patience).await?;
            let of_id = |one: &&Value| one.get("id") == Some(&id);
            let recorded = answers.iter().find(of_id).map(outcome);
            compared.push(Compared {
                method,
                id,
                recorded,
                answer: answer.map(|one| outcome(&one)),
            });
        }
        Ok(compared)
    }

    /// Waits for the answer to a request, and answers what the server asks meanwhile as the client
    /// did then.
    async fn answer_to(
        &mut self,
        id: &Value,
        sent: &mut VecDeque<Value>,
        patience: Duration,
    ) -> Result<Option<Value>, Failure> {
        while let Some(message) = self.receive(patience).await {
            let is_answer = message.get("method").is_none();
            if is_answer && message.get("id") == Some(id) {
                return Ok(Some(message));
            }
            let Some(asked) = message.get("id").filter(|_| !is_answer) else { continue };
            let next = sent.iter().position(|one| one.get("method").is_none());
            let mut reply = match next.and_then(|at| sent.remove(at)) {
                Some(reply) => reply,
                None => json!({ "jsonrpc": "2.0", "error":
                    { "code": -32601, "message": "the record has no answer to this" } }),
            };
            reply["id"] = asked.clone();
            self.send(&reply).await?;
        }
        Ok(None)
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
