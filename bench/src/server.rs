//! A server under test: a child process, its pipes, its handshake, its end.

use std::io::Write;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::args::ServerSpec;
use crate::requests::{INITIALIZE, INITIALIZED};
use crate::responses::Responses;
use crate::{Result, proc};

/// How long a server may take to exit once its input has ended.
const EXIT_GRACE: Duration = Duration::from_secs(10);

pub(crate) struct Server {
    child: Arc<Mutex<Child>>,
    /// Taken when the input is closed.
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Responses<ChildStdout>,
    pub(crate) pid: u32,
    /// From the start of the process to the answer to `initialize`.
    pub(crate) first_reply: Duration,
    _watchdog: Sender<()>,
}

impl Server {
    /// Starts a server with `more_tools` tools besides `echo` and shakes hands with it. It is
    /// killed after `limit`, which ends its output: no reader waits for ever.
    pub(crate) fn start(spec: &ServerSpec, more_tools: u32, limit: Duration) -> Result<Self> {
        let started = Instant::now();
        let mut child = Command::new(&spec.program)
            .args(&spec.args)
            .env("BENCH_TOOLS", more_tools.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: cannot start {}: {e}", spec.name, spec.program.display()))?;
        let stdin = child.stdin.take();
        let stdout = Responses::new(child.stdout.take().ok_or("the child has no output")?);
        let pid = child.id();
        let child = Arc::new(Mutex::new(child));
        let watchdog = watch(Arc::clone(&child), limit);
        let first_reply = Duration::ZERO;
        let mut server = Self { child, stdin, stdout, pid, first_reply, _watchdog: watchdog };
        server.handshake(started).map_err(|e| format!("{}: handshake: {e}", spec.name))?;
        Ok(server)
    }

    fn handshake(&mut self, started: Instant) -> Result<()> {
        self.write(INITIALIZE.as_bytes())?;
        let reply = self.stdout.line()?;
        self.first_reply = started.elapsed();
        let reply: Value = serde_json::from_slice(&reply)?;
        if reply["result"]["protocolVersion"] != "2025-11-25" {
            return Err(format!("unexpected answer: {reply}").into());
        }
        self.write(INITIALIZED.as_bytes())
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let stdin = self.stdin.as_mut().ok_or("the input is closed")?;
        Ok(stdin.write_all(bytes)?)
    }

    /// Calls a tool once and checks that it succeeds and, if given, that exactly `text` comes
    /// back, so that the timed loops need to look at ids only.
    pub(crate) fn check(
        &mut self,
        tool: &str,
        arguments: &Value,
        text: Option<&str>,
    ) -> Result<()> {
        let params = json!({ "name": tool, "arguments": arguments });
        let request =
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
        self.write(format!("{request}\n").as_bytes())?;
        let reply: Value = serde_json::from_slice(&self.stdout.line()?)?;
        let result = &reply["result"];
        let succeeded = reply["id"] == 2 && result.is_object() && result["isError"] != true;
        let expected = text.map(|text| json!([{ "type": "text", "text": text }]));
        if !succeeded || expected.is_some_and(|expected| result["content"] != expected) {
            let reply: String = reply.to_string().chars().take(200).collect();
            return Err(format!("{tool} answered {reply}").into());
        }
        Ok(())
    }

    pub(crate) fn memory(&self) -> Result<proc::Memory> {
        proc::memory(self.pid).ok_or_else(|| "the server has exited".into())
    }

    pub(crate) fn kill(&self) {
        end(&self.child);
    }

    /// Closes the input and waits for the process; kills it if it stays.
    pub(crate) fn stop(mut self) -> Result<ExitStatus> {
        drop(self.stdin.take());
        let deadline = Instant::now() + EXIT_GRACE;
        while Instant::now() < deadline {
            if let Some(status) = lock(&self.child).try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(1));
        }
        Err("the server did not exit at the end of its input".into())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Kills the child at the limit, unless the returned sender is dropped before.
pub(crate) fn watch(child: Arc<Mutex<Child>>, limit: Duration) -> Sender<()> {
    let (alive, gone) = mpsc::channel();
    thread::spawn(move || {
        if gone.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            end(&child);
        }
    });
    alive
}

/// Kills and reaps; both are harmless for a child that has been waited for.
pub(crate) fn end(child: &Mutex<Child>) {
    let mut child = lock(child);
    let _ = child.kill();
    let _ = child.wait();
}

fn lock(child: &Mutex<Child>) -> std::sync::MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}
