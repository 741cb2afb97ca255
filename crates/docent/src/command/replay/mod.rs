//! `docent replay`: plays the client's part of a record to a server, and compares the answers.
//!
//! `sessions` takes the record apart; each session is played to a server of its own (`server`), as
//! it was then.

mod server;
mod sessions;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use self::server::Server;
use self::sessions::sessions;
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
    let sessions = sessions(&text)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    let (mut different, mut unknown) = (0, 0);
    let several = sessions.len() > 1;
    for (number, session) in (1..).zip(sessions) {
        let mut server = Server::start(&replay.command)?;
        let compared = server.play(session.steps, Duration::from_secs(replay.timeout)).await;
        server.end().await;
        if several {
            text.push_str(&format!("session {number}\n"));
        }
        for one in &compared {
            different += usize::from(one.is_same() == Some(false));
            unknown += usize::from(one.is_same().is_none());
            rows.push(one.json(number));
            text.push_str(&one.text());
        }
    }
    text.push_str(&format!("{} requests, {different} answered differently", rows.len()));
    if unknown > 0 {
        text.push_str(&format!(", {unknown} not compared"));
    }
    text.push('\n');
    console.value(&rows, &text)?;
    Ok(if different > 0 { exit::findings() } else { ExitCode::SUCCESS })
}

impl Compared {
    /// Nothing if it was not answered then, because the client left or took it back.
    fn is_same(&self) -> Option<bool> {
        let recorded = self.recorded.as_ref()?;
        Some(self.answer.as_ref().map(unsealed) == Some(unsealed(recorded)))
    }

    fn json(&self, session: usize) -> Value {
        json!({
            "session": session, "method": self.method, "id": self.id, "same": self.is_same(),
            "recorded": self.recorded, "answer": self.answer,
        })
    }

    fn text(&self) -> String {
        match self.is_same() {
            Some(true) => return format!("same       {} {}\n", self.method, self.id),
            None => {
                return format!("unknown    {} {}: no answer is recorded\n", self.method, self.id);
            }
            Some(false) => {}
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

/// Where a server puts what the client is to bring back to it. It is sealed anew each time, so that
/// only whether it is there can be compared.
const STATE: &str = "requestState";

fn unsealed(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(state) = answer.get_mut(STATE) {
        *state = Value::Bool(true);
    }
    answer
}
