//! The running child behind a transport: ends it with the connection, and tells why it ended.

use std::fmt::{self, Write as _};
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::group::{Exit, Group};
use super::input::Input;
use super::output::Rest;
use super::stderr::Tail;
use crate::transport::{BoxFuture, Guard};

/// How long the last words may take to arrive when the child is gone. Longer only if a process
/// that left the group still holds the pipe.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(100);

/// A running child. Dropping it ends the child in the background; ending it tells how that went.
pub struct Process {
    program: String,
    pipes: Pipes,
    /// Taken by whoever ends it first.
    group: Mutex<Option<Group>>,
    exit_timeout: Duration,
    exit: watch::Sender<Option<Exit>>,
}

/// Our ends of what connects us to the child.
#[derive(Clone)]
pub(super) struct Pipes {
    pub(super) input: Input,
    pub(super) rest: Rest,
    pub(super) stderr: Tail,
    /// The task that fills `stderr`, unless the child writes it elsewhere.
    pub(super) draining: Option<AbortHandle>,
}

impl Process {
    pub(super) fn new(program: String, pipes: Pipes, group: Group, exit_timeout: Duration) -> Self {
        let group = Mutex::new(Some(group));
        Process { program, pipes, group, exit_timeout, exit: watch::Sender::new(None) }
    }

    /// Ends the child, gracefully first, and all that it started. Tells how it ended, if that can be
    /// told; whoever asks again is told the same.
    pub async fn end(&self) -> Option<ExitStatus> {
        self.end_after(self.exit_timeout).await
    }

    /// The same for who was told to end and passes that on: SIGTERM comes at once, not only when
    /// the end of its input had no effect.
    pub async fn terminate(&self) -> Option<ExitStatus> {
        self.end_after(Duration::ZERO).await
    }

    async fn end_after(&self, input_timeout: Duration) -> Option<ExitStatus> {
        let mut exit = self.exit.subscribe();
        self.begin_end(input_timeout);
        // Cannot fail, since we hold a sender.
        exit.wait_for(Option::is_some).await.ok()?.and_then(|exit| exit.status)
    }

    /// Ends the child in the background, unless that is under way.
    fn begin_end(&self, input_timeout: Duration) {
        let Some(mut group) = self.take_group() else { return };
        let (exit_timeout, pipes) = (self.exit_timeout, self.pipes.clone());
        let mut report = Report { to: self.exit.clone(), exit: Exit::default() };
        pipes.input.close();
        let ladder = move || {
            report.exit = group.end_after(input_timeout, exit_timeout);
            pipes.finish();
            drop(report);
            group.reap();
        };
        // Without a thread, `ladder` is dropped, which ends the group at once, and reports.
        let _ = thread::Builder::new().name("docent-child-end".to_owned()).spawn(ladder);
    }

    fn take_group(&self) -> Option<Group> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn exit(&self) -> Option<Exit> {
        let ended = *self.exit.borrow();
        ended.or_else(|| {
            let mut group = self.group.lock().unwrap_or_else(PoisonError::into_inner);
            let status: ExitStatus = group.as_mut()?.peek()?;
            Some(Exit { status: Some(status), forced: None })
        })
    }
}

impl Guard for Process {
    fn end(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.end().await;
        })
    }

    /// Complete once the child was ended; before, it is what is known so far.
    fn explain(&self) -> Option<String> {
        let mut text = format!("`{}` ", self.program);
        // Writing to a string cannot fail.
        let _ = match self.exit() {
            None => write!(text, "is running"),
            Some(Exit { forced: Some(signal), .. }) => {
                write!(text, "did not exit by itself and was ended with {signal}")
            }
            Some(Exit { status: Some(status), .. }) => write!(text, "has ended, {status}"),
            Some(Exit { status: None, .. }) => write!(text, "has ended"),
        };
        let lines = self.pipes.stderr.last_lines();
        if lines.is_empty() {
            text.push_str("; it wrote nothing to stderr");
        } else {
            let _ = write!(text, "; its stderr ends with:\n{lines}");
        }
        Some(text)
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("program", &self.program).finish_non_exhaustive()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.begin_end(self.exit_timeout);
    }
}

impl Pipes {
    /// Lets the last words arrive, then stops listening.
    fn finish(&self) {
        if let Some(draining) = &self.draining {
            let deadline = Instant::now() + DRAIN_TIMEOUT;
            while !draining.is_finished() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
            }
            draining.abort();
        }
        self.rest.end();
    }
}

/// Tells how the child ended when dropped, so that nobody waits in vain whatever goes wrong.
struct Report {
    to: watch::Sender<Option<Exit>>,
    exit: Exit,
}

impl Drop for Report {
    fn drop(&mut self) {
        self.to.send_replace(Some(self.exit));
    }
}
