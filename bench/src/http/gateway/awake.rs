//! Keeps cores from sleeping while something is measured.
//!
//! Where one call follows another, every core sleeps several times in each. Waking one is the
//! machine's work; on a virtual one it can take longer than the call, and differs from minute to
//! minute.

use std::process::{self, Child, Command, Stdio};
use std::thread;

use crate::Result;

/// Counts for as long as the process that is its argument lives.
const COUNT: &str =
    "while kill -0 $1; do i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; done";

/// One process for each core, which runs whenever nothing else wants to.
pub(super) struct Awake(Vec<Child>);

impl Awake {
    pub(super) fn start() -> Result<Self> {
        let mut awake = Awake(Vec::new());
        for _ in 0..thread::available_parallelism()?.get() {
            // The scheduler takes such a process off its core at once when another one wakes.
            let mut command = Command::new("chrt");
            command.args(["--idle", "0", "sh", "-c", COUNT, "sh", &process::id().to_string()]);
            let child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn();
            awake.0.push(child.map_err(|e| format!("--awake needs the program chrt: {e}"))?);
        }
        Ok(awake)
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It has ended already, or it ends now.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
