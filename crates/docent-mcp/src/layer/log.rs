//! A `tracing` event per request.

use std::fmt::Display;
use std::task::{Context, Poll};
use std::time::Instant;

use tower_layer::Layer;
use tower_service::Service;

use super::Named;
use crate::transport::BoxFuture;

/// Logs every request when it is done: method, outcome, time. Parameters are never logged.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogLayer;

impl<S> Layer<S> for LogLayer {
    type Service = Log<S>;

    fn layer(&self, inner: S) -> Log<S> {
        Log { inner }
    }
}

/// The service of [`LogLayer`].
#[derive(Clone, Debug)]
pub struct Log<S> {
    inner: S,
}

impl<S, R> Service<R> for Log<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
    S::Error: Display,
    R: Named,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let method = request.method().to_owned();
        let started = Instant::now();
        let running = self.inner.call(request);
        Box::pin(async move {
            let outcome = running.await;
            let elapsed_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
            match &outcome {
                Ok(_) => tracing::info!(method, elapsed_us, "request answered"),
                Err(error) => tracing::warn!(method, elapsed_us, %error, "request failed"),
            }
            outcome
        })
    }
}
