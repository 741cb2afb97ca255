//! Asking the client: one way to write it, two ways it happens.
//!
//! In a legacy session a question is a request to the client, and the handler waits for the answer.
//! A modern server may not send requests. There the first run of a handler ends at its first
//! unanswered question: the question is recorded, the future never resolves, and as soon as the
//! handler has nothing else to do ([`run`] sees it pending) the request is answered with
//! `input_required`. The client answers the questions and repeats the request, the handler runs
//! again from the start, and this time the question resolves at once. Questions that are asked
//! together, with `join!`, are answered together.
//!
//! What was answered in earlier rounds travels in `requestState`, sealed so that only this server
//! can read or make it (see [`seal`]). A question is recognized by its key: the n-th of its kind,
//! or the name given by [`Context::question`]; if the question behind a key changed between two
//! runs, its old answer is not used.

mod ask;
mod page;
mod sampling;
mod seal;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard};
use std::task::{Poll, Waker};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use ask::Elicited;
pub use sampling::check_messages;
pub(crate) use seal::Seal;

use super::context::Scope;
use crate::error::Error;
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::types::{
    Adapt, InputRequest, InputRequests, InputRequiredResult, InputResponses, Revision,
};

/// The questions of one request and the answers known so far.
#[derive(Default)]
pub(crate) struct Questions(Mutex<State>);

#[derive(Default)]
struct State {
    answers: BTreeMap<String, Answered>,
    asked: InputRequests,
    /// How many questions of each method were asked in this run.
    counts: BTreeMap<String, u32>,
    round: u32,
    waker: Option<Waker>,
    /// Whether the request can be answered with questions at all.
    open: bool,
}

/// An answer, and which question it belongs to (unknown while it is fresh from the client).
#[derive(Clone, Serialize, Deserialize)]
struct Answered {
    #[serde(rename = "q", default, skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    #[serde(rename = "v")]
    value: Value,
}

/// What travels in `requestState`.
#[derive(Serialize, Deserialize)]
struct Sealed {
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    #[serde(rename = "d")]
    digest: String,
    #[serde(rename = "e")]
    expires: u64,
    #[serde(rename = "r")]
    round: u32,
    #[serde(rename = "a")]
    answers: BTreeMap<String, Answered>,
}

impl Questions {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no panic while locked")
    }

    /// Has the handler's run looked at again.
    pub(super) fn wake(&self) {
        if let Some(waker) = self.state().waker.take() {
            waker.wake();
        }
    }

    /// The answer to a question, or `None` after it was recorded as asked.
    fn ask(&self, key: Option<&str>, question: &InputRequest) -> Result<Option<Value>, Error> {
        let digest = question_digest(question);
        let mut state = self.state();
        if !state.open {
            return Err(Error::unsupported(
                "only tools, prompts and resources can ask the client in this protocol revision",
            ));
        }
        let key = match key {
            Some(key) => key.to_owned(),
            None => {
                let count = state.counts.entry(question.method().to_owned()).or_default();
                *count += 1;
                format!("{}-{count}", question.method().replace('/', "-"))
            }
        };
        if let Some(answer) = state.answers.get_mut(&key)
            && *answer.question.get_or_insert_with(|| digest.clone()) == digest
        {
            return Ok(Some(answer.value.clone()));
        }
        state.asked.insert(key, question.clone());
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
        Ok(None)
    }
}

/// The digest of a question, to tell whether an answer belongs to it.
fn question_digest(question: &InputRequest) -> String {
    let mut question = question.clone();
    question.adapt(Revision::NEWEST_MODERN);
    let text = serde_json::to_vec(&question).expect("a wire type is always representable");
    digest(&text)
}

fn digest(text: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, text);
    URL_SAFE_NO_PAD.encode(&digest.as_ref()[..16])
}

/// What a run of a handler came to.
pub(crate) enum Ran<T> {
    Done(T),
    /// The client has to answer questions first.
    Asked(InputRequiredResult),
    /// The handler wants to go on as a task. It still has to be run.
    Detached,
}

/// Takes the answers that came with a request. `params` is everything else of the request, which
/// must be the same in every round.
pub(crate) fn load(
    scope: &Scope,
    params: &RequestIdentity<'_>,
    responses: Option<InputResponses>,
    state: Option<&str>,
) -> Result<(), ErrorObject> {
    if responses.is_none() && state.is_none() {
        return Ok(());
    }
    let mut questions = scope.questions.state();
    if let Some(state) = state {
        let sealed = open(scope, params, state)?;
        questions.answers = sealed.answers;
        questions.round = sealed.round;
    }
    for (key, value) in responses.into_iter().flatten() {
        if !value.is_object() {
            let message = format!("`inputResponses[{key:?}]` must be an object");
            return Err(ErrorObject::invalid_params(message));
        }
        questions.answers.insert(key, Answered { question: None, value });
    }
    Ok(())
}

