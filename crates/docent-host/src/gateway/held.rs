//! Calls that wait for their client to come back with answers.
//!
//! A server of a legacy era asks while it works on a call, and a client of 2026-07-28 can only be
//! asked by an answer to its request. So the call stays open here, under a name that nobody can
//! guess; the client carries that name, sealed, and brings it back with the answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use docent_mcp::jsonrpc::ErrorObject;
use docent_mcp::types::{InputRequests, InputResponses};
use ring::rand::{SecureRandom, SystemRandom};

use super::running::Running;
use super::seat::Question;

/// Every call that is held.
pub(super) struct Held {
    calls: Arc<Mutex<HashMap<String, HeldCall>>>,
    max: usize,
    patience: Duration,
}

/// A call that waits.
pub(super) struct HeldCall {
    pub(super) running: Running,
    questions: BTreeMap<String, Question>,
    /// How often it asked so far.
    pub(super) round: u32,
}

impl HeldCall {
    pub(super) fn new(running: Running, questions: Vec<Question>, round: u32) -> Self {
        let keyed = questions.into_iter().enumerate();
        let questions =
            keyed.map(|(n, question)| (format!("{round}-{}", n + 1), question)).collect();
        HeldCall { running, questions, round }
    }

    /// What is asked, as the client gets it.
    pub(super) fn asked(&self) -> InputRequests {
        let pairs = self.questions.iter();
        pairs.map(|(key, question)| (key.clone(), (*question.request).clone())).collect()
    }

    /// Hands the answers to the server. Returns the questions that are still open.
    pub(super) fn answer(&mut self, mut answers: InputResponses) -> bool {
        let questions = std::mem::take(&mut self.questions);
        for (key, question) in questions {
            match answers.remove(&key) {
                Some(answer) => drop(question.answer.send(Ok(answer))),
                // The server may have lost interest meanwhile.
                None if question.answer.is_closed() => {}
                None => drop(self.questions.insert(key, question)),
            }
        }
        !self.questions.is_empty()
    }
}

impl Held {
    pub(super) fn new(max: usize, patience: Duration) -> Self {
        Held { calls: Arc::default(), max, patience }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<String, HeldCall>> {
        self.calls.lock().expect("no panic while locked")
    }

    /// Holds a call for a while. Returns its name.
    pub(super) fn hold(&self, call: HeldCall) -> Result<String, ErrorObject> {
        let name = unguessable();
        {
            let mut calls = self.calls();
            if calls.len() >= self.max {
                let message = "too many calls wait for answers already: try again later";
                return Err(ErrorObject::internal(message));
            }
            calls.insert(name.clone(), call);
        }
        let (calls, forgotten, patience) =
            (Arc::downgrade(&self.calls), name.clone(), self.patience);
        tokio::spawn(async move {
            tokio::time::sleep(patience).await;
            if let Some(calls) = calls.upgrade() {
                let call = calls.lock().expect("no panic while locked").remove(&forgotten);
                // Dropped without the lock: that takes the request back.
                drop(call);
            }
        });
        Ok(name)
    }

    /// Takes a call up again.
    pub(super) fn take(&self, name: &str) -> Result<HeldCall, ErrorObject> {
        self.calls().remove(name).ok_or_else(|| {
            ErrorObject::invalid_params(
                "the call behind `requestState` is over, or was taken up already: start again",
            )
        })
    }
}

fn unguessable() -> String {
    let mut bytes = [0_u8; 16];
    SystemRandom::new().fill(&mut bytes).expect("the system gives random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
