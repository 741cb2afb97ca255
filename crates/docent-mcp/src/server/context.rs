//! What a handler knows about the request it serves, and what it can do on its behalf.
//!
//! A context is filled by the legacy session or by the request's own `_meta`, and looks the same
//! either way: a handler never has to know which.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde_json::Value;

use super::input::{self, Questions};
use super::registry::{read_cursor, write_cursor};
use super::request_meta::RequestMeta;
use super::session::ServerSession;
use super::tasks::cell::TaskCell;
use super::tasks::entry::TaskEntry;
use super::{Core, Server};
use crate::error::Result;
use crate::jsonrpc::{ErrorObject, Id, RawJson, RawObject};
use crate::session::{Cancel, Peer, encode_for};
use crate::types::{
    ClientCapabilities, Implementation, JsonObject, LoggingLevel, LoggingMessageNotificationParams,
    Meta, ProgressNotificationParams, ProgressToken, Revision, notification,
};

/// Who makes a request. Shared by all requests of a legacy session.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) revision: Revision,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) client_info: Option<Implementation>,
    /// Who was authenticated by the transport, if it does that.
    pub(crate) principal: Option<Arc<str>>,
}

/// The request that a handler serves. Clones are the same request's.
#[derive(Clone)]
pub struct Context {
    pub(crate) scope: Arc<Scope>,
    /// The name of the next question, see [`Context::question`].
    pub(super) key: Option<Arc<str>>,
}

pub(crate) struct Scope {
    pub(crate) core: Arc<Core>,
    pub(crate) session: Arc<ServerSession>,
    pub(crate) peer: Arc<Peer>,
    pub(crate) caller: Arc<Caller>,
    pub(crate) request_id: Id,
    pub(crate) meta: RequestMeta,
    pub(crate) cancel: Cancel,
    pub(crate) log_level: LogLevel,
    pub(crate) questions: Questions,
    /// The task that the request is, or may become.
    pub(crate) task: TaskCell,
    /// What the token of the request allows, if the transport takes tokens.
    #[cfg(feature = "auth")]
    access: Option<Arc<crate::auth::Access>>,
    progress: Option<Progress>,
    done: AtomicBool,
}

/// Which log messages the client wants to see.
#[derive(Clone)]
pub(crate) enum LogLevel {
    /// None: a modern request that asked for none.
    Off,
    /// From this level on, for this request.
    Request(LoggingLevel),
    /// From the level that the session was last set to.
    Session(Arc<AtomicU8>),
}

impl LogLevel {
    fn admits(&self, level: LoggingLevel) -> bool {
        match self {
            LogLevel::Off => false,
            LogLevel::Request(least) => level >= *least,
            LogLevel::Session(least) => level as u8 >= least.load(Ordering::Relaxed),
        }
    }
}

struct Progress {
    token: ProgressToken,
    last: Mutex<Option<f64>>,
}

impl Scope {
    #[expect(clippy::too_many_arguments, reason = "the one place where a request's parts meet")]
    pub(crate) fn new(
        core: Arc<Core>,
        session: Arc<ServerSession>,
        peer: Arc<Peer>,
        caller: Arc<Caller>,
        request_id: Id,
        meta: RequestMeta,
        cancel: Cancel,
        log_level: LogLevel,
    ) -> Self {
        let progress =
            meta.progress_token().map(|token| Progress { token, last: Mutex::new(None) });
        #[cfg(feature = "auth")]
        let access = peer.access.get().cloned();
        Scope {
            core,
            session,
            #[cfg(feature = "auth")]
            access,
            peer,
            caller,
            request_id,
            meta,
            cancel,
            log_level,
            questions: Questions::default(),
            task: TaskCell::default(),
            progress,
            done: AtomicBool::new(false),
        }
    }

    /// The answer is decided: nothing more may be sent on behalf of this request.
    pub(crate) fn finish(&self) {
        self.done.store(true, Ordering::Release);
    }

    fn is_open(&self) -> bool {
        !self.done.load(Ordering::Acquire) && !self.cancel.is_cancelled()
    }
}

impl Context {
    pub(crate) fn new(scope: Scope) -> Self {
        Context { scope: Arc::new(scope), key: None }
    }

