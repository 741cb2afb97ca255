//! Everything that is logged, at every level, by our crates and by those below them.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, SubscriberExt as _};

use crate::Result;

#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<String>>);

/// Listens from now on, in the whole process.
pub(super) fn start() -> Result<Log> {
    let log = Log::default();
    let subscriber = tracing_subscriber::registry().with(log.clone());
    tracing::subscriber::set_global_default(subscriber)?;
    Ok(log)
}

impl Log {
    pub(super) fn text(&self) -> String {
        self.0.lock().expect("no panic while locked").clone()
    }
}

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = writeln!(self.0, "{field}={value:?}");
    }
}

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Log {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        event.record(&mut Fields(&mut self.0.lock().expect("no panic while locked")));
    }

    fn on_new_span(
        &self,
        attributes: &tracing::span::Attributes<'_>,
        _: &tracing::span::Id,
        _: Context<'_, S>,
    ) {
        attributes.record(&mut Fields(&mut self.0.lock().expect("no panic while locked")));
    }

    fn on_record(
        &self,
        _: &tracing::span::Id,
        values: &tracing::span::Record<'_>,
        _: Context<'_, S>,
    ) {
        values.record(&mut Fields(&mut self.0.lock().expect("no panic while locked")));
    }
}
