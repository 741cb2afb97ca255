//! The gate that nothing is lost: many calls as fast as they can be written, then end of input.
//! Every call must be answered once, the server must exit well and stay small.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::args::{Eof, ServerSpec};
use crate::requests::Requests;
use crate::responses::Seen;
use crate::server::Server;
use crate::{Result, proc};

/// Calls per write: a little under what a pipe holds.
const BATCH: usize = 512;

/// How often the peak is read. The kernel keeps it, so only the last reading before the exit
/// matters.
const POLL: Duration = Duration::from_millis(2);

/// Runs the gate; true if every run passed.
pub(crate) fn run(options: &Eof) -> Result<bool> {
    let started = Instant::now();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..options.load {
            scope.spawn(|| burn(&stop));
        }
        let outcome = runs(options, started);
        stop.store(true, Ordering::Relaxed);
        outcome
    })
}

fn runs(options: &Eof, started: Instant) -> Result<bool> {
    let (mut pass, mut lost, mut duplicates, mut bad_exits, mut peak) = (true, 0, 0, 0, 0.0_f64);
    for number in 1..=options.runs {
        for spec in &options.servers {
            let run = one_run(spec, options)?;
            let passed = run.lost() == 0
                && run.duplicates == 0
                && run.exited_well()
                && run.problem.is_none()
                && run.peak_mib <= options.rss_mib;
            pass &= passed;
            lost += run.lost();
            duplicates += run.duplicates;
            bad_exits += usize::from(!run.exited_well());
            peak = peak.max(run.peak_mib);
            print(&json!({
                "server": spec.name,
                "run": number,
                "pass": passed,
                "sent": run.sent,
                "received": run.received,
                "duplicates": run.duplicates,
                "exit": run.exit.map(|status| status.code()),
                "signal": run.exit.and_then(|status| status.signal()),
                "peak_rss_mb": rounded(run.peak_mib),
                "seconds": rounded(run.time.as_secs_f64()),
                "problem": run.problem,
            }))?;
        }
    }
    print(&json!({
        "name": "eof",
        "pass": pass,
        "value": {
            "lost": lost, "duplicates": duplicates, "bad_exits": bad_exits,
            "peak_rss_mb": rounded(peak),
        },
        "limit": { "lost": 0, "duplicates": 0, "bad_exits": 0, "peak_rss_mb": options.rss_mib },
        "seconds": rounded(started.elapsed().as_secs_f64()),
    }))?;
    Ok(pass)
}

struct Run {
    /// Calls wholly written.
    sent: usize,
    /// Of them, how many were asked for.
    wanted: usize,
    received: usize,
    duplicates: usize,
    exit: Option<ExitStatus>,
    peak_mib: f64,
    time: Duration,
    problem: Option<String>,
}

impl Run {
    fn lost(&self) -> usize {
        self.wanted.saturating_sub(self.received)
    }

    fn exited_well(&self) -> bool {
        self.exit.is_some_and(|status| status.success())
    }
}

fn one_run(spec: &ServerSpec, options: &Eof) -> Result<Run> {
    let mut server = Server::start(spec, 0, options.timeout)?;
    let stdin = server.stdin.take().ok_or("the input is closed")?;
    let pid = server.pid;
    let started = Instant::now();
    let done = AtomicBool::new(false);
    let mut seen = Seen::default();
    let (written, read, peak_mib) = thread::scope(|scope| {
        let writer = scope.spawn(|| write(stdin, options.calls));
        let poller = scope.spawn(|| poll_peak(pid, &done));
        let read = loop {
            match server.stdout.receive(&mut seen, usize::MAX) {
                Ok(0) => break Ok(()),
                Ok(_) => {}
                Err(problem) => {
                    // Nobody reads any more, so the writer would wait for ever.
                    server.kill();
                    break Err(problem);
                }
            }
        };
        let time = started.elapsed();
        done.store(true, Ordering::Relaxed);
        (writer.join(), read.map(|()| time), poller.join())
    });
    let (sent, written) = written.map_err(|_| "the writer panicked")?;
    let stopped = server.stop();
    let problems = [
        written.err().map(|e| format!("writing: {e}")),
        read.as_ref().err().map(|e| format!("reading: {e}")),
        stopped.as_ref().err().map(|e| format!("stopping: {e}")),
    ];
    Ok(Run {
        sent,
        wanted: options.calls,
        received: seen.distinct,
        duplicates: seen.duplicates,
        exit: stopped.ok(),
        peak_mib: peak_mib.map_err(|_| "the poller panicked")?,
        time: read.unwrap_or_else(|_| started.elapsed()),
        problem: problems.into_iter().flatten().next(),
    })
}

/// Writes all calls and closes the input by dropping it.
fn write(mut stdin: impl Write, calls: usize) -> (usize, std::io::Result<()>) {
    let mut requests = Requests::new("echo", r#"{"message":"hello"}"#, BATCH);
    let mut sent = 0;
    while sent < calls {
        let count = BATCH.min(calls - sent);
        if let Err(error) = stdin.write_all(requests.next(count)) {
            return (sent, Err(error));
        }
        sent += count;
    }
    (sent, Ok(()))
}

fn poll_peak(pid: u32, done: &AtomicBool) -> f64 {
    let mut peak = 0.0;
    loop {
        if let Some(memory) = proc::memory(pid) {
            peak = memory.peak;
        }
        if done.load(Ordering::Relaxed) {
            return peak;
        }
        thread::sleep(POLL);
    }
}

fn burn(stop: &AtomicBool) {
    let mut state = 1_u64;
    while !stop.load(Ordering::Relaxed) {
        for _ in 0..1000 {
            state = std::hint::black_box(state.wrapping_mul(6_364_136_223_846_793_005) + 1);
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn print(line: &Value) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}