    /// A context for the same request that goes on as a task, after the request was answered.
    pub(super) fn for_task(&self, task: &Arc<TaskEntry>, cancel: Cancel) -> Self {
        let Scope { core, session, caller, request_id, meta, log_level, .. } = &*self.scope;
        let mut scope = Scope::new(
            core.clone(),
            session.clone(),
            session.peer().clone(),
            caller.clone(),
            request_id.clone(),
            meta.clone(),
            cancel,
            log_level.clone(),
        );
        scope.task = TaskCell::of(task.clone());
        #[cfg(feature = "auth")]
        {
            scope.access = self.scope.access.clone();
        }
        if self.revision().is_modern() {
            // There, nothing is sent on behalf of a task.
            scope.finish();
        }
        Context::new(scope)
    }

    /// Whether the client declared an extension for this request.
    pub fn declares(&self, extension: &str) -> bool {
        let extensions = self.client_capabilities().extensions.as_ref();
        extensions.is_some_and(|extensions| extensions.contains_key(extension))
    }

    /// One page of a list that does not change, for methods of extensions, and where the next one
    /// starts.
    pub fn page<T: Clone>(
        &self,
        all: &[T],
        cursor: Option<&str>,
    ) -> Result<(Vec<T>, Option<String>), ErrorObject> {
        let after = usize::try_from(cursor.map_or(Ok(0), read_cursor)?).unwrap_or(usize::MAX);
        let rest = all.get(after..).unwrap_or_default();
        let page = &rest[..rest.len().min(self.scope.core.page_size().max(1))];
        let next = (page.len() < rest.len()).then(|| write_cursor((after + page.len()) as u64));
        Ok((page.to_vec(), next))
    }

    /// The protocol revision of this request.
    pub fn revision(&self) -> Revision {
        self.scope.caller.revision
    }

