//! A server under test: a child process that prints where it listens.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::dialect::Target;
use crate::args::ServerSpec;
use crate::server::{end, watch};
use crate::{Result, proc};

pub(super) struct Process {
    child: Arc<Mutex<Child>>,
    pub(super) pid: u32,
    pub(super) target: Target,
    _watchdog: Sender<()>,
}

impl Process {
    /// Starts a server with `more_tools` tools besides `echo`. It is killed after `limit`.
    pub(super) fn start(spec: &ServerSpec, more_tools: u32, limit: Duration) -> Result<Self> {
        let mut child = Command::new(&spec.program)
            .args(&spec.args)
            .env("BENCH_TOOLS", more_tools.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("cannot start {}: {e}", spec.program.display()))?;
        let output = child.stdout.take().ok_or("the child has no output")?;
        let mut process = Self::of(child, Target::echo(""), limit);
        let mut address = String::new();
        BufReader::new(output.take(1024)).read_line(&mut address)?;
        process.target = Target::echo(address.trim_end());
        match process.target.address.is_empty() {
            true => Err("the server did not say where it listens".into()),
            false => Ok(process),
        }
    }

    /// A program that listens where it was told to, or will.
    pub(super) fn of(child: Child, target: Target, limit: Duration) -> Self {
        let pid = child.id();
        let child = Arc::new(Mutex::new(child));
        let watchdog = watch(Arc::clone(&child), limit);
        Self { child, pid, target, _watchdog: watchdog }
    }

    pub(super) fn memory(&self) -> Result<proc::Memory> {
        proc::memory(self.pid).ok_or_else(|| "the server has exited".into())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        end(&self.child);
    }
}
