//! A child and everything that it started: how they are ended, and the child reaped.
//!
//! The ladder runs on a thread of its own, without the runtime: it must also work in a destructor,
//! while the runtime shuts down, and when whoever asked for it no longer waits.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use super::crash::{Crash, crash};
use super::members;
use super::watchdog::Watched;

/// How long the dead may take to go. SIGKILL works at once, unless a process hangs in the kernel.
const KILL_TIMEOUT: Duration = Duration::from_millis(500);
/// Far beyond what anybody waits for, and within what the clock can express.
const EXIT_TIMEOUT_MAX: Duration = Duration::from_secs(24 * 3600);
/// How often to look: at first at once, since most children leave at once.
const LOOK_MIN: Duration = Duration::from_millis(1);
const LOOK_MAX: Duration = Duration::from_millis(25);

pub(super) struct Group {
    leader: Child,
    /// How the leader ended. Known as soon as it was reaped.
    status: Option<ExitStatus>,
    reaped: bool,
    /// The strongest signal that the leader needed.
    forced: Option<&'static str>,
    watched: Option<Watched>,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Exit {
    /// Unknown if somebody else reaped it, or nobody could.
    pub(super) status: Option<ExitStatus>,
    /// The signal that we had to send, if it did not exit by itself.
    pub(super) forced: Option<&'static str>,
}

impl Group {
    pub(super) fn new(leader: Child, watched: Watched) -> Self {
        Group { leader, status: None, reaped: false, forced: None, watched: Some(watched) }
    }

    /// Resolves when the leader has crashed.
    pub(super) fn crash(&self) -> Crash {
        crash(&self.leader)
    }

    /// How the leader ended, if it did.
    pub(super) fn peek(&mut self) -> Option<ExitStatus> {
        self.status.or_else(|| members::peek(&mut self.leader))
    }

    /// Ends all members and reaps the leader, whose input has been closed. Takes at most twice the
    /// timeout and a little more.
    pub(super) fn end(&mut self, exit_timeout: Duration) -> Exit {
        self.end_after(exit_timeout, exit_timeout)
    }

    /// The same with another time for those who mind the end of their input.
    pub(super) fn end_after(&mut self, input_timeout: Duration, exit_timeout: Duration) -> Exit {
        let input_timeout = input_timeout.min(EXIT_TIMEOUT_MAX);
        let exit_timeout = exit_timeout.min(EXIT_TIMEOUT_MAX);
        // What the leader leaves behind mostly had the same input and is about to exit too.
        let straggler_timeout = input_timeout / 5;
        // One that was stopped would not see that its input is at an end.
        members::resume(&mut self.leader);
        if !self.wait(input_timeout, straggler_timeout) {
            self.force("SIGTERM");
            members::terminate(&mut self.leader);
            if !self.wait(exit_timeout, exit_timeout) {
                self.force("SIGKILL");
                members::kill(&mut self.leader);
                self.wait(KILL_TIMEOUT, KILL_TIMEOUT);
            }
        }
        // Only now, since the watchdog has to know the group for as long as it has members, and at
        // once, since the group's number is free from here on. Numbers are handed out in turn: it
        // takes tens of thousands of new processes before it can come up again.
        self.watched = None;
        Exit { status: self.status, forced: self.forced }
    }

    /// Reaps a leader that even SIGKILL did not end in time, however long that takes.
    pub(super) fn reap(mut self) {
        if !self.reaped {
            self.status = self.leader.wait().ok();
            self.reaped = true;
        }
    }

    fn force(&mut self, signal: &'static str) {
        if !self.reaped {
            self.forced = Some(signal);
        }
    }

    /// Waits until all are gone and tells whether they are; the others have `straggler_timeout`
    /// after the leader.
    fn wait(&mut self, leader_timeout: Duration, straggler_timeout: Duration) -> bool {
        let mut deadline = Instant::now() + leader_timeout;
        let mut pause = LOOK_MIN;
        loop {
            if !self.reaped && self.try_reap() {
                deadline = deadline.min(Instant::now() + straggler_timeout);
                pause = LOOK_MIN;
            }
            if self.reaped && !members::any_alive(&self.leader) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(LOOK_MAX);
        }
    }

    fn try_reap(&mut self) -> bool {
        self.reaped = match self.leader.try_wait() {
            Ok(status) => {
                self.status = status;
                status.is_some()
            }
            // Somebody else reaped it: a host that waits for any child, or that ignores SIGCHLD.
            Err(_) => true,
        };
        self.reaped
    }
}

/// For the paths on which nobody climbed the ladder: spawning failed halfway, or there was no thread
/// to be had.
impl Drop for Group {
    fn drop(&mut self) {
        if self.watched.is_some() {
            members::kill(&mut self.leader);
            self.wait(KILL_TIMEOUT, KILL_TIMEOUT);
        }
    }
}
