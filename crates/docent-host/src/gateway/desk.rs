//! What a connection to a server brings besides answers, and for which call it is.
//!
//! A server of a legacy era asks and logs on its connection, not on a call. So each connection has
//! a desk at which the calls that use it take seats. A question goes to the last one that sat down:
//! all calls at a desk where questions come in are one caller's, so whichever it is for, it is the
//! same user who is asked, and the answer goes back to the server's question and to no other. A log
//! message, or a notification that is not known here, goes to a call only if all calls at the desk are one caller's, those that were taken back
//! a moment ago included. What comes while nobody sits goes to the session of whoever the connection
//! belongs to, if there is one; a question waits for the next call otherwise. One whose call ends
//! before it was answered goes to another.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use docent_mcp::client::ServerEvent;
use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::Context;
use docent_mcp::types::{ClientCapabilities, InputRequest, NotificationParams, Sender};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::caller::Key;
use super::news;
use super::running::tell;
use super::seat::{Notice, Question, Seat, Sitting};
use crate::limits::HostLimits;
use crate::supervise::{Relay, Role};

pub(super) struct Desk {
    server: String,
    limits: HostLimits,
    /// Whether the connection belongs to one caller.
    private: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    seats: BTreeMap<u64, Sitting>,
    next: u64,
    /// Whose calls were taken back, and until when the server may not know it.
    leaving: Vec<(Key, Instant)>,
    /// There are more than can be remembered until then.
    crowded_until: Option<Instant>,
    /// Questions that came while nobody sat.
    waiting: Vec<Question>,
    /// The session whose connection this is, if the caller has one.
    session: Option<Context>,
}

impl Desk {
    pub(super) fn new(server: &str, limits: &HostLimits, private: bool) -> Arc<Self> {
        let (server, private) = (server.to_owned(), AtomicBool::new(private));
        Arc::new(Desk { server, limits: limits.clone(), private, state: Mutex::default() })
    }

    /// The connection belongs to one caller from now on.
    pub(super) fn make_private(&self) {
        self.private.store(true, Ordering::Release);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while locked")
    }

    /// The role of a connection whose questions and messages come here.
    pub(super) fn role(self: &Arc<Self>, questions: Option<ClientCapabilities>) -> Role {
        let relay = {
            let desk = self.clone();
            let relay: Relay = Arc::new(move |question| {
                let desk = desk.clone();
                Box::pin(async move { desk.ask(question).await })
            });
            relay
        };
        let desk = self.clone();
        Role {
            questions: questions.map(|capabilities| (capabilities, relay)),
            events: Some(Arc::new(move |event| desk.hear(event))),
        }
    }

    /// Takes a seat for a call.
    pub(super) fn sit(self: &Arc<Self>, key: &Key, context: &Context) -> Seat {
        let (report, notices) = mpsc::channel(self.limits.notices_max);
        let (ask, questions) = mpsc::channel(self.limits.questions_max);
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        for question in state.waiting.drain(..) {
            let _ = ask.try_send(question);
        }
        if !context.revision().is_modern() && self.private.load(Ordering::Acquire) {
            state.session.get_or_insert_with(|| self.session_of(context));
        }
        let logs = context.log_level().is_some();
        let extensions = context.client_capabilities().extensions.as_ref();
        let extended =
            !context.revision().is_modern() || extensions.is_some_and(|all| !all.is_empty());
        let (key, told) = (key.clone(), report.clone());
        let sitting = Sitting { key, logs, extended, notices: told, questions: ask };
        state.seats.insert(number, sitting);
        drop(state);
        Seat { desk: self.clone(), number, notices, questions, report, over: false }
    }

    /// A call leaves: it is over, or was taken back.
    pub(super) fn leave(&self, number: u64, over: bool) {
        let mut state = self.state();
        let Some(sitting) = state.seats.remove(&number) else { return };
        if !over {
            let now = Instant::now();
            state.leaving.retain(|(key, until)| *until > now && *key != sitting.key);
            let until = now + self.limits.leaving_timeout;
            match state.leaving.len() < self.limits.leaving_max {
                true => state.leaving.push((sitting.key, until)),
                false => state.crowded_until = Some(until),
            }
        }
    }

    /// The caller's session, for as long as there is one.
    fn session_of(self: &Arc<Self>, context: &Context) -> Context {
        let (session, desk) = (context.beyond(), Arc::downgrade(self));
        let ending = session.clone();
        tokio::spawn(async move {
            ending.disconnected().await;
            if let Some(desk) = desk.upgrade() {
                desk.state().session = None;
            }
        });
        session
    }

