//! At most so many requests per time.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

use super::Refusal;
use crate::transport::BoxFuture;

/// Refuses requests beyond a given rate, with the time to wait. A token bucket: `burst` requests
/// may come at once, then one per `interval`.
#[derive(Clone, Debug)]
pub struct RateLimitLayer(Arc<Mutex<Bucket>>);

/// So many at once, then one per interval.
#[derive(Debug)]
pub(crate) struct Bucket {
    interval: Duration,
    burst: u32,
    /// When the bucket will be full again.
    full_at: Instant,
}

impl RateLimitLayer {
    /// `burst` requests at once, then one per `interval`, over everything this layer and its
    /// clones wrap.
    pub fn new(burst: u32, interval: Duration) -> Self {
        RateLimitLayer(Arc::new(Mutex::new(Bucket::new(burst, interval))))
    }
}

impl Bucket {
    pub(crate) fn new(burst: u32, interval: Duration) -> Self {
        Bucket { interval, burst, full_at: Instant::now() }
    }

    /// Takes one token, or says how long until there is one.
    pub(crate) fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let full_at = self.full_at.max(now) + self.interval;
        let wait = (full_at - now).saturating_sub(self.interval * self.burst);
        if wait.is_zero() {
            self.full_at = full_at;
            Ok(())
        } else {
            Err(wait)
        }
    }
}

impl<S> Layer<S> for RateLimitLayer {
    type Service = RateLimit<S>;

    fn layer(&self, inner: S) -> RateLimit<S> {
        RateLimit { inner, bucket: self.0.clone() }
    }
}

/// The service of [`RateLimitLayer`].
#[derive(Clone, Debug)]
pub struct RateLimit<S> {
    inner: S,
    bucket: Arc<Mutex<Bucket>>,
}

impl<S, R> Service<R> for RateLimit<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
    S::Response: Send + 'static,
    S::Error: From<Refusal> + Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let taken = self.bucket.lock().expect("no panic while locked").take(Instant::now());
        match taken {
            Ok(()) => Box::pin(self.inner.call(request)),
            Err(wait) => Box::pin(std::future::ready(Err(Refusal::RateLimited(wait).into()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_then_one_per_interval() {
        let second = Duration::from_secs(1);
        let layer = RateLimitLayer::new(3, second);
        let mut bucket = layer.0.lock().unwrap();
        let start = Instant::now();
        for _ in 0..3 {
            assert_eq!(bucket.take(start), Ok(()));
        }
        assert_eq!(bucket.take(start), Err(second));
        assert_eq!(bucket.take(start + second / 2), Err(second / 2));
        assert_eq!(bucket.take(start + second), Ok(()));
        assert_eq!(bucket.take(start + second), Err(second));
        assert_eq!((0..9).filter(|_| bucket.take(start + 9 * second).is_ok()).count(), 3);
    }
}
