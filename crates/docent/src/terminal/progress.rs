//! Progress on standard error, on a terminal only.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use docent_packages::{Progress, Update};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::size;

/// What takes longer than this is shown.
const PATIENCE: Duration = Duration::from_millis(300);

/// A line that says what is being waited for; gone when dropped.
pub(crate) struct Waiting {
    bar: ProgressBar,
}

impl Waiting {
    pub(crate) fn new() -> Self {
        let bar = if is_shown() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.set_style(spinner());
        Self { bar }
    }

    /// Reports from the engine.
    pub(crate) fn progress(&self) -> Progress {
        if self.bar.is_hidden() {
            return Progress::default();
        }
        let bar = self.bar.clone();
        let start = std::time::Instant::now();
        Progress::new(move |update| {
            bar.set_message(message(&update));
            // Quick work would only flicker.
            if start.elapsed() > PATIENCE {
                bar.enable_steady_tick(Duration::from_millis(100));
            }
        })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Many pieces of work at once: a bar for all, and a line for each that is under way.
pub(crate) struct Many {
    bars: MultiProgress,
    all: ProgressBar,
    running: Arc<Mutex<BTreeMap<usize, ProgressBar>>>,
}

impl Many {
    pub(crate) fn new(total: usize) -> Self {
        let bars = MultiProgress::new();
        if !is_shown() {
            bars.set_draw_target(ProgressDrawTarget::hidden());
        }
        let all = bars.add(ProgressBar::new(total as u64));
        all.set_style(overall());
        all.enable_steady_tick(Duration::from_millis(200));
        Self { bars, all, running: Arc::default() }
    }

    /// One piece begins; its reports go to a line of its own.
    pub(crate) fn begin(&self, number: usize, name: &str) -> Progress {
        let bar = self.bars.add(ProgressBar::new_spinner());
        bar.set_style(spinner());
        bar.set_message(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
        self.lock().insert(number, bar.clone());
        let name = name.to_owned();
        Progress::new(move |update| {
            let line = match &update {
                Update::Downloading { bytes, total, .. } => {
                    format!("{name}  {}", received(*bytes, *total))
                }
                _ => format!("{name}  reading"),
            };
            bar.set_message(line);
        })
    }

    /// One piece is done.
    pub(crate) fn end(&self, number: usize) {
        if let Some(bar) = self.lock().remove(&number) {
            bar.finish_and_clear();
        }
        self.all.inc(1);
    }

    pub(crate) fn finish(&self) {
        self.all.finish_and_clear();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<usize, ProgressBar>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_shown() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

fn spinner() -> ProgressStyle {
    let style = ProgressStyle::with_template("  {spinner} {wide_msg}");
    style.unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn overall() -> ProgressStyle {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} packages  {elapsed}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸ ")
}

fn message(update: &Update) -> String {
    match update {
        Update::Downloading { what, bytes, total } => {
            format!("fetching {what}  {}", received(*bytes, *total))
        }
        Update::Reading { what } => format!("reading {what}"),
        _ => String::new(),
    }
}

fn received(bytes: u64, total: Option<u64>) -> String {
    match total {
        Some(total) => format!("{} of {}", size(bytes), size(total)),
        None => size(bytes),
    }
}
