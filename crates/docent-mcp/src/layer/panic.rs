//! A panic becomes that request's error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use tower_layer::Layer;
use tower_service::Service;

use super::Refusal;
use crate::transport::BoxFuture;

/// Turns panics into errors. The server does this for every request anyway; the layer is for
/// stacks that want to see the error in an outer layer, and for clients.
#[derive(Clone, Copy, Debug, Default)]
pub struct CatchPanicLayer;

impl<S> Layer<S> for CatchPanicLayer {
    type Service = CatchPanic<S>;

    fn layer(&self, inner: S) -> CatchPanic<S> {
        CatchPanic { inner }
    }
}

/// The service of [`CatchPanicLayer`].
#[derive(Clone, Debug)]
pub struct CatchPanic<S> {
    inner: S,
}

impl<S, R> Service<R> for CatchPanic<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
    S::Error: From<Refusal>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let called = catch_unwind(AssertUnwindSafe(|| self.inner.call(request)));
        Box::pin(async move {
            let Ok(future) = called else { return Err(Refusal::Panicked.into()) };
            let mut future = std::pin::pin!(future);
            std::future::poll_fn(|cx| {
                catch_unwind(AssertUnwindSafe(|| Pin::as_mut(&mut future).poll(cx)))
                    .unwrap_or_else(|_| Poll::Ready(Err(Refusal::Panicked.into())))
            })
            .await
        })
    }
}
