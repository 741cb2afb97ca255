//! A connection as the server sees it: the legacy session that may live on it, and the context of
//! each request, whichever era it is of.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use super::broker::Subscription;
use super::context::{Caller, LogLevel, Scope};
use super::era::{self, Claim};
use super::{Call, Context, Core};
use crate::jsonrpc::encode::UnknownId;
use crate::jsonrpc::{ErrorObject, Malformed, Notification, RawJson, Request};
use crate::session::{Answer, Cancel, Peer, Role, Signal, Work};
use crate::types::{
    EmptyResult, Era, InitializeRequestParams, InitializeResult, LoggingLevel, Revision,
    SetLevelRequestParams, SubscribeRequestParams, UnsubscribeRequestParams, method, notification,
};

pub(crate) struct ServerSession {
    core: Arc<Core>,
    peer: Arc<Peer>,
    /// Itself, for the contexts it makes.
    this: Weak<ServerSession>,
    legacy: Mutex<Legacy>,
    /// The level that `logging/setLevel` set.
    level: Arc<AtomicU8>,
    ended: AtomicBool,
    ended_changed: Signal,
    /// Tells connections apart; none where requests of many clients meet.
    number: Option<u64>,
}

/// The number of the next connection.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1);

/// The state of the handshake.
#[derive(Default)]
struct Legacy {
    /// Set by `initialize`.
    caller: Option<Arc<Caller>>,
    /// Set by `initialized`: from then on the session is told of changes.
    subscription: Option<Arc<Subscription>>,
}

impl ServerSession {
    pub(crate) fn new(core: Arc<Core>, peer: Arc<Peer>) -> Arc<Self> {
        let number = CONNECTIONS.fetch_add(1, Ordering::Relaxed);
        Self::numbered(core, peer, Some(number))
    }

    /// One for requests that stand alone, whoever makes them.
    #[cfg(feature = "http")]
    pub(crate) fn of_many(core: Arc<Core>, peer: Arc<Peer>) -> Arc<Self> {
        Self::numbered(core, peer, None)
    }

    fn numbered(core: Arc<Core>, peer: Arc<Peer>, number: Option<u64>) -> Arc<Self> {
        Arc::new_cyclic(|this| ServerSession {
            core,
            peer,
            this: this.clone(),
            legacy: Mutex::default(),
            level: Arc::new(AtomicU8::new(LoggingLevel::Info as u8)),
            ended: AtomicBool::new(false),
            ended_changed: Signal::default(),
            number,
        })
    }

    /// The other side of the session, whichever of its requests is being answered.
    pub(crate) fn peer(&self) -> &Arc<Peer> {
        &self.peer
    }

    /// Sends a notification that belongs to no request, at once or not at all.
    pub(crate) fn tell(&self, method: &str, params: &RawJson) {
        if !self.peer.outbox.is_full() {
            self.peer.notify_now(method, Some(params));
        }
    }

