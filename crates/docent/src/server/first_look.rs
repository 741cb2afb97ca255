//! The first look at the project, which nobody waits for but who asks for the list of resources, or
//! to be told of their changes: a change is what differs from that look.
//!
//! Lockfiles can be long, and a client wants its first answer at once.

use std::task::{Context, Poll};

use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::{Call, ServerService};
use docent_mcp::transport::BoxFuture;
use docent_mcp::types::method;
use tokio::sync::watch;
use tower_layer::Layer;
use tower_service::Service;

/// Tells that the project has been looked at; dropped, it tells the same.
pub(crate) struct FirstLook(watch::Sender<bool>);

impl FirstLook {
    /// Who looks, and the layer that waits.
    pub(crate) fn new() -> (Self, Awaited) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Awaited(receiver))
    }

    pub(crate) fn done(self) {
        let _ = self.0.send(true);
    }
}

/// The layer.
#[derive(Clone)]
pub(crate) struct Awaited(watch::Receiver<bool>);

impl Layer<ServerService> for Awaited {
    type Service = Waiting;

    fn layer(&self, inner: ServerService) -> Waiting {
        Waiting { looked: self.0.clone(), inner }
    }
}

/// The service with the layer around it.
#[derive(Clone)]
pub(crate) struct Waiting {
    looked: watch::Receiver<bool>,
    inner: ServerService,
}

impl Service<Call> for Waiting {
    type Response = RawJson;
    type Error = ErrorObject;
    type Future = BoxFuture<'static, Result<RawJson, ErrorObject>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ErrorObject>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let waits = matches!(
            &*call.method,
            method::RESOURCES_LIST | method::RESOURCES_SUBSCRIBE | method::SUBSCRIPTIONS_LISTEN
        );
        if !waits || *self.looked.borrow() {
            return self.inner.call(call);
        }
        let mut looked = self.looked.clone();
        let mut inner = self.inner.clone();
        Box::pin(async move {
            // An error means that nobody looks any more, so there is nothing to wait for.
            let _ = looked.wait_for(|looked| *looked).await;
            inner.call(call).await
        })
    }
}
