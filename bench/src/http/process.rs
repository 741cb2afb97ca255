//! A server under test: a child process that prints where it listens.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::args::ServerSpec;
use crate::server::{end, watch};
use crate::{Result, proc};

pub(super) struct Process {
    child: Arc<Mutex<Child>>,
    pub(super) pid: u32,
    /// Host and port.
    pub(super) address: String,
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
        let pid = child.id();
        let child = Arc::new(Mutex::new(child));
        let watchdog = watch(Arc::clone(&child), limit);
        let mut process = Self { child, pid, address: String::new(), _watchdog: watchdog };
        BufReader::new(output.take(1024)).read_line(&mut process.address)?;
        process.address.truncate(process.address.trim_end().len());
        match process.address.is_empty() {
            true => Err("the server did not say where it listens".into()),
            false => Ok(process),
        }
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
