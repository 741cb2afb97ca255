//! Tells a client how far its request has come, while the engine works.

use std::future::Future;

use docent_mcp::server::Context;
use docent_mcp::types::LoggingLevel;
use docent_packages::{Progress, Update};
use serde_json::json;
use tokio::sync::mpsc;

/// Reports that may wait; what does not fit is dropped, because the next one says more.
const WAITING_MAX: usize = 64;

/// Runs work that reports its progress, and passes the reports on. Dropping this drops the work.
pub(crate) async fn told<T, Fut>(context: &Context, work: impl FnOnce(Progress) -> Fut) -> T
where
    Fut: Future<Output = T>,
{
    let (sender, mut reports) = mpsc::channel(WAITING_MAX);
    let progress = Progress::new(move |update| {
        let _ = sender.try_send(update);
    });
    let work = work(progress);
    tokio::pin!(work);
    let mut steps = Steps::default();
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            Some(update) = reports.recv() => tell(context, &mut steps, update).await,
        }
    }
}

/// How many things were begun, and how much of the last one is done.
#[derive(Default)]
struct Steps {
    begun: u32,
    what: String,
}

impl Steps {
    /// A number that only grows.
    fn progress(&mut self, what: &str, share: f64) -> f64 {
        if self.what != what {
            what.clone_into(&mut self.what);
            self.begun += 1;
        }
        f64::from(self.begun) + share.clamp(0.0, 0.99)
    }
}

async fn tell(context: &Context, steps: &mut Steps, update: Update) {
    let (message, progress) = match update {
        Update::Downloading { what, bytes, total } => {
            let share =
                total.filter(|total| *total > 0).map_or(0.0, |total| bytes as f64 / total as f64);
            (format!("downloading {what}"), steps.progress(&format!("< {what}"), share))
        }
        Update::Reading { what } => (format!("reading {what}"), steps.progress(&what, 0.0)),
        _ => return,
    };
    // A client that is gone needs no reports; its request is cancelled elsewhere.
    let _ = context.progress(progress, None, message.clone()).await;
    let _ = context.log(LoggingLevel::Debug, Some("docent"), json!({ "message": message })).await;
}
