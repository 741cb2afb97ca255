//! One task: how far it has come, what it asks, what it came to.
//!
//! A task is changed by the handler that runs in it, by a client that answers or cancels, and by
//! its time running out. Whoever ends it first has ended it: a terminal status is final.

mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::super::broker::Broker;
use super::super::session::ServerSession;
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::ErrorObject;
use crate::session::{Cancel, Signal};
use crate::types::{CallToolResult, InputRequest, Revision, TaskStatus, timestamp};

/// What a task came to: the result of the request that it stands for, or the error.
pub(crate) type Outcome = Result<CallToolResult, ErrorObject>;

pub(crate) struct TaskEntry {
    pub(super) id: String,
    pub(super) principal: Option<Arc<str>>,
    /// The session that began it; without a principal, only there is it listed.
    pub(super) session: Weak<ServerSession>,
    pub(super) revision: Revision,
    pub(super) expires: Instant,
    pub(super) cancel: Cancel,
    created_at: String,
    ttl: Duration,
    poll_interval: Duration,
    result_bytes_max: usize,
    broker: Arc<Broker>,
    state: Mutex<State>,
    changed: Signal,
    /// Held while listeners are told, so that news of one task stay in order.
    telling: Mutex<()>,
}

/// What a new task is made of.
pub(super) struct NewTask {
    pub(super) id: String,
    pub(super) principal: Option<Arc<str>>,
    pub(super) session: Weak<ServerSession>,
    pub(super) revision: Revision,
    pub(super) cancel: Cancel,
    pub(super) ttl: Duration,
    pub(super) poll_interval: Duration,
    pub(super) result_bytes_max: usize,
    pub(super) broker: Arc<Broker>,
}

struct State {
    status: TaskStatus,
    message: Option<String>,
    updated_at: String,
    questions: BTreeMap<String, Question>,
    /// Every key that was ever used: none is used again.
    keys: BTreeSet<String>,
    outcome: Option<Outcome>,
}

struct Question {
    request: InputRequest,
    answer: oneshot::Sender<Result<Value>>,
    /// Somebody is putting it to the client right now (2025-11-25).
    put: bool,
}

impl State {
    /// Goes on to another status, if that is a step a task can take.
    fn enter(&mut self, next: TaskStatus) -> bool {
        let may = self.status.may_become(next);
        if may {
            self.status = next;
            self.updated_at = timestamp(SystemTime::now());
        }
        may
    }

    fn end(&mut self, status: TaskStatus, message: Option<String>) -> bool {
        let ended = self.enter(status);
        if ended {
            self.questions.clear();
            self.message = message.or(self.message.take());
        }
        ended
    }
}

