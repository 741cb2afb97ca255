//! A server that a session is played to.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use docent_mcp::transport::child::{Input, Output, Piped, Process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};

use super::sessions::Step;
use super::{Compared, STATE};
use crate::command::tap;
use crate::failure::Failure;

pub(super) struct Server {
    process: Process,
    input: Option<Input>,
    output: Lines<BufReader<Output>>,
    /// What this server sealed, by what the other one did: the client brings back the latter.
    states: HashMap<String, Value>,
}

impl Server {
    pub(super) fn start(command: &[String]) -> Result<Self, Failure> {
        let Piped { input, output, process, .. } = tap::start(command)?;
        let output = BufReader::new(output).lines();
        Ok(Self { process, input: Some(input), output, states: HashMap::new() })
    }

    async fn send(&mut self, message: &Value) {
        let mut message = message.clone();
        if let Some(state) = message.pointer_mut("/params/requestState")
            && let Some(ours) = state.as_str().and_then(|state| self.states.get(state))
        {
            *state = ours.clone();
        }
        if let Some(input) = &mut self.input {
            // A server that does not read any more does not answer either, which is told then.
            let _ = input.write_all(format!("{message}\n").as_bytes()).await;
        }
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

    pub(super) async fn play(
        &mut self,
        mut steps: VecDeque<Step>,
        patience: Duration,
    ) -> Vec<Compared> {
        let mut compared: Vec<Compared> = Vec::new();
        while let Some(step) = steps.pop_front() {
            match step {
                Step::Sent(message) => {
                    let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
                    // Answers to the server's own questions are given when it asks.
                    let Some(method) = method else { continue };
                    self.send(&message).await;
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
                        self.leave().await;
                    }
                    self.wait_for(&id, &mut compared, &mut steps, patience).await;
                    self.note_state(&id, &compared);
                }
            }
        }
        compared
    }

    /// Takes answers until the one with this number is there, and answers what the server asks
    /// meanwhile as the client did then.
    async fn wait_for(
        &mut self,
        id: &Value,
        compared: &mut [Compared],
        steps: &mut VecDeque<Step>,
        patience: Duration,
    ) {
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
            self.send(&reply).await;
        }
    }

    /// Remembers what a server gave the client to bring back, if both did.
    fn note_state(&mut self, id: &Value, compared: &[Compared]) {
        let Some(request) = compared.iter().find(|one| one.id == *id) else { return };
        let state = |answer: &Option<Value>| answer.as_ref()?.get(STATE).cloned();
        if let (Some(Value::String(theirs)), Some(ours)) =
            (state(&request.recorded), state(&request.answer))
        {
            self.states.insert(theirs, ours);
        }
    }

    /// Says that nothing more comes.
    async fn leave(&mut self) {
        if let Some(mut input) = self.input.take() {
            let _ = input.shutdown().await;
        }
    }

    pub(super) async fn end(&self) {
        self.process.end().await;
    }
}

/// What a response says, without its number.
fn outcome(message: &Value) -> Value {
    message.get("result").or_else(|| message.get("error")).cloned().unwrap_or_default()
}