fn open(scope: &Scope, params: &RequestIdentity<'_>, state: &str) -> Result<Sealed, ErrorObject> {
    let refused = || ErrorObject::invalid_params("`requestState` is not valid for this request");
    let plain = scope.core.seal.open(state).ok_or_else(refused)?;
    let sealed: Sealed = serde_json::from_slice(&plain).map_err(|_| refused())?;
    let valid = sealed.principal.as_deref() == scope.caller.principal.as_deref()
        && sealed.digest == params.digest()
        && sealed.expires >= seal::now();
    if valid { Ok(sealed) } else { Err(refused()) }
}

/// What [`Context::seal`](super::Context::seal) makes. Another shape than [`Sealed`], so that one is
/// never taken for the other.
#[derive(Serialize, Deserialize)]
struct Carried {
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    purpose: String,
    #[serde(rename = "e")]
    expires: u64,
    data: Value,
}

pub(crate) fn seal_for(scope: &Scope, purpose: &str, data: &Value) -> String {
    let carried = Carried {
        principal: scope.caller.principal.as_deref().map(str::to_owned),
        purpose: purpose.to_owned(),
        expires: seal::now() + scope.core.config.limits.request_state_ttl.as_secs(),
        data: data.clone(),
    };
    scope.core.seal.seal(&serde_json::to_vec(&carried).expect("JSON values always encode"))
}

pub(crate) fn unseal_for(scope: &Scope, purpose: &str, sealed: &str) -> Option<Value> {
    let plain = scope.core.seal.open(sealed)?;
    let carried: Carried = serde_json::from_slice(&plain).ok()?;
    let valid = carried.principal.as_deref() == scope.caller.principal.as_deref()
        && carried.purpose == purpose
        && carried.expires >= seal::now();
    valid.then_some(carried.data)
}

/// What makes a request the same request in every round: its method and parameters, without the
/// parts that differ by design.
pub(crate) struct RequestIdentity<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: Option<&'a RawJson>,
}

impl RequestIdentity<'_> {
    fn digest(&self) -> String {
        let mut params: BTreeMap<String, Value> =
            self.params.and_then(|params| params.decode().ok()).unwrap_or_default();
        for different in ["_meta", "inputResponses", "requestState"] {
            params.remove(different);
        }
        let params: BTreeMap<_, _> =
            params.into_iter().map(|(key, value)| (key, sorted(value))).collect();
        digest(&serde_json::to_vec(&(self.method, params)).expect("JSON values always encode"))
    }
}

/// The same value with the keys of every object in order, because a client may write them in any.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let map: BTreeMap<_, _> =
                map.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            Value::Object(map.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        value => value,
    }
}

/// Runs a handler until it is done or can only be helped by the client.
pub(crate) async fn run<T>(
    scope: &Scope,
    identity: &RequestIdentity<'_>,
    handler: impl Future<Output = T>,
) -> Result<Ran<T>, ErrorObject> {
    scope.questions.state().open = true;
    let mut handler = std::pin::pin!(handler);
    let done = std::future::poll_fn(|cx| match Pin::as_mut(&mut handler).poll(cx) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => {
            let mut state = scope.questions.state();
            if !state.asked.is_empty() || scope.task.is_wanted() {
                return Poll::Ready(None);
            }
            // A question may also be asked by a task that the handler started.
            state.waker = Some(cx.waker().clone());
            Poll::Pending
        }
    })
    .await;
    match done {
        Some(done) => Ok(Ran::Done(done)),
        None if scope.questions.state().asked.is_empty() => Ok(Ran::Detached),
        None => ask_client(scope, identity).map(Ran::Asked),
    }
}

/// Turns the recorded questions into the result that asks them.
fn ask_client(
    scope: &Scope,
    identity: &RequestIdentity<'_>,
) -> Result<InputRequiredResult, ErrorObject> {
    let limits = &scope.core.config.limits;
    let mut state = scope.questions.state();
    let round = state.round + 1;
    if round > limits.input_rounds_max {
        let message =
            format!("more than {} rounds of questions for one request", limits.input_rounds_max);
        return Err(ErrorObject::internal(message));
    }
    // Answers that no question of this run took are not carried along.
    let answers = std::mem::take(&mut state.answers);
    let sealed = Sealed {
        principal: scope.caller.principal.as_deref().map(str::to_owned),
        digest: identity.digest(),
        expires: seal::now() + limits.request_state_ttl.as_secs(),
        round,
        answers: answers.into_iter().filter(|(_, answer)| answer.question.is_some()).collect(),
    };
    let plain = serde_json::to_vec(&sealed).expect("JSON values always encode");
    Ok(InputRequiredResult {
        input_requests: Some(std::mem::take(&mut state.asked)),
        request_state: Some(scope.core.seal.seal(&plain)),
        ..Default::default()
    })
}
