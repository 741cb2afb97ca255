//! OpenTelemetry: a span and a duration for each request to the gateway, and for each that it makes
//! at a server, sent to a collector as JSON over HTTP (OTLP).
//!
//! `settings` reads the environment that all of OpenTelemetry agrees on; `context` is where a span
//! belongs, as requests carry it; `span` describes one request, `measure` adds durations up, and
//! `export` sends both away, behind everything else. Nothing waits for it: what cannot be kept or
//! sent is dropped and counted. Names, codes and times leave this program; arguments, results,
//! tokens and what follows a `?` in an address do not.

mod context;
mod export;
mod json;
mod measure;
mod settings;
mod span;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tokio::sync::Notify;

pub(crate) use context::{SPAN, TraceContext};
pub(crate) use span::{Kind, Span};

use self::export::Exporter;
use self::measure::Measures;
use self::settings::Settings;

/// Sends traces and metrics of a [`Gateway`](crate::Gateway) to a collector. Clones are the same.
///
/// ```no_run
/// use docent_host::{Gateway, Host, Telemetry};
///
/// # fn build(host: Host) -> Gateway {
/// let mut gateway = Gateway::builder(host);
/// if let Some(telemetry) = Telemetry::from_env() {
///     gateway = gateway.telemetry(telemetry);
/// }
/// gateway.build()
/// # }
/// ```
#[derive(Clone)]
pub struct Telemetry(Arc<Inner>);

struct Inner {
    settings: Settings,
    /// Spans that wait to be sent.
    spans: Mutex<Vec<Value>>,
    measures: Mutex<Measures>,
    /// How the servers are doing: name and whether it is up.
    servers: OnceLock<Servers>,
    dropped: AtomicU64,
    /// Told when there is enough to send at once.
    full: Arc<Notify>,
    exporting: OnceLock<()>,
}

type Servers = Box<dyn Fn() -> Vec<(String, bool)> + Send + Sync>;

/// Spans that are sent at once.
const BATCH: usize = 512;
/// How long the last ones may take, when all is over.
const LAST_PATIENCE: Duration = Duration::from_secs(2);

impl Telemetry {
    /// What the environment asks for (`OTEL_EXPORTER_OTLP_ENDPOINT` and others); none if it names no
    /// collector, or switches all of it off.
    pub fn from_env() -> Option<Telemetry> {
        Telemetry::from_variables(|name| std::env::var(name).ok())
    }

    /// [`Telemetry::from_env`] with other variables than those of this process.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Option<Telemetry> {
        let settings = Settings::read(&variable)?;
        Some(Telemetry(Arc::new(Inner {
            settings,
            spans: Mutex::default(),
            measures: Mutex::default(),
            servers: OnceLock::new(),
            dropped: AtomicU64::new(0),
            full: Arc::default(),
            exporting: OnceLock::new(),
        })))
    }

    /// Has the state of servers told as well.
    pub(crate) fn watch(&self, servers: impl Fn() -> Vec<(String, bool)> + Send + Sync + 'static) {
        let _ = self.0.servers.set(Box::new(servers));
    }

    /// Where a new span belongs: below the one of a request, or at the beginning of a trace.
    pub(crate) fn below(&self, parent: Option<&str>) -> TraceContext {
        let parent = parent.and_then(TraceContext::parse);
        TraceContext::below(parent, |trace| self.0.settings.sampler.samples(parent, trace))
    }

    /// Takes a span that is over. The first one starts whoever sends them.
    pub(crate) fn take(&self, span: &Span, end: SystemTime) {
        let inner = &self.0;
        if inner.settings.metrics.is_some() {
            inner.measures().add(span, span.since.elapsed());
        }
        if span.context.is_sampled() && inner.settings.traces.is_some() {
            let mut spans = inner.spans();
            if spans.len() >= inner.settings.queue_max {
                drop(spans);
                inner.dropped.fetch_add(1, Ordering::Relaxed);
            } else {
                spans.push(span.json(end));
                if spans.len() >= BATCH {
                    inner.full.notify_one();
                }
            }
        }
        self.start();
    }

    fn start(&self) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            self.0.exporting.get_or_init(|| {
                let exporter = Exporter::new(self.0.settings.clone());
                runtime.spawn(exporter.run(Arc::downgrade(&self.0), self.0.full.clone()));
            });
        }
    }

    /// Sends what is left, but does not take long.
    pub(crate) async fn flush(&self) {
        let exporter = Exporter::new(self.0.settings.clone());
        let _ = tokio::time::timeout(LAST_PATIENCE, exporter.send(&self.0, true)).await;
    }
}

impl Inner {
    fn spans(&self) -> MutexGuard<'_, Vec<Value>> {
        self.spans.lock().expect("no panic while locked")
    }

    fn measures(&self) -> MutexGuard<'_, Measures> {
        self.measures.lock().expect("no panic while locked")
    }
}

impl std::fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Telemetry").field("settings", &self.0.settings).finish_non_exhaustive()
    }
}

/// A moment as OTLP writes it.
fn nanos(time: SystemTime) -> Value {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos().to_string().into()
}
