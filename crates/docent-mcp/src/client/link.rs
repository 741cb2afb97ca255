//! One connection of a client: who is on the other side, and what its messages mean here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::cache::Cache;
use super::handlers::{Handlers, ServerEvent, guarded};
use super::listens::Listens;
use crate::jsonrpc::encode::UnknownId;
use crate::jsonrpc::{ErrorObject, Id, Malformed, Notification, RawJson, RawObject, Request};
use crate::limits::Limits;
use crate::session::{Cancel, Peer, Role, Work};
use crate::types::{
    CancelledNotificationParams, ElicitationCompleteNotificationParams, EmptyResult,
    Implementation, InputRequest, LoggingMessageNotificationParams, NotificationParams,
    ProgressNotificationParams, RequestParams, ResourceUpdatedNotificationParams, Revision,
    ServerCapabilities, encode_result, method, notification,
};

/// How much of a line that is no message is told.
const STRAY_BYTES_MAX: usize = 200;

/// What is known about the server once the connection is open.
#[derive(Clone, Debug)]
pub struct ServerDescription {
    /// The protocol revision that is spoken.
    pub revision: Revision,
    /// Who the server says it is. Never a basis for decisions.
    pub info: Option<Implementation>,
    /// What it can do.
    pub capabilities: ServerCapabilities,
    /// How to use it, for a model to read.
    pub instructions: Option<String>,
}

/// An open connection.
pub(crate) struct Link {
    pub(crate) peer: Arc<Peer>,
    pub(crate) handlers: Handlers,
    pub(crate) limits: Arc<Limits>,
    pub(crate) server: OnceLock<ServerDescription>,
    /// What the protocol puts into `_meta` of every modern request.
    pub(crate) meta: OnceLock<RawObject>,
    pub(crate) cache: Arc<Cache>,
    pub(crate) ended: AtomicBool,
    pub(crate) listens: Listens,
}

impl Link {
    /// Says who is on the other side. It is found out once for a connection.
    pub(crate) fn describe(&self, server: ServerDescription) {
        let _ = self.server.set(server);
    }

    /// The description; only asked for once the connection is open.
    pub(crate) fn server(&self) -> &ServerDescription {
        self.server.get().expect("set before the link is handed out")
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.ended.load(Ordering::Acquire)
    }

    /// Nothing is asked of this connection any more; who waits for it still may.
    pub(crate) fn retire(&self) {
        self.ended.store(true, Ordering::Release);
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.server().revision.is_modern()
    }

    /// The revision of a session; requests of a server exist only there.
    fn session_revision(&self) -> Option<Revision> {
        let revision = self.server.get()?.revision;
        (!revision.is_modern()).then_some(revision)
    }

    fn question(&self, request: &Request, revision: Revision) -> Result<InputRequest, ErrorObject> {
        let params = request.params.clone().unwrap_or_else(RawJson::empty_object);
        let unfit = |error: serde_json::Error| {
            ErrorObject::invalid_params(format!("`params` does not fit: {error}"))
        };
        let declared = self.handlers.capabilities_in(revision);
        match request.method.as_str() {
            method::ELICITATION_CREATE if declared.elicitation.is_some() => {
                params.decode().map(InputRequest::Elicit).map_err(unfit)
            }
            method::SAMPLING_CREATE_MESSAGE if declared.sampling.is_some() => {
                params.decode().map(InputRequest::CreateMessage).map_err(unfit)
            }
            method::ROOTS_LIST if declared.roots.is_some() => {
                Ok(InputRequest::ListRoots(RequestParams::default()))
            }
            other => Err(ErrorObject::method_not_found(other)),
        }
    }

    /// Whether a notification is still of interest: one that a listen request brought is not when
    /// that request was ended meanwhile.
    fn is_wanted(&self, params: &RawJson) -> bool {
        subscription(params).is_none_or(|id| self.listens.has(&id))
    }
}

/// The listen request that a notification comes for, if it says so.
fn subscription(params: &RawJson) -> Option<Id> {
    let params: NotificationParams = params.decode().unwrap_or_default();
    params.meta.and_then(|meta| meta.subscription_id())
}

