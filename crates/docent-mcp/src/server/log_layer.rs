//! `tracing` events of a handler as log messages to the client that asked for them.

use std::cell::RefCell;
use std::fmt;

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context as LayerContext;

use super::Context;
use crate::types::{JsonObject, LoggingLevel};

thread_local! {
    /// The request whose handler is being polled on this thread.
    static CURRENT: RefCell<Option<Context>> = const { RefCell::new(None) };
}

/// Runs a future with its request as the current one whenever it is polled.
pub(super) async fn as_current<F: Future>(context: &Context, future: F) -> F::Output {
    /// Puts back what was there before, also when the future panics.
    struct Restore(Option<Context>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|cx| {
        let _restore = Restore(CURRENT.replace(Some(context.clone())));
        future.as_mut().poll(cx)
    })
    .await
}

/// A `tracing` layer that sends the events of a handler to its client, from the level on that the
/// client asked for: with `logging/setLevel` in a session, or in the request itself (2026-07-28).
///
/// ```
/// use docent_mcp::server::ClientLogLayer;
/// use tracing_subscriber::layer::SubscriberExt;
///
/// let subscriber = tracing_subscriber::registry().with(ClientLogLayer::new());
/// ```
///
/// Events outside of handlers have no client and go nowhere. Events of this crate itself are left
/// out. Fields whose names say that they hold secrets are replaced; add a
/// [`filter`](ClientLogLayer::filter) for anything else that clients must not see.
#[derive(Default)]
pub struct ClientLogLayer {
    filter: Option<Box<Filter>>,
}

/// Says whether clients may see an event.
type Filter = dyn Fn(&Event<'_>) -> bool + Send + Sync;

impl ClientLogLayer {
    /// Sends every event of every handler.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sends only events for which `filter` says yes.
    #[must_use]
    pub fn filter(mut self, filter: impl Fn(&Event<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.filter = Some(Box::new(filter));
        self
    }
}

impl<S: Subscriber> Layer<S> for ClientLogLayer {
    fn on_event(&self, event: &Event<'_>, _: LayerContext<'_, S>) {
        let metadata = event.metadata();
        if metadata.target().starts_with(env!("CARGO_CRATE_NAME")) {
            return;
        }
        let Some(context) = CURRENT.with_borrow(Clone::clone) else { return };
        let level = level_of(*metadata.level());
        if !context.logs(level) || self.filter.as_ref().is_some_and(|filter| !filter(event)) {
            return;
        }
        let mut fields = Fields(JsonObject::new());
        event.record(&mut fields);
        context.log_now(level, Some(metadata.target()), fields.0);
    }
}

fn level_of(level: Level) -> LoggingLevel {
    match level {
        Level::ERROR => LoggingLevel::Error,
        Level::WARN => LoggingLevel::Warning,
        Level::INFO => LoggingLevel::Info,
        Level::DEBUG | Level::TRACE => LoggingLevel::Debug,
    }
}

/// The fields of an event as JSON.
struct Fields(JsonObject);

impl Fields {
    fn insert(&mut self, field: &Field, value: Value) {
        let secret =
            ["password", "secret", "token", "authorization", "api_key", "apikey", "cookie"];
        let name = field.name().to_lowercase();
        let value = match secret.iter().any(|word| name.contains(word)) {
            true => Value::from("[redacted]"),
            false => value,
        };
        self.0.insert(field.name().to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.insert(field, Value::from(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.insert(field, Value::from(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.insert(field, Value::from(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.insert(field, Value::from(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.insert(field, Value::from(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.insert(field, Value::from(value));
    }
}