    /// Finds somebody to answer a question: if whoever was asked leaves, somebody else.
    async fn ask(&self, request: InputRequest) -> Result<Value, ErrorObject> {
        let private = self.private.load(Ordering::Acquire);
        loop {
            let (answer, answered) = oneshot::channel();
            match self.place(Question { request: Box::new(request.clone()), answer }, private)? {
                Some(session) => return pass_on(&session, request).await,
                None => match answered.await {
                    Ok(answer) => return answer,
                    // All who come here are the same user, or nobody knows who they are.
                    Err(_) if private => {}
                    Err(_) => return Err(gone()),
                },
            }
        }
    }

    /// Hands a question to a call, or keeps it for the next one, or says whose session to ask.
    fn place(&self, question: Question, private: bool) -> Result<Option<Context>, ErrorObject> {
        let mut state = self.state();
        if let Some((_, last)) = state.seats.last_key_value() {
            return match last.questions.try_send(question) {
                Ok(()) => Ok(None),
                Err(_) => Err(ErrorObject::internal("too many questions at once")),
            };
        }
        if let Some(session) = &state.session {
            return Ok(Some(session.clone()));
        }
        if !private || state.waiting.len() >= self.limits.questions_max {
            return Err(gone());
        }
        state.waiting.push(question);
        Ok(None)
    }

    /// Takes notice of what the server tells.
    fn hear(&self, event: &ServerEvent) {
        match event {
            ServerEvent::Log(message) => {
                let mut message = message.clone();
                message.logger = Some(match message.logger {
                    Some(logger) => format!("{}.{logger}", self.server),
                    None => self.server.clone(),
                });
                self.pass(Notice::Log(Box::new(message)), |seat| seat.logs);
            }
            ServerEvent::Other { method, params }
                if news::is_foreign(method, Sender::Server) && !is_subscribed(params) =>
            {
                let told = (method.clone(), news::params_of(params.as_ref()));
                self.pass(Notice::Other(Box::new(told)), |seat| seat.extended);
            }
            ServerEvent::ElicitationComplete(id) => {
                let session = self.state().session.clone();
                if let (Some(session), Ok(runtime)) =
                    (session, tokio::runtime::Handle::try_current())
                {
                    let id = id.clone();
                    runtime.spawn(async move {
                        let _ = session.elicitation_complete(id).await;
                    });
                }
            }
            _ => {}
        }
    }

    /// Passes on what does not say for whom it is, if it can only be for one caller.
    fn pass(&self, notice: Notice, wants: impl Fn(&Sitting) -> bool) {
        let state = self.state();
        let now = Instant::now();
        let mut others = state.seats.values().rev();
        let last = others.next();
        let crowded = state.crowded_until.is_some_and(|until| until > now);
        let leaving = state.leaving.iter().filter(|(_, until)| *until > now);
        let mut others = others.map(|other| &other.key).chain(leaving.map(|(key, _)| key));
        match last {
            Some(last)
                if !crowded && others.all(|other| *other == last.key && last.key.is_one()) =>
            {
                if let Some(seat) = state.seats.values().rev().find(|seat| wants(seat)) {
                    // A client that does not keep up misses messages, not answers.
                    let _ = seat.notices.try_send(notice);
                }
            }
            Some(_) => tracing::debug!(server = self.server, "a message of nobody's call"),
            None => {
                if let Some(session) = state.session.clone()
                    && let Ok(runtime) = tokio::runtime::Handle::try_current()
                {
                    runtime.spawn(async move { tell(&session, notice).await });
                }
            }
        }
    }
}

/// Whether a notification comes for a listen request.
fn is_subscribed(params: &Option<RawJson>) -> bool {
    let said = params.as_ref().and_then(|params| params.decode::<NotificationParams>().ok());
    said.and_then(|said| said.meta).is_some_and(|meta| meta.subscription_id().is_some())
}

fn gone() -> ErrorObject {
    ErrorObject::internal("nobody is left who could answer")
}

/// Asks the caller's session, now.
pub(super) async fn pass_on(
    context: &Context,
    request: InputRequest,
) -> Result<Value, ErrorObject> {
    context.pass_on(request).await.map_err(|error| match error.rpc() {
        Some(rpc) => rpc.clone(),
        None => ErrorObject::internal(format!("the question was not answered: {error:#}")),
    })
}
