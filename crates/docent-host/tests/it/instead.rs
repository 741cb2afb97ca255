//! A server that answers some requests in another way than servers do.

use std::sync::Arc;
use std::task::Poll;

use docent_mcp::jsonrpc::{ErrorObject, RawJson};
use docent_mcp::server::{Call, ServerService};
use docent_mcp::transport::BoxFuture;
use tower_layer::Layer;
use tower_service::Service;

pub(crate) type Answering = BoxFuture<'static, Result<RawJson, ErrorObject>>;

/// A layer of a server: what the function has an answer for does not reach the server.
#[derive(Clone)]
pub(crate) struct Instead(Arc<dyn Choose>);

/// The answer to a request, if it is not the server's to give.
trait Choose: Fn(&Call) -> Option<Answering> + Send + Sync {}

impl<F: Fn(&Call) -> Option<Answering> + Send + Sync> Choose for F {}

impl Instead {
    pub(crate) fn new(
        function: impl Fn(&Call) -> Option<Answering> + Send + Sync + 'static,
    ) -> Self {
        Instead(Arc::new(function))
    }

    /// Never answers what fits.
    pub(crate) fn silence(fits: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Self {
        Instead::new(move |call| {
            fits(call).then(|| -> Answering { Box::pin(std::future::pending()) })
        })
    }
}

impl Layer<ServerService> for Instead {
    type Service = InsteadService;

    fn layer(&self, inner: ServerService) -> InsteadService {
        InsteadService { instead: self.clone(), inner }
    }
}

#[derive(Clone)]
pub(crate) struct InsteadService {
    instead: Instead,
    inner: ServerService,
}

impl Service<Call> for InsteadService {
    type Response = RawJson;
    type Error = ErrorObject;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> Poll<Result<(), ErrorObject>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Answering {
        match (self.instead.0)(&call) {
            Some(answering) => answering,
            None => {
                let mut inner = self.inner.clone();
                Box::pin(async move { inner.call(call).await })
            }
        }
    }
}
