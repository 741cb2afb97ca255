//! At most so many requests at once.

use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::Semaphore;
use tower_layer::Layer;
use tower_service::Service;

use super::Named;
use crate::transport::BoxFuture;

/// Lets at most a given number of requests run at once; the others wait their turn.
#[derive(Clone, Debug)]
pub struct ConcurrencyLimitLayer(Arc<Semaphore>);

impl ConcurrencyLimitLayer {
    /// At most `max` at once, over everything this layer and its clones wrap.
    pub fn new(max: usize) -> Self {
        ConcurrencyLimitLayer(Arc::new(Semaphore::new(max)))
    }
}

impl<S> Layer<S> for ConcurrencyLimitLayer {
    type Service = ConcurrencyLimit<S>;

    fn layer(&self, inner: S) -> ConcurrencyLimit<S> {
        ConcurrencyLimit { inner, running: self.0.clone() }
    }
}

/// The service of [`ConcurrencyLimitLayer`].
#[derive(Clone, Debug)]
pub struct ConcurrencyLimit<S> {
    inner: S,
    running: Arc<Semaphore>,
}

impl<S, R> Service<R> for ConcurrencyLimit<S>
where
    S: Service<R> + Clone + Send + 'static,
    S::Future: Send + 'static,
    R: Named + Send + 'static,
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
        // The service that was made ready is the one that is called; its clone stays behind.
        let next = self.inner.clone();
        let mut ready = std::mem::replace(&mut self.inner, next);
        let running = self.running.clone();
        Box::pin(async move {
            let _permit = running.acquire_owned().await.expect("the semaphore is never closed");
            ready.call(request).await
        })
    }
}
