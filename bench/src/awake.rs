//! Keeps cores from sleeping while something is measured.
//!
//! Where one call follows another, every core sleeps several times in each. Waking one is the
//! machine's work; on a virtual one it can take longer than the call, and differs from minute to
//! minute.

use std::os::unix::process::parent_id;
use std::process::{Child, Command, Stdio};
use std::{env, hint, thread};

use crate::Result;

/// One process for each core, which runs whenever nothing else wants to.
pub(crate) struct Awake(Vec<Child>);

impl Awake {
    pub(crate) fn start() -> Result<Self> {
        let mut awake = Awake(Vec::new());
        for core in 0..thread::available_parallelism()?.get() {
            // The scheduler takes such a process off its core at once when another one wakes.
            let mut command = Command::new("chrt");
            command.args(["--idle", "0", "taskset", "--cpu-list", &core.to_string()]);
            command.arg(env::current_exe()?).arg("spin");
            let child = command.stdin(Stdio::null()).spawn();
            awake.0.push(
                child.map_err(|e| format!("--awake needs the programs chrt and taskset: {e}"))?,
            );
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

/// Leaves the caches and the rest of its core alone, which what is measured will want back.
pub(crate) fn spin() {
    let parent = parent_id();
    while parent_id() == parent {
        for _ in 0..100_000 {
            hint::spin_loop();
        }
    }
}