impl TaskEntry {
    pub(super) fn new(new: NewTask) -> Self {
        let NewTask { id, principal, session, revision, cancel, ttl, poll_interval, .. } = new;
        let created_at = timestamp(SystemTime::now());
        TaskEntry {
            id,
            principal,
            session,
            revision,
            cancel,
            ttl,
            poll_interval,
            expires: Instant::now() + ttl,
            result_bytes_max: new.result_bytes_max,
            broker: new.broker,
            state: Mutex::new(State {
                status: TaskStatus::Working,
                message: None,
                updated_at: created_at.clone(),
                questions: BTreeMap::new(),
                keys: BTreeSet::new(),
                outcome: None,
            }),
            created_at,
            changed: Signal::default(),
            telling: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    /// Says what is happening, for people. Seen by whoever asks; nobody is told.
    pub(super) fn set_message(&self, message: String) {
        let mut state = self.state();
        if !state.status.is_terminal() {
            state.message = Some(message);
            state.updated_at = timestamp(SystemTime::now());
        }
    }

    /// Ends the task with what its request came to. Too late if it has ended.
    pub(super) fn finish(&self, outcome: Outcome) {
        let outcome = self.bounded(outcome);
        let (status, message) = match &outcome {
            Err(error) => (TaskStatus::Failed, Some(error.message.clone())),
            // 2025-11-25 calls it a failure when a tool says that it failed.
            Ok(result) if result.is_error == Some(true) && !self.revision.is_modern() => {
                (TaskStatus::Failed, None)
            }
            Ok(_) => (TaskStatus::Completed, None),
        };
        let mut state = self.state();
        if state.end(status, message) {
            state.outcome = Some(outcome);
        }
        drop(state);
        self.tell();
    }

    fn bounded(&self, outcome: Outcome) -> Outcome {
        let max = self.result_bytes_max;
        let length =
            outcome.as_ref().map_or(Ok(0), |result| serde_json::to_vec(result).map(|v| v.len()));
        match length {
            Ok(length) if length <= max => outcome,
            _ => Err(ErrorObject::internal(format!(
                "the result has more than {max} bytes, which is the limit for tasks"
            ))),
        }
    }

    /// Stops the task. Returns whether it was not over yet.
    pub(super) fn stop(&self, reason: &str) -> bool {
        let stopped = self.state().end(TaskStatus::Cancelled, Some(reason.to_owned()));
        if stopped {
            self.cancel.cancel(Some(reason.to_owned()));
            self.tell();
        }
        stopped
    }

    /// Asks the client, and waits for the answer.
    pub(crate) async fn ask(&self, name: Option<&str>, question: &InputRequest) -> Result<Value> {
        let (answer, answered) = oneshot::channel();
        let key = {
            let mut state = self.state();
            if state.status.is_terminal() {
                return Err(ended());
            }
            let key = unused_key(&state.keys, name, question);
            state.keys.insert(key.clone());
            let question = Question { request: question.clone(), answer, put: false };
            state.questions.insert(key.clone(), question);
            state.enter(TaskStatus::InputRequired);
            key
        };
        let _open = OpenQuestion { task: self, key };
        self.tell();
        answered.await.unwrap_or_else(|_| Err(ended()))
    }

    /// Takes an answer. One to a question that is not open is ignored.
    pub(super) fn answer(&self, key: &str, answer: Result<Value>) {
        let Some(question) = self.close(key) else { return };
        let _ = question.answer.send(answer);
    }

    /// Takes a question out; when it was the last one, the task is back at work.
    fn close(&self, key: &str) -> Option<Question> {
        let mut state = self.state();
        let question = state.questions.remove(key)?;
        if state.questions.is_empty() {
            state.enter(TaskStatus::Working);
        }
        drop(state);
        self.tell();
        Some(question)
    }

    /// A question that nobody puts to the client yet; the caller will.
    pub(super) fn question_to_put(self: &Arc<Self>) -> Option<(InputRequest, PutQuestion)> {
        let mut state = self.state();
        let (key, question) = state.questions.iter_mut().find(|(_, question)| !question.put)?;
        question.put = true;
        let put = PutQuestion { task: self.clone(), key: key.clone() };
        Some((question.request.clone(), put))
    }

    pub(super) fn status(&self) -> TaskStatus {
        self.state().status
    }

    /// Waits until `found` finds something, looking again after every change.
    pub(super) async fn until_some<T>(&self, found: impl FnMut() -> Option<T>) -> T {
        self.changed.until_some(found).await
    }

    /// What it came to, if it did; a task that was stopped came to nothing.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let state = self.state();
        match &state.outcome {
            None if state.status.is_terminal() => Some(Err(ErrorObject::invalid_params(
                state.message.clone().unwrap_or_else(|| "the task was cancelled".to_owned()),
            ))),
            outcome => outcome.clone(),
        }
    }
}

/// A question that waits for its answer. It goes with the handler that asked it.
struct OpenQuestion<'a> {
    task: &'a TaskEntry,
    key: String,
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.task.close(&self.key);
    }
}

/// A question that somebody puts to the client. If they give up, somebody else may.
pub(super) struct PutQuestion {
    task: Arc<TaskEntry>,
    key: String,
}

impl PutQuestion {
    pub(super) fn answer(self, answer: Result<Value>) {
        self.task.answer(&self.key, answer);
    }
}

impl Drop for PutQuestion {
    fn drop(&mut self) {
        if let Some(question) = self.task.state().questions.get_mut(&self.key) {
            question.put = false;
            self.task.changed.notify();
        }
    }
}

/// A key for a question: its name, or the name of its method, numbered where it was used before.
fn unused_key(used: &BTreeSet<String>, name: Option<&str>, question: &InputRequest) -> String {
    let method = question.method().replace('/', "-");
    let numbered = |number: usize| match (name, number) {
        (Some(name), 1) => name.to_owned(),
        (Some(name), number) => format!("{name}-{number}"),
        (None, number) => format!("{method}-{number}"),
    };
    let mut candidates = (1..).map(numbered);
    candidates.find(|key| !used.contains(key)).expect("there are more numbers than keys")
}

fn ended() -> Error {
    Error::new(ErrorKind::Cancelled, "the task has ended")
}
