//! Sends what was taken: spans often, metrics now and then, and what a collector does not take is
//! tried again a few times, while new spans wait in their bounded queue.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use docent_mcp::Limits;
use docent_mcp::transport::http::HttpEndpoint;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

use super::json::scope;
use super::settings::{Settings, Target};
use super::{BATCH, Inner};

/// How often something is sent before it is given up.
const TRIES: u32 = 3;

pub(super) struct Exporter {
    settings: Settings,
    traces: Option<Way>,
    metrics: Option<Way>,
}

/// A collector that can be reached.
struct Way {
    target: Target,
    client: reqwest::Client,
}

impl Way {
    fn new(target: &Target) -> Option<Way> {
        let client =
            HttpEndpoint::new(&target.url).and_then(|endpoint| endpoint.http(&Limits::default()));
        match client {
            Ok(client) => Some(Way { target: target.clone(), client }),
            Err(error) => {
                tracing::warn!("nothing is sent to the collector: {error:#}");
                None
            }
        }
    }

    /// Sends a message. Tells whether it was taken, or why it makes no sense to try again.
    async fn post(&self, body: &str, timeout: Duration) -> Result<bool, String> {
        let mut request = self
            .client
            .post(&self.target.url)
            .timeout(timeout)
            .header("content-type", "application/json");
        for (name, value) in &self.target.headers {
            request = request.header(name, value.expose());
        }
        let status = match request.body(body.to_owned()).send().await {
            Ok(response) => response.status(),
            Err(error) if error.is_builder() => return Err(error.without_url().to_string()),
            Err(_) => return Ok(false),
        };
        match status.as_u16() {
            200..=299 => Ok(true),
            429 | 502 | 503 | 504 => Ok(false),
            status => Err(format!("it answers {status}")),
        }
    }

    /// Sends a message, again if need be. Returns whether it was taken.
    async fn send(&self, message: &Value, timeout: Duration) -> bool {
        let body = message.to_string();
        let mut pause = Duration::from_secs(1);
        for left in (0..TRIES).rev() {
            match self.post(&body, timeout).await {
                Ok(true) => return true,
                Ok(false) if left > 0 => sleep(pause).await,
                Ok(false) => tracing::debug!("the collector cannot be reached"),
                Err(why) => {
                    tracing::warn!("the collector does not take what is sent: {why}");
                    return false;
                }
            }
            pause *= 2;
        }
        false
    }
}

impl Exporter {
    pub(super) fn new(settings: Settings) -> Self {
        let traces = settings.traces.as_ref().and_then(Way::new);
        let metrics = settings.metrics.as_ref().and_then(Way::new);
        Exporter { settings, traces, metrics }
    }

    /// Sends for as long as there is somebody to send for.
    pub(super) async fn run(self, inner: Weak<Inner>, full: Arc<Notify>) {
        // However short a pause is set, this must not be all that the program does.
        let pause = |set: Duration| set.max(Duration::from_millis(10));
        let mut measured = Instant::now();
        loop {
            let measure = measured + pause(self.settings.metric_pause);
            let due = Instant::now() + pause(self.settings.span_pause);
            tokio::select! {
                () = sleep_until(due.min(measure)) => {}
                () = full.notified() => {}
            }
            let Some(inner) = inner.upgrade() else { return };
            let metrics = Instant::now() >= measure;
            if metrics {
                measured = Instant::now();
            }
            self.send(&inner, metrics).await;
        }
    }

    /// Sends what there is.
    pub(super) async fn send(&self, inner: &Inner, metrics: bool) {
        let timeout = self.settings.timeout;
        if let Some(way) = &self.traces {
            loop {
                let batch: Vec<Value> = {
                    let mut spans = inner.spans();
                    let count = spans.len().min(BATCH);
                    spans.drain(..count).collect()
                };
                if batch.is_empty() {
                    break;
                }
                let count = batch.len() as u64;
                let message = json!({ "resourceSpans": [{
                    "resource": self.settings.resource,
                    "scopeSpans": [{ "scope": scope(), "spans": batch }],
                }]});
                if !way.send(&message, timeout).await {
                    inner.dropped.fetch_add(count, Ordering::Relaxed);
                }
            }
        }
        if let Some(way) = self.metrics.as_ref().filter(|_| metrics) {
            let servers = inner.servers.get().map(|servers| servers()).unwrap_or_default();
            let dropped = inner.dropped.load(Ordering::Relaxed);
            let metrics = inner.measures().json(&servers, dropped);
            let message = json!({ "resourceMetrics": [{
                "resource": self.settings.resource,
                "scopeMetrics": [{ "scope": scope(), "metrics": metrics }],
            }]});
            // What is not taken now is in the next sum.
            way.send(&message, timeout).await;
        }
    }
}