    /// What the client can do, as declared for *this* request.
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        &self.scope.caller.capabilities
    }

    /// Who the client says it is. Never a basis for decisions.
    pub fn client_info(&self) -> Option<&Implementation> {
        self.scope.caller.client_info.as_ref()
    }

    /// Who was authenticated, if the transport does that.
    pub fn principal(&self) -> Option<&str> {
        self.scope.caller.principal.as_deref()
    }

    /// What the token of this request says, if the transport takes tokens. The token itself is not
    /// to be had: it was issued for this server, and must go nowhere else.
    #[cfg(feature = "auth")]
    pub fn claims(&self) -> Option<&crate::auth::Claims> {
        self.scope.access.as_ref().map(|access| &access.claims)
    }

    #[cfg(feature = "auth")]
    pub(crate) fn access(&self) -> Option<&crate::auth::Access> {
        self.scope.access.as_deref()
    }

    /// The id of the request.
    pub fn request_id(&self) -> &Id {
        &self.scope.request_id
    }

    /// The metadata of the request.
    pub fn meta(&self) -> &Meta {
        self.scope.meta.value()
    }

    /// The metadata of the request as it was written, for who passes it on.
    pub fn meta_text(&self) -> &RawObject {
        self.scope.meta.text()
    }

    /// The token under which the client wants to hear of progress, if it does.
    pub fn progress_token(&self) -> Option<&ProgressToken> {
        self.scope.progress.as_ref().map(|progress| &progress.token)
    }

    /// Tells the connections of clients apart: the same for all requests that come by one, of a
    /// legacy session over HTTP as well. None where requests stand alone and nobody knows which
    /// belong together (2026-07-28 over HTTP).
    pub fn connection(&self) -> Option<u64> {
        self.scope.session.number()
    }

    /// Resolves when the connection, or the session over HTTP, has ended. Where requests stand
    /// alone, that is when the server stops.
    pub async fn disconnected(&self) {
        self.scope.session.ended().await;
    }

    /// The same client without this request, for what belongs to none: it stays good when the
    /// request is answered. In 2026-07-28 nothing can be sent that way.
    #[must_use]
    pub fn beyond(&self) -> Context {
        let Scope { core, session, caller, request_id, log_level, .. } = &*self.scope;
        let scope = Scope::new(
            core.clone(),
            session.clone(),
            session.peer().clone(),
            caller.clone(),
            request_id.clone(),
            RequestMeta::default(),
            Cancel::new(),
            log_level.clone(),
        );
        if self.revision().is_modern() {
            scope.finish();
        }
        Context::new(scope)
    }

    /// From which level on the client wants log messages, if it wants any: of this request, or of
    /// the session.
    pub fn log_level(&self) -> Option<LoggingLevel> {
        match &self.scope.log_level {
            LogLevel::Off => None,
            LogLevel::Request(level) => Some(*level),
            LogLevel::Session(level) => {
                let level = level.load(Ordering::Relaxed);
                LoggingLevel::ALL.iter().copied().find(|one| *one as u8 == level)
            }
        }
    }

    /// Seals data for this caller to carry, so that nobody can read or change it, and only the same
    /// principal can bring it back to [`Context::unseal`] under the same `purpose`. It stays good
    /// for [`Limits::request_state_ttl`](crate::Limits::request_state_ttl).
    pub fn seal(&self, purpose: &str, data: &Value) -> String {
        input::seal_for(&self.scope, purpose, data)
    }

    /// Opens what [`Context::seal`] made, or nothing if it is not good for this caller and purpose.
    pub fn unseal(&self, purpose: &str, sealed: &str) -> Option<Value> {
        input::unseal_for(&self.scope, purpose, sealed)
    }

    /// The server, to add or remove tools or to tell of changes.
    pub fn server(&self) -> Server {
        self.scope.core.handle()
    }

    /// Tells whether the client still wants the answer. The handler is dropped at its next await
    /// after a cancellation in any case; this is for work that runs elsewhere.
    pub fn cancellation(&self) -> &Cancel {
        &self.scope.cancel
    }

    /// Reports progress, if the client asked for it. Reports that are not beyond the last one are
    /// not sent.
    pub async fn progress(
        &self,
        progress: f64,
        total: Option<f64>,
        message: impl Into<Option<String>>,
    ) -> Result<()> {
        let message = message.into();
        if let (true, Some(message)) = (self.revision().is_modern(), &message) {
            self.task_status(message);
        }
        let Some(state) = self.scope.progress.as_ref().filter(|_| self.scope.is_open()) else {
            return Ok(());
        };
        {
            let mut last = state.last.lock().expect("no panic while locked");
            if !progress.is_finite() || last.is_some_and(|last| progress <= last) {
                return Ok(());
            }
            *last = Some(progress);
        }
        let params = ProgressNotificationParams {
            progress_token: state.token.clone(),
            progress,
            total,
            message,
            ..Default::default()
        };
        let params = encode_for(params, self.revision())?;
        self.scope.peer.notify(notification::PROGRESS, Some(&params)).await
    }

    /// Closes the stream on which the answer is awaited; the client comes back for it after `pause`.
    /// For long work, so that no connection has to stay open all the time. Only sessions over HTTP
    /// have such streams, from 2025-11-25 on; elsewhere nothing happens.
    #[cfg(feature = "http")]
    pub fn close_stream(&self, pause: std::time::Duration) {
        if self.revision() == Revision::V2025_11_25 && self.scope.is_open() {
            self.scope.peer.outbox.interrupt(pause);
        }
    }

    /// Whether a log message of this level would reach the client.
    pub fn logs(&self, level: LoggingLevel) -> bool {
        self.scope.core.config.logging && self.scope.is_open() && self.scope.log_level.admits(level)
    }

    /// Sends a log message, if the client wants messages of this level. Never put secrets in one.
    pub async fn log(
        &self,
        level: LoggingLevel,
        logger: Option<&str>,
        data: impl Serialize,
    ) -> Result<()> {
        if !self.logs(level) {
            return Ok(());
        }
        let params = encode_for(log_params(level, logger, data)?, self.revision())?;
        self.scope.peer.notify(notification::MESSAGE, Some(&params)).await
    }

    /// Sends a notification that an extension defines, as part of the answer to this request. After
    /// the answer nothing is sent.
    pub async fn notify(&self, method: &str, params: JsonObject) -> Result<()> {
        if !self.scope.is_open() {
            return Ok(());
        }
        let params = RawJson::from(&Value::Object(params));
        self.scope.peer.notify(method, Some(&params)).await
    }

    /// [`Context::log`] for code that cannot wait: the message is dropped when too much is queued.
    #[cfg(feature = "tracing")]
    pub(crate) fn log_now(&self, level: LoggingLevel, logger: Option<&str>, data: impl Serialize) {
        if self.scope.peer.outbox.is_full() {
            return;
        }
        let params =
            log_params(level, logger, data).and_then(|params| encode_for(params, self.revision()));
        if let Ok(params) = params {
            self.scope.peer.notify_now(notification::MESSAGE, Some(&params));
        }
    }
}

fn log_params(
    level: LoggingLevel,
    logger: Option<&str>,
    data: impl Serialize,
) -> Result<LoggingMessageNotificationParams> {
    let data = serde_json::to_value(data).map_err(|error| {
        crate::Error::invalid_input("the log data cannot be written as JSON").with_source(error)
    })?;
    Ok(LoggingMessageNotificationParams {
        level,
        logger: logger.map(str::to_owned),
        data,
        ..Default::default()
    })
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("request_id", &self.scope.request_id)
            .field("revision", &self.revision())
            .finish_non_exhaustive()
    }
}