impl Role for Link {
    fn request(&self, request: Request, _: Cancel, _: &Arc<Peer>) -> Work {
        if request.method == method::PING {
            let pong =
                encode_result(&mut EmptyResult::default(), Revision::NEWEST_LEGACY, "complete");
            return Work::done(Ok(pong.into()));
        }
        let Some(revision) = self.session_revision() else {
            return Work::done(Err(ErrorObject::method_not_found(&request.method)));
        };
        match self.question(&request, revision) {
            Err(error) => Work::done(Err(error)),
            Ok(question) => {
                let handlers = self.handlers.clone();
                let limits = self.limits.clone();
                Work::quick(async move { handlers.answer(question, revision, &limits).await })
            }
        }
    }

    fn notification(&self, notification: Notification) {
        let Notification { method, params } = notification;
        let decoded = params.clone().unwrap_or_else(RawJson::empty_object);
        let event = match method.as_str() {
            notification::PROGRESS => {
                if let Ok(report) = decoded.decode::<ProgressNotificationParams>() {
                    self.peer.pending.progress(report);
                }
                return;
            }
            notification::CANCELLED => {
                // A server may end a listen request this way, and nothing else: an id of its own
                // that happens to be one of ours as well says nothing about ours.
                if let Ok(CancelledNotificationParams { request_id: Some(id), .. }) =
                    decoded.decode()
                    && self.listens.has(&id)
                {
                    let error = ErrorObject::internal("the server ended the request");
                    self.peer.pending.complete(&id, Err(error.into()));
                }
                return;
            }
            notification::SUBSCRIPTIONS_ACKNOWLEDGED => {
                if let Ok(params) = decoded.decode() {
                    self.listens.acknowledge(params);
                }
                return;
            }
            notification::TOOLS_LIST_CHANGED => ServerEvent::ToolsChanged,
            notification::PROMPTS_LIST_CHANGED => ServerEvent::PromptsChanged,
            notification::RESOURCES_LIST_CHANGED => ServerEvent::ResourcesChanged,
            notification::RESOURCES_UPDATED => {
                match decoded.decode::<ResourceUpdatedNotificationParams>() {
                    Ok(params) => ServerEvent::ResourceUpdated(params.uri),
                    Err(_) => return,
                }
            }
            notification::MESSAGE => match decoded.decode::<LoggingMessageNotificationParams>() {
                Ok(params) => ServerEvent::Log(params),
                Err(_) => return,
            },
            notification::ELICITATION_COMPLETE => {
                match decoded.decode::<ElicitationCompleteNotificationParams>() {
                    Ok(params) => ServerEvent::ElicitationComplete(params.elicitation_id),
                    Err(_) => return,
                }
            }
            _ => {
                let apart = subscription(&decoded).and_then(|id| self.listens.told(&id));
                if let Some(told) = apart {
                    return guarded(|| told(&method, params.as_ref()));
                }
                ServerEvent::Other { method, params }
            }
        };
        if let ServerEvent::Other { method, .. } = &event
            && matches!(method.as_str(), notification::TASKS | notification::TASKS_STATUS)
        {
            self.handlers.task_news.came(&decoded);
        }
        self.cache.evict(&event);
        if self.is_wanted(&decoded) {
            self.handlers.tell(event);
        }
    }

    fn stray(&self, frame: &[u8]) {
        let line = String::from_utf8_lossy(&frame[..frame.len().min(STRAY_BYTES_MAX)]);
        if !line.trim().is_empty() {
            self.handlers.tell(ServerEvent::Stray(line.trim().to_owned()));
        }
    }

    fn refuses(&self, malformed: &Malformed) -> bool {
        // A stray line of a server's output is no request, and a modern server waits for nothing.
        malformed.id.is_some() && self.session_revision().is_some()
    }

    fn has_batches(&self) -> bool {
        self.session_revision().is_some_and(Revision::has_batches)
    }

    fn unknown_id(&self) -> UnknownId {
        match self.session_revision() {
            Some(revision) if revision < Revision::V2025_11_25 => UnknownId::Null,
            _ => UnknownId::Omitted,
        }
    }

    fn input_ended(&self) {
        self.ended.store(true, Ordering::Release);
        for (_, entry) in self.peer.in_flight.take_all() {
            entry.cancel.cancel(Some("the connection is closed".to_owned()));
        }
    }
}
