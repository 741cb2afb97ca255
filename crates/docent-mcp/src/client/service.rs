//! The service that makes requests, as layers see it.

use std::sync::Arc;
use std::task::{Context, Poll};

use tower_service::Service;

use super::link::Link;
use super::listens::Listening;
use super::options::RequestOptions;
use crate::error::{Error, Result};
use crate::jsonrpc::{RawJson, RawObject};
use crate::layer::Named;
use crate::transport::BoxFuture;
use crate::types::Adapt as _;

/// A request on its way to the server.
#[derive(Clone)]
pub struct ClientCall {
    /// The method.
    pub method: String,
    /// The parameters. Metadata of the protocol is added when the request is sent.
    pub params: RawObject,
    pub(crate) options: RequestOptions,
    pub(crate) link: Arc<Link>,
    /// What the protocol puts into `_meta` of every request of this connection.
    pub(crate) protocol_meta: RawObject,
    /// What is known of a listen request while it is made.
    pub(crate) listening: Option<Arc<Listening>>,
}

impl Named for ClientCall {
    fn method(&self) -> &str {
        &self.method
    }
}

impl std::fmt::Debug for ClientCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientCall").field("method", &self.method).finish_non_exhaustive()
    }
}

/// The making of requests with all layers that were added so far.
#[derive(Clone)]
pub struct ClientService(Inner);

#[derive(Clone)]
enum Inner {
    Direct,
    Layered(Arc<dyn Fn(ClientCall) -> BoxFuture<'static, Result<RawJson>> + Send + Sync>),
}

impl ClientService {
    pub(super) fn direct() -> Self {
        ClientService(Inner::Direct)
    }

    pub(super) fn new<S>(service: S) -> Self
    where
        S: Service<ClientCall, Response = RawJson, Error = Error> + Clone + Send + Sync + 'static,
        S::Future: Send,
    {
        ClientService(Inner::Layered(Arc::new(move |call| {
            let mut service = service.clone();
            Box::pin(async move {
                std::future::poll_fn(|cx| service.poll_ready(cx)).await?;
                service.call(call).await
            })
        })))
    }

    pub(super) fn call_boxed(&self, call: ClientCall) -> BoxFuture<'static, Result<RawJson>> {
        match &self.0 {
            Inner::Direct => Box::pin(send(call)),
            Inner::Layered(layered) => layered(call),
        }
    }
}

impl Service<ClientCall> for ClientService {
    type Response = RawJson;
    type Error = Error;
    type Future = BoxFuture<'static, Result<RawJson>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ClientCall) -> Self::Future {
        self.call_boxed(call)
    }
}

impl std::fmt::Debug for ClientService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientService").finish_non_exhaustive()
    }
}

/// The innermost service: puts the metadata in and sends.
async fn send(call: ClientCall) -> Result<RawJson> {
    let ClientCall { method, mut params, options, link, protocol_meta, listening } = call;
    let wants_progress = options.call.progress.is_some();
    let mut meta = options.meta;
    let revision = link.server().revision;
    let listening = listening.map(|listening| (link.clone(), listening));
    let encode = move |id: &crate::jsonrpc::Id| {
        if let Some((link, listening)) = listening {
            link.listens.insert(id, &listening);
        }
        if let Some(Ok(own)) = params.remove("_meta").map(|own| own.decode()) {
            meta.merge(own);
        }
        // What the protocol says about the request is not for callers to change.
        meta.adapt(revision);
        if wants_progress {
            meta.set_progress_token(id.clone());
        }
        let mut meta = RawObject::from(meta.into_inner());
        meta.extend(protocol_meta);
        if !meta.is_empty() {
            params.insert("_meta", meta.encode());
        }
        Ok((!params.is_empty()).then(|| params.encode()))
    };
    link.peer.request(&method, Box::new(encode), options.call).await
}
