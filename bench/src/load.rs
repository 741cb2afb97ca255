//! The timed loops.

use std::io::Write;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::requests::Requests;
use crate::responses::Seen;
use crate::server::Server;
use crate::{Result, proc};

pub(crate) struct Latency {
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) calls_per_s: f64,
    pub(crate) server_us_per_call: f64,
}

/// One call at a time.
pub(crate) fn sequential(
    server: &mut Server,
    requests: &mut Requests,
    seen: &mut Seen,
    time: Duration,
) -> Result<Latency> {
    let meter = Meter::start(server.pid)?;
    let mut times = Vec::new();
    let mut before = meter.started;
    while before - meter.started < time {
        server.write(requests.next(1))?;
        receive(server, seen, 1)?;
        let after = Instant::now();
        times.push(after - before);
        before = after;
    }
    let Throughput { calls_per_s, server_us_per_call, .. } = meter.stop(times.len())?;
    times.sort_unstable();
    let at = |share: f64| micros(times[((times.len() - 1) as f64 * share) as usize]);
    Ok(Latency { p50_us: at(0.5), p99_us: at(0.99), calls_per_s, server_us_per_call })
}

/// Calls per second, and who worked how much for them.
pub(crate) struct Throughput {
    pub(crate) calls_per_s: f64,
    pub(crate) server_us_per_call: f64,
    pub(crate) generator_us_per_call: f64,
    pub(crate) server_cores: f64,
    pub(crate) generator_cores: f64,
    /// What the rest of the machine used meanwhile: the noise.
    pub(crate) other_cores: f64,
}

/// `in_flight` calls at a time, from one thread: what has arrived is replaced by as many new calls
/// in one write. Only for small messages, of which `in_flight` fit into a pipe.
///
/// A write carries a quarter of the calls at most. Otherwise a server that answers all it has read
/// in one write and this loop would take turns, each idle while the other works.
pub(crate) fn pipelined(
    server: &mut Server,
    requests: &mut Requests,
    seen: &mut Seen,
    in_flight: usize,
    time: Duration,
) -> Result<Throughput> {
    let meter = Meter::start(server.pid)?;
    server.write(requests.next(in_flight))?;
    let most = in_flight.div_ceil(4);
    let mut waiting = in_flight;
    let mut calls = 0;
    while waiting > 0 {
        let arrived = receive(server, seen, most)?;
        calls += arrived;
        waiting -= arrived;
        if meter.started.elapsed() < time {
            server.write(requests.next(arrived))?;
            waiting += arrived;
        }
    }
    meter.stop(calls)
}

/// `in_flight` calls at a time that do not fit into a pipe: one thread writes, one reads.
pub(crate) fn large(
    server: &mut Server,
    requests: &mut Requests,
    seen: &mut Seen,
    in_flight: usize,
    time: Duration,
) -> Result<Throughput> {
    let meter = Meter::start(server.pid)?;
    let mut stdin = server.stdin.take().ok_or("the input is closed")?;
    let (permits, granted) = mpsc::channel();
    let (stdin, calls) = thread::scope(|scope| {
        // Moved in here so that an early return ends the writer too.
        let permits = permits;
        let writer = scope.spawn(move || {
            for () in granted {
                stdin.write_all(requests.next(1))?;
            }
            Ok::<_, std::io::Error>(stdin)
        });
        let grant = |count| (0..count).try_for_each(|_| permits.send(()));
        grant(in_flight)?;
        let mut waiting = in_flight;
        let mut calls = 0;
        while waiting > 0 {
            let arrived = receive(server, seen, in_flight)?;
            calls += arrived;
            waiting -= arrived;
            if meter.started.elapsed() < time {
                grant(arrived)?;
                waiting += arrived;
            }
        }
        drop(permits);
        let stdin = writer.join().map_err(|_| "the writer panicked")??;
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>((stdin, calls))
    })?;
    server.stdin = Some(stdin);
    meter.stop(calls)
}

fn receive(server: &mut Server, seen: &mut Seen, most: usize) -> Result<usize> {
    match server.stdout.receive(seen, most)? {
        0 => Err("the server closed its output".into()),
        _ if seen.duplicates > 0 => Err("the server answered a call twice".into()),
        count => Ok(count),
    }
}

/// What a stretch of time cost everybody.
pub(crate) struct Meter {
    pub(crate) started: Instant,
    pid: u32,
    server: Duration,
    generator: Duration,
    machine: Duration,
}

impl Meter {
    pub(crate) fn start(pid: u32) -> Result<Self> {
        Ok(Self {
            pid,
            server: proc::cpu(pid)?,
            generator: proc::own_cpu()?,
            machine: proc::machine_cpu()?,
            started: Instant::now(),
        })
    }

    pub(crate) fn stop(self, calls: usize) -> Result<Throughput> {
        let elapsed = self.started.elapsed().as_secs_f64();
        let server = proc::cpu(self.pid)?.saturating_sub(self.server);
        let generator = proc::own_cpu()?.saturating_sub(self.generator);
        let machine = proc::machine_cpu()?.saturating_sub(self.machine);
        let calls = calls as f64;
        Ok(Throughput {
            calls_per_s: calls / elapsed,
            server_us_per_call: micros(server) / calls,
            generator_us_per_call: micros(generator) / calls,
            server_cores: server.as_secs_f64() / elapsed,
            generator_cores: generator.as_secs_f64() / elapsed,
            other_cores: machine.saturating_sub(server + generator).as_secs_f64() / elapsed,
        })
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