    fn legacy(&self) -> MutexGuard<'_, Legacy> {
        self.legacy.lock().expect("no panic while locked")
    }

    /// Who makes this request, or why it cannot be taken.
    fn caller(
        &self,
        request: &Request,
        claim: &Claim,
        peer: &Peer,
    ) -> Result<Arc<Caller>, ErrorObject> {
        let revisions = &self.core.config.revisions;
        match claim.era {
            Era::Modern => {
                let modern = era::modern_claim(claim)?;
                Ok(Arc::new(Caller {
                    revision: era::spoken(modern.version, revisions.modern())?,
                    capabilities: modern.capabilities,
                    client_info: modern.client_info,
                    principal: peer.principal.clone(),
                }))
            }
            Era::Legacy if revisions.legacy().is_empty() => {
                let requested = match request.method.as_str() {
                    method::INITIALIZE => request
                        .params
                        .as_ref()
                        .and_then(|params| params.decode::<InitializeRequestParams>().ok())
                        .map(|params| params.protocol_version),
                    _ => None,
                };
                let requested = requested.as_deref().unwrap_or("none");
                Err(era::unsupported_version(requested, revisions.modern()))
            }
            Era::Legacy => {
                if let Some(caller) = self.legacy().caller.clone() {
                    return Ok(caller);
                }
                // Before the handshake there is only the handshake itself, and ping.
                match request.method.as_str() {
                    method::INITIALIZE | method::PING => Ok(Arc::new(Caller {
                        revision: Revision::V2025_11_25,
                        capabilities: Default::default(),
                        client_info: None,
                        principal: peer.principal.clone(),
                    })),
                    _ => Err(ErrorObject::invalid_request(
                        "the session is not initialized: send `initialize` first, or a request \
                         with the protocol version in its `_meta`",
                    )),
                }
            }
        }
    }

    /// Admits a request that was classified: everything its handler can know of it.
    pub(crate) fn context(
        &self,
        request: &Request,
        claim: Claim,
        cancel: Cancel,
        peer: &Arc<Peer>,
    ) -> Result<Context, ErrorObject> {
        let caller = self.caller(request, &claim, peer)?;
        let log_level = match claim.era {
            Era::Legacy => LogLevel::Session(self.level.clone()),
            Era::Modern => claim.meta.log_level().map_or(LogLevel::Off, LogLevel::Request),
        };
        Ok(Context::new(Scope::new(
            self.core.clone(),
            self.this.upgrade().expect("a session outlives its requests"),
            peer.clone(),
            caller,
            request.id.clone(),
            claim.meta,
            cancel,
            log_level,
        )))
    }

    /// Which era a request is of, as far as this server knows of eras.
    pub(crate) fn classify(&self, request: &Request) -> Result<Claim, ErrorObject> {
        let mut claim = era::classify(request.params.as_ref())?;
        if self.core.config.revisions.modern().is_empty() {
            // A server of the old era does not know what the claim means, and must not answer it
            // with a modern error: that would tell a client not to try the handshake.
            claim.era = Era::Legacy;
        }
        Ok(claim)
    }

    /// Starts to answer a request that was admitted.
    pub(crate) fn dispatch(&self, request: Request, context: Context) -> Work {
        let Request { method, params, .. } = request;
        let call = Call { method, params, context };
        Work::paced(self.core.service.call_boxed(call), &self.core.shared.pace)
    }

    /// The handshake.
    pub(crate) fn initialize(&self, params: &InitializeRequestParams, context: &Context) -> Answer {
        let mut legacy = self.legacy();
        if legacy.caller.is_some() {
            return Err(ErrorObject::invalid_request("the session is already initialized"));
        }
        let spoken = self.core.config.revisions.legacy();
        let newest = *spoken.last().expect("checked when the request was classified");
        let revision = params
            .protocol_version
            .parse()
            .ok()
            .filter(|revision| spoken.contains(revision))
            .unwrap_or(newest);
        let caller = Caller {
            revision,
            capabilities: params.capabilities.clone(),
            client_info: Some(params.client_info.clone()),
            principal: context.scope.caller.principal.clone(),
        };
        legacy.caller = Some(Arc::new(caller));
        let mut result = InitializeResult {
            protocol_version: revision.to_string(),
            capabilities: self.core.capabilities(),
            server_info: self.core.config.info.clone(),
            instructions: self.core.config.instructions.clone(),
            ..Default::default()
        };
        Ok(crate::types::encode_result(&mut result, revision, "complete").into())
    }

    fn initialized(&self) {
        let mut legacy = self.legacy();
        if legacy.caller.is_some() && legacy.subscription.is_none() {
            legacy.subscription = Some(Arc::new(self.core.shared.broker.session(&self.peer)));
        }
    }

    /// The subscription of the session, also for a client that forgot to say `initialized`.
    fn subscription(&self) -> Option<Arc<Subscription>> {
        self.initialized();
        self.legacy().subscription.clone()
    }

    pub(crate) fn subscribe(&self, params: &SubscribeRequestParams, context: &Context) -> Answer {
        crate::uri::check_uri(&params.uri).map_err(|error| {
            ErrorObject::invalid_params(format!("`uri` is not usable: {error}"))
        })?;
        let max = self.core.config.limits.subscriptions_max;
        match self.subscription() {
            Some(subscription) if subscription.watch(&params.uri, max) => {
                Ok(context.reply(EmptyResult::default()))
            }
            _ => Err(ErrorObject::invalid_request(format!(
                "a session may watch at most {max} resources"
            ))),
        }
    }

    pub(crate) fn unsubscribe(
        &self,
        params: &UnsubscribeRequestParams,
        context: &Context,
    ) -> Answer {
        if let Some(subscription) = self.subscription() {
            subscription.unwatch(&params.uri);
        }
        Ok(context.reply(EmptyResult::default()))
    }

    pub(crate) fn set_level(&self, params: Option<RawJson>, context: &Context) -> Answer {
        let params: SetLevelRequestParams = params
            .ok_or_else(|| ErrorObject::invalid_params("`level` is missing"))?
            .decode()
            .map_err(|error| {
                ErrorObject::invalid_params(format!("`level` does not fit: {error}"))
            })?;
        self.level.store(params.level as u8, Ordering::Relaxed);
        Ok(context.reply(EmptyResult::default()))
    }

    /// Resolves when no further message can come.
    pub(crate) async fn ended(&self) {
        self.ended_changed.until(|| self.ended.load(Ordering::Acquire)).await;
    }

    pub(crate) fn number(&self) -> Option<u64> {
        self.number
    }

    /// The revision that the handshake agreed on, if there was one.
    pub(crate) fn agreed(&self) -> Option<Revision> {
        self.legacy().caller.as_ref().map(|caller| caller.revision)
    }
}

impl Role for ServerSession {
    fn request(&self, request: Request, cancel: Cancel, peer: &Arc<Peer>) -> Work {
        let admitted =
            self.classify(&request).and_then(|claim| self.context(&request, claim, cancel, peer));
        match admitted {
            Ok(context) => self.dispatch(request, context),
            Err(error) => Work::done(Err(error)),
        }
    }

    fn notification(&self, notification: Notification) {
        if let Some(notified) = &self.core.config.notified {
            notified(&notification.method, notification.params.as_ref(), self.number);
        }
        match notification.method.as_str() {
            notification::INITIALIZED => self.initialized(),
            method => {
                for extension in &self.core.config.extensions {
                    extension.notification(
                        &self.core.handle(),
                        method,
                        notification.params.as_ref(),
                    );
                }
            }
        }
    }

    fn refuses(&self, _: &Malformed) -> bool {
        true
    }

    fn has_batches(&self) -> bool {
        self.agreed().is_some_and(Revision::has_batches)
    }

    fn unknown_id(&self) -> UnknownId {
        match self.agreed() {
            Some(revision) if revision < Revision::V2025_11_25 => UnknownId::Null,
            _ => UnknownId::Omitted,
        }
    }

    fn input_ended(&self) {
        self.peer.pending.end("the client closed the connection");
        self.legacy().subscription = None;
        self.ended.store(true, Ordering::Release);
        self.ended_changed.notify();
    }
}
