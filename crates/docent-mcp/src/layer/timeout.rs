//! An error for what takes too long.

use std::task::{Context, Poll};
use std::time::Duration;

use tower_layer::Layer;
use tower_service::Service;

use super::{Named, Refusal};
use crate::transport::BoxFuture;

/// Ends requests that take longer than a given time.
#[derive(Clone, Debug)]
pub struct TimeoutLayer(Duration);

impl TimeoutLayer {
    /// Requests may take this long.
    pub fn new(limit: Duration) -> Self {
        TimeoutLayer(limit)
    }
}

impl<S> Layer<S> for TimeoutLayer {
    type Service = Timeout<S>;

    fn layer(&self, inner: S) -> Timeout<S> {
        Timeout { inner, limit: self.0 }
    }
}

/// The service of [`TimeoutLayer`].
#[derive(Clone, Debug)]
pub struct Timeout<S> {
    inner: S,
    limit: Duration,
}

impl<S, R> Service<R> for Timeout<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
    S::Error: From<Refusal>,
    R: Named,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        if request.is_endless() {
            return Box::pin(self.inner.call(request));
        }
        let limit = self.limit;
        let running = tokio::time::timeout(limit, self.inner.call(request));
        Box::pin(
            async move { running.await.unwrap_or_else(|_| Err(Refusal::TimedOut(limit).into())) },
        )
    }
}
