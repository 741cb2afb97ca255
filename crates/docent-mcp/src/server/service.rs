//! The service that answers requests, as layers see it.

use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use tower_service::Service;

use super::{Context, router};
use crate::jsonrpc::{ErrorObject, RawJson};
use crate::layer::Named;
use crate::transport::BoxFuture;

/// A request on its way to its handler.
#[derive(Clone, Debug)]
pub struct Call {
    /// The method.
    pub method: String,
    /// The parameters, still as text.
    pub params: Option<RawJson>,
    /// Who asks, and how to talk back.
    pub context: Context,
}

impl Named for Call {
    fn method(&self) -> &str {
        &self.method
    }
}

/// The handling of requests with all layers that were added so far.
#[derive(Clone)]
pub struct ServerService(Inner);

#[derive(Clone)]
enum Inner {
    /// No layers: straight to the router.
    Router,
    Layered(Arc<dyn Fn(Call) -> BoxFuture<'static, Result<RawJson, ErrorObject>> + Send + Sync>),
}

impl ServerService {
    pub(super) fn router() -> Self {
        ServerService(Inner::Router)
    }

    pub(super) fn new<S>(service: S) -> Self
    where
        S: Service<Call, Response = RawJson, Error = ErrorObject> + Clone + Send + Sync + 'static,
        S::Future: Send,
    {
        ServerService(Inner::Layered(Arc::new(move |call| {
            // A service is made ready before it is called, which needs it for itself: hence a
            // clone per request, as tower has it.
            let mut service = service.clone();
            Box::pin(async move {
                std::future::poll_fn(|cx| service.poll_ready(cx)).await?;
                service.call(call).await
            })
        })))
    }

    pub(crate) fn call_boxed(
        &self,
        call: Call,
    ) -> BoxFuture<'static, Result<RawJson, ErrorObject>> {
        match &self.0 {
            Inner::Router => router::route(call),
            Inner::Layered(layered) => layered(call),
        }
    }
}

impl Service<Call> for ServerService {
    type Response = RawJson;
    type Error = ErrorObject;
    type Future = BoxFuture<'static, Result<RawJson, ErrorObject>>;

    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), ErrorObject>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        self.call_boxed(call)
    }
}

impl std::fmt::Debug for ServerService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerService").finish_non_exhaustive()
    }
}
