//! Calls, reads and prompts: one request here becomes one or several at a server.
//!
//! The eras meet here. What a server asks on the way reaches the client however it can be asked:
//!
//! | server | client | |
//! |---|---|---|
//! | legacy | legacy | the question is asked while both calls wait |
//! | legacy | modern | the call is held, and the client answers with its next request |
//! | modern | legacy | the question is asked, and the request made again with the answer |
//! | modern | modern | question and answer are passed on; nothing is kept here |

use std::sync::Arc;

use docent_mcp::jsonrpc::{ErrorObject, RawJson, RawObject, code};
use docent_mcp::server::{Call, Context};
use docent_mcp::types::{
    ElicitRequestParams, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    ResultKind, TaskSupport, method,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::caller::{Caller, passed_on};
use super::desk::pass_on;
use super::held::HeldCall;
use super::reply::{self, Target};
use super::running::{Pause, Running};
use super::seat::{Notice, Question};
use super::{Answer, Shared, tasks, trace};

/// What a client carries from one round to the next.
#[derive(Serialize, Deserialize)]
struct Carried {
    round: u32,
    /// The call that is held here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    held: Option<String>,
    /// What the server wants back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// The server takes no answers: it only wants to be asked again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    again: bool,
}

/// One request on its way.
struct Forward {
    shared: Arc<Shared>,
    context: Context,
    caller: Caller,
    target: Target,
    params: RawObject,
    /// The client asked for a task (2025-11-25).
    as_task: bool,
}

pub(super) async fn forward(shared: Arc<Shared>, call: Call) -> Answer {
    let Call { method, params, context } = call;
    let mut params = reply::object(params)?;
    let modern = context.revision().is_modern();
    let answers = params.remove("inputResponses").filter(|_| modern);
    let state = params.remove("requestState").filter(|_| modern);
    if modern {
        // There, it is up to the server what becomes a task.
        params.remove("task");
    }
    let answers = answers.map_or_else(|| Ok(InputResponses::new()), |answers| answers.decode());
    let Ok(answers) = answers else {
        return Err(ErrorObject::invalid_params("`inputResponses` must be an object"));
    };
    let target = shared.target(&method, &mut params, context.revision()).await?;
    let as_task = method == method::TOOLS_CALL && params.contains("task");
    let caller = Caller::of(&context);
    let mut forward = Forward { shared, context, caller, target, params, as_task };
    let round = match state.map(|state| forward.open(&state)).transpose()? {
        Some(Carried { held: Some(name), .. }) => return forward.resume(&name, answers).await,
        Some(Carried { round, again: true, .. }) => round,
        Some(Carried { round, state, .. }) => {
            forward.add_answers(answers, state);
            round
        }
        None => {
            // Answers may also come without being asked for.
            if !answers.is_empty() {
                forward.add_answers(answers, None);
            }
            0
        }
    };
    forward.start(round).await
}

impl Forward {
    /// Binds what the client carries to this very request: the method, the server, and all
    /// parameters but those that differ from round to round.
    fn purpose(&self) -> String {
        let Target { method, number, .. } = &self.target;
        format!("{method} {number} {}", reply::digest(&self.params))
    }

    /// What the client brings back.
    fn open(&self, state: &RawJson) -> Result<Carried, ErrorObject> {
        let state = state.decode::<String>().ok();
        let opened = state.and_then(|state| self.context.unseal(&self.purpose(), &state));
        opened.and_then(|carried| serde_json::from_value(carried).ok()).ok_or_else(|| {
            ErrorObject::invalid_params("`requestState` is not valid for this request")
        })
    }

    /// Makes the request, as often as a session has to be asked before there is a result.
    async fn start(&mut self, mut round: u32) -> Answer {
        let mut lived = 0;
        loop {
            // In a box, which is gone when the call is under way.
            let mut running = Box::pin(self.begin()).await?;
            let result = match running.run(&self.context).await {
                Pause::Asked(questions) => return self.hold(running, questions, round),
                Pause::Done(result) => result,
            };
            drop(running);
            let result = match result {
                Ok(result) => result,
                Err(error) => {
                    return self.ask_to_visit(&error, round).ok_or_else(|| self.failed(error));
                }
            };
            let members = reply::members(&result)?;
            let required = match reply::kind(&members)? {
                ResultKind::InputRequired => reply::decode::<InputRequiredResult>(&result)?,
                kind => return self.finish(result, &members, &kind),
            };
            round += 1;
            lived += 1;
            if self.context.revision().is_modern() {
                let state = required.request_state;
                let carried = Carried { round, held: None, state, again: false };
                return Ok(self.ask(required.input_requests, &carried));
            }
            if lived > self.shared.rounds_max() {
                return Err(ErrorObject::internal("the server asks too often for one request"));
            }
            let answers = self.ask_session(required.input_requests.unwrap_or_default()).await?;
            self.add_answers(answers, required.request_state);
        }
    }

    /// Takes up a call that was held, with the answers to what it asked.
    async fn resume(&mut self, name: &str, answers: InputResponses) -> Answer {
        let mut held = self.shared.held.take(name)?;
        if held.answer(answers) {
            return self.hold_again(held);
        }
        let round = held.round;
        let mut running = held.running;
        match running.run(&self.context).await {
            Pause::Asked(questions) => self.hold(running, questions, round),
            Pause::Done(result) => {
                let result = result.map_err(|error| self.failed(error))?;
                let members = reply::members(&result)?;
                let kind = reply::kind(&members)?;
                self.finish(result, &members, &kind)
            }
        }
    }

    /// Sends the request to the server, over the connection that fits the caller.
    async fn begin(&self) -> Result<Running, ErrorObject> {
        let line = self.shared.line(self.target.number, &self.caller, &self.context).await;
        let line = line.map_err(|error| error.to_rpc())?;
        let seat = line.desk.sit(&self.caller.key, &self.context);
        let backend = self.shared.backend(self.target.number);
        let mut meta = passed_on(self.context.meta_text());
        let Target { method, number, .. } = &self.target;
        let span =
            trace::sent(&self.shared, *number, &line.client, method, &self.params, &mut meta);
        let mut options =
            backend.options().hand_over_questions().meta(meta).capabilities(self.declared());
        if let Some(level) = self.context.log_level() {
            options = options.log_level(level);
        }
        if self.context.progress_token().is_some() {
            let report = seat.report.clone();
            options = options.on_progress(move |progress| {
                let _ = report.try_send(Notice::Progress(Box::new(progress)));
            });
        }
        let (client, asked) = (line.client, method.clone());
        let mut params = self.params.clone();
        if !client.revision().is_modern() {
            params.remove("inputResponses");
            params.remove("requestState");
        }
        let must_be_task = self.target.task_support == Some(TaskSupport::Required);
        let upstream = async move {
            if must_be_task && !params.contains("task") {
                // The server makes a task of it, and the client knows of none.
                let name: String = params.read("name").ok().flatten().unwrap_or_default();
                let arguments: Option<Value> = params.read("arguments").ok().flatten();
                let calling = Box::pin(client.call_with(&name, arguments, options));
                let result = calling.await?;
                return Ok(RawJson::encode(&result).expect("a wire type is always representable"));
            }
            client.request(&asked, params, options).await
        };
        Ok(Running::new(trace::traced(span, method, upstream), seat, line.lease))
    }

    /// What the server is told that can be asked of the client: what the client said of itself.
    fn declared(&self) -> docent_mcp::types::ClientCapabilities {
        let mut capabilities = self.caller.capabilities.clone();
        capabilities.tasks = None;
        capabilities
    }

    fn add_answers(&mut self, answers: InputResponses, state: Option<String>) {
        self.params.insert("inputResponses", Value::Object(answers));
        match state {
            Some(state) => self.params.insert("requestState", Value::String(state)),
            None => drop(self.params.remove("requestState")),
        }
    }

    /// Asks a session what a modern server wants to know.
    async fn ask_session(&self, questions: InputRequests) -> Result<InputResponses, ErrorObject> {
        let mut asking = tokio::task::JoinSet::new();
        for (key, question) in questions {
            let context = self.context.clone();
            asking.spawn(async move { (key, pass_on(&context, question).await) });
        }
        let mut answers = InputResponses::new();
        while let Some(asked) = asking.join_next().await {
            let (key, answer) =
                asked.map_err(|_| ErrorObject::internal("a question could not be asked"))?;
            answers.insert(key, answer?);
        }
        Ok(answers)
    }

    /// A server of 2025-11-25 may refuse a call until the user has visited a page. To a modern
    /// client that is a question, after which it calls again.
    fn ask_to_visit(&self, error: &docent_mcp::Error, round: u32) -> Option<RawJson> {
        let rpc = error.rpc().filter(|rpc| rpc.code == code::URL_ELICITATION_REQUIRED)?;
        if !self.context.revision().is_modern() || round >= self.shared.rounds_max() {
            return None;
        }
        let pages = rpc.data.as_ref()?.get("elicitations")?.as_array()?;
        let ask = |(n, page): (usize, &Value)| {
            let page: ElicitRequestParams = serde_json::from_value(page.clone()).ok()?;
            Some((format!("{}-{}", round + 1, n + 1), InputRequest::Elicit(page)))
        };
        let questions: Option<InputRequests> = pages.iter().enumerate().map(ask).collect();
        let carried = Carried { round: round + 1, held: None, state: None, again: true };
        Some(self.ask(Some(questions.filter(|questions| !questions.is_empty())?), &carried))
    }

    /// Keeps the call open and answers the client with what it asks.
    fn hold(&self, running: Running, questions: Vec<Question>, round: u32) -> Answer {
        self.hold_again(HeldCall::new(running, questions, round + 1))
    }

    fn hold_again(&self, call: HeldCall) -> Answer {
        let (asked, round) = (call.asked(), call.round);
        let held = Some(self.shared.held.hold(call)?);
        Ok(self.ask(Some(asked), &Carried { round, held, state: None, again: false }))
    }

    fn ask(&self, questions: Option<InputRequests>, carried: &Carried) -> RawJson {
        let carried = serde_json::to_value(carried).expect("plain data is representable");
        let required = InputRequiredResult {
            input_requests: questions,
            request_state: Some(self.context.seal(&self.purpose(), &carried)),
            ..Default::default()
        };
        self.context.reply_as("input_required", required)
    }

    fn finish(&self, result: RawJson, members: &RawObject, kind: &ResultKind) -> Answer {
        match kind {
            ResultKind::Other(kind) if kind == "task" => {
                tasks::made(&self.context, self.target.number, &result)
            }
            ResultKind::Other(_) => Ok(result),
            // A server that knows nothing of tasks answers at once.
            _ if self.as_task && tasks::is_made(&result) => {
                tasks::made_legacy(&self.context, self.target.number, &result)
            }
            _ if self.passes(&result, members) => Ok(self.context.reply_text(members)),
            _ => reply::result(&self.shared, &self.context, &self.target, &result),
        }
    }

    /// Whether nothing in a result is other for the client than for us: no address is in it, and both
    /// revisions have the same words for it.
    fn passes(&self, result: &RawJson, members: &RawObject) -> bool {
        let server = self.shared.backend(self.target.number).open_client();
        server.is_some_and(|server| {
            reply::is_alike(members, server.revision(), self.context.revision())
        }) && !reply::may_have_address(result.as_bytes())
    }

    fn failed(&self, error: docent_mcp::Error) -> ErrorObject {
        let not_found = error.is_resource_not_found();
        let error = self.shared.backend(self.target.number).request_failed(error).to_rpc();
        reply::permitted(error, not_found, &self.target, self.context.revision())
    }
}
