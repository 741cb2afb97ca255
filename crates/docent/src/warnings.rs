//! What a process that serves says beside the protocol: warnings, on standard error.
//!
//! The libraries tell them as events of `tracing`, and here is who listens. All that is less than a
//! warning is switched off where it would be told. Whoever started the process may never read what it
//! says, so nothing here waits for them.

use std::fmt::{self, Display, Write as _};
use std::io::Write as _;
use std::sync::Mutex;

use docent_host::config::Printable;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{Interest, set_global_default};
use tracing::{Event, Level, Metadata, Subscriber};

/// What a pipe that takes anything takes at once.
const WARNING_BYTES_MAX: usize = 4096;

/// Shows the libraries' warnings from now on.
pub(crate) fn show() {
    // Somebody who listens already is as good.
    let _ = set_global_default(Warnings::default());
}

/// Tells one.
pub(crate) fn warn(text: impl Display) {
    let mut stderr = std::io::stderr().lock();
    let mut ready = [PollFd::new(&stderr, PollFlags::OUT)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let taken = poll(&mut ready, Some(&at_once)).is_ok_and(|ready| ready > 0);
    if taken {
        // If nobody is there any more, nobody misses it.
        let _ = stderr.write_all(shown(text).as_bytes());
    }
}

/// One warning: what a server wrote before it ended may have lines of its own, which are set in.
fn shown(text: impl Display) -> String {
    let text = text.to_string();
    let lines = text.trim_end().lines().map(|line| Printable(line).to_string());
    let mut line = format!("warning: {}", lines.collect::<Vec<_>>().join("\n  "));
    if line.len() >= WARNING_BYTES_MAX {
        line.truncate(line.floor_char_boundary(WARNING_BYTES_MAX - "…\n".len()));
        line.push('…');
    }
    line.push('\n');
    line
}

/// Listens to events.
#[derive(Default)]
struct Warnings {
    /// What was told last: what repeats itself with each request is said once.
    last: Mutex<String>,
}

impl Warnings {
    fn wants(metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
            && *metadata.level() <= Level::WARN
            && metadata.target().starts_with("docent")
            // Of servers that fail the host tells in its own way, with each change once.
            && metadata.fields().field("failure").is_none()
    }
}

impl Subscriber for Warnings {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if Self::wants(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        Self::wants(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::WARN)
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = Text::default();
        event.record(&mut text);
        let text = text.finish();
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *last != text {
            warn(&text);
            *last = text;
        }
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        // No span is wanted, so none is told from another.
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// An event in words: the server it is about, what happened, and the rest.
#[derive(Default)]
struct Text {
    server: String,
    message: String,
    rest: String,
}

impl Text {
    fn finish(self) -> String {
        self.server + &self.message + &self.rest
    }
}

impl Visit for Text {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            "server" => write!(self.server, "{value:?}: "),
            "error" | "reason" | "problem" => write!(self.rest, ": {value:?}"),
            name => write!(self.rest, ", {name} {value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_warning_fits_into_a_pipe_and_is_one() {
        assert_eq!(shown("a:\nb\u{1b}[2K\n"), "warning: a:\n  b\\u{1b}[2K\n");
        let fits = WARNING_BYTES_MAX - "warning: \n".len();
        assert_eq!(shown("x".repeat(fits)).len(), WARNING_BYTES_MAX);
        for long in ["x".repeat(fits + 1), "€".repeat(fits)] {
            let line = shown(long);
            assert!(line.len() <= WARNING_BYTES_MAX && line.ends_with("…\n"), "{}", line.len());
        }
    }

    /// What events become, and which do.
    #[test]
    fn warnings_are_told_and_nothing_else() {
        let told = Arc::new(Warnings::default());
        tracing::subscriber::with_default(told.clone(), || {
            let check = |expected: &str| assert_eq!(*told.last.lock().unwrap(), expected);
            tracing::info!("less than a warning");
            check("");
            tracing::warn!(target: "hyper", "of somebody else");
            check("");
            tracing::warn!(server = "a", failure = "gone", "a server is not available");
            check("");
            tracing::warn!(server = "a", "lists are not refreshed: {}", "busy");
            check("a: lists are not refreshed: busy");
            tracing::error!(tool = "t", error = %"bad", "a handler failed");
            check("a handler failed, tool t: bad");
            let _span = tracing::warn_span!("a span").entered();
            check("a handler failed, tool t: bad");
        });
    }
}
