//! The comparison over HTTP: rounds in which every server takes its turn, as on stdio.
//!
//! Reading order: `dialect` says how a call can be made, `calls` makes its bytes and `reply` reads
//! the answer; `process` is a server, `blocking` the connection for handshakes and `load` the timed
//! loop. `sockets` counts the connections of a client; `measures` and `goals` are the report.
//! `gateway` puts other programs before a server and measures what they add.

mod blocking;
mod calls;
mod dialect;
mod gateway;
mod goals;
mod load;
mod measures;
mod process;
mod reply;
mod sockets;

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use self::blocking::Blocking;
use self::dialect::{DIALECTS, Spoken};
pub(crate) use self::gateway::{backends, run as gateways};
use self::load::Load;
use self::measures::{CONNECTIONS, key};
use self::process::Process;
use crate::args::{Http, ServerSpec};
use crate::measures::Samples;
use crate::report::Report;
use crate::requests::megabyte;
use crate::{Result, report};

const MORE_TOOLS: u32 = 100;
const SESSIONS: usize = 10_000;
/// Sessions before the first look at memory, so that what all of them share is not counted.
const FIRST_SESSIONS: usize = 500;
/// Connections that sessions are opened on, so that a server which makes each wait can be waited for.
const OPENERS: usize = 32;
/// The longest that one server process may take for its part of a round.
const LIMIT: Duration = Duration::from_secs(180);
const MESSAGE: &str = "hello";

/// One kind of measurement: a server process, from start to exit.
type Part = fn(&ServerSpec, &Http, &mut Samples) -> Result<()>;

pub(crate) fn run(options: &Http) -> Result<()> {
    let sides = &options.sides;
    let mut results: Vec<Samples> = sides.servers.iter().map(|_| Samples::default()).collect();
    let narrow = options.only.is_some() || options.connections.is_some();
    for round in 0..sides.rounds {
        eprintln!("round {} of {}", round + 1, sides.rounds);
        let turns = || (0..sides.servers.len()).map(|turn| (round + turn) % sides.servers.len());
        small_calls(turns(), options, &mut results)?;
        // Memory hardly varies, and sessions take long to open where each waits for a timer.
        let parts: &[Part] = match (narrow, round) {
            (true, _) => &[],
            (false, 0) => &[more_tools, large_calls, sessions],
            (false, _) => &[more_tools, large_calls],
        };
        for part in parts {
            for index in turns() {
                let spec = &sides.servers[index];
                part(spec, options, &mut results[index])
                    .map_err(|e| format!("{}: {e}", spec.name))?;
            }
        }
    }
    let ours = sides.servers.iter().find(|spec| spec.name == sides.ours);
    let sockets = match (&options.client, ours) {
        (Some(client), Some(ours)) => Some(sockets::count(client, ours)?),
        _ => None,
    };
    let measures = measures::measures();
    let report = Report { options: sides, measures: &measures, results: &results };
    let (goals, goals_file) = goals::table(&report, sockets.as_ref())?;
    let client = sockets.as_ref().map(|sockets| {
        json!({
            "calls": sockets::CALLS,
            "connections": sockets.connections,
            "calls_per_s": sockets.calls_per_s,
        })
    });
    let table = report::write(&report, "http", json!({ "goals": goals_file, "client": client }))?;
    let mut out = std::io::stdout();
    write!(out, "{table}\n{goals}")?;
    if let Some(sockets) = sockets {
        writeln!(
            out,
            "\nOur client made {} calls, one at a time, on {} connections: {:.0} calls/s through a \
             forwarder.",
            sockets::CALLS,
            sockets.connections,
            sockets.calls_per_s
        )?;
    }
    Ok(())
}

/// A server that is up, and what it speaks.
struct Up {
    index: usize,
    server: Process,
    spoken: Vec<Spoken>,
}

/// Calls of a few bytes, in every dialect. The servers take turns at each kind of load, so that what
/// else the machine does falls on all of them alike; those that wait are idle.
fn small_calls(
    turns: impl Iterator<Item = usize>,
    options: &Http,
    results: &mut [Samples],
) -> Result<()> {
    let specs = &options.sides.servers;
    let mut up = Vec::new();
    for index in turns {
        let server = Process::start(&specs[index], 0, LIMIT)?;
        let spoken = spoken(&server, options.only.as_deref())
            .map_err(|e| format!("{}: {e}", specs[index].name))?;
        up.push(Up { index, server, spoken });
    }
    // Threads and caches that a server sets up after its first reply belong to its idle state.
    thread::sleep(Duration::from_millis(100));
    for Up { index, server, .. } in &up {
        results[*index].add("rss_idle_mib", server.memory()?.now);
    }
    for dialect in DIALECTS {
        for connections in CONNECTIONS {
            if options.connections.is_some_and(|only| only != connections) {
                continue;
            }
            for Up { index, server, spoken } in &up {
                let Some(spoken) = spoken.iter().find(|spoken| spoken.dialect == dialect) else {
                    continue;
                };
                loaded(server, spoken, connections, options.sides.time, &mut results[*index])
                    .map_err(|e| format!("{}: {e}", specs[*index].name))?;
            }
        }
    }
    for Up { index, server, .. } in &up {
        results[*index].add("rss_loaded_mib", server.memory()?.now);
    }
    Ok(())
}

fn spoken(server: &Process, only: Option<&str>) -> Result<Vec<Spoken>> {
    let mut spoken = Vec::new();
    for dialect in DIALECTS {
        if only.is_none_or(|only| only == dialect.key) {
            spoken.extend(Spoken::find(dialect, &server.target, MESSAGE)?);
        }
    }
    Ok(spoken)
}

/// One server under one kind of load.
fn loaded(
    server: &Process,
    spoken: &Spoken,
    connections: usize,
    time: Duration,
    samples: &mut Samples,
) -> Result<()> {
    let mut load = Load::open(server, spoken, connections, MESSAGE)?;
    load.run(time / 5)?;
    let outcome = load.run(time)?;
    let throughput = &outcome.throughput;
    for (figure, value) in [
        ("calls_per_s", throughput.calls_per_s),
        ("p50_us", outcome.p50_us),
        ("p99_us", outcome.p99_us),
        ("server_us", throughput.server_us_per_call),
        ("generator_us", throughput.generator_us_per_call),
        ("other_cores", throughput.other_cores),
    ] {
        samples.add(key(spoken.dialect.key, connections, figure), value);
    }
    Ok(())
}

/// The first dialect that the server speaks, on a server with many tools.
fn more_tools(spec: &ServerSpec, options: &Http, samples: &mut Samples) -> Result<()> {
    let time = options.sides.time;
    let server = Process::start(spec, MORE_TOOLS, LIMIT)?;
    let spoken = *spoken(&server, None)?.first().ok_or("the server speaks no dialect")?;
    let mut load = Load::open(&server, &spoken, 32, MESSAGE)?;
    load.run(time / 5)?;
    let many = load.run(time)?.throughput;
    samples.add("tools_calls_per_s", many.calls_per_s);
    samples.add("tools_server_us", many.server_us_per_call);
    if let Some(few) = samples.of(&key(spoken.dialect.key, 32, "server_us")).last().copied() {
        samples.add("tools_share", many.server_us_per_call / few);
    }
    Ok(())
}

/// Calls of a megabyte, in the first dialect that the server speaks.
fn large_calls(spec: &ServerSpec, options: &Http, samples: &mut Samples) -> Result<()> {
    let server = Process::start(spec, 0, LIMIT)?;
    let message = megabyte();
    let mut spoken = None;
    for dialect in DIALECTS {
        if spoken.is_none() {
            spoken = Spoken::find(dialect, &server.target, &message)?;
        }
    }
    let spoken = spoken.ok_or("the server speaks no dialect")?;
    for connections in [1, 8] {
        let mut load = Load::open(&server, &spoken, connections, &message)?;
        let throughput = load.run(options.sides.time)?.throughput;
        if connections == 1 {
            samples.add("payload_1_calls_per_s", throughput.calls_per_s);
        } else {
            samples.add("payload_8_calls_per_s", throughput.calls_per_s);
            samples.add("payload_8_server_us", throughput.server_us_per_call);
            samples.add("payload_8_generator_us", throughput.generator_us_per_call);
        }
    }
    samples.add("rss_payload_mib", server.memory()?.peak);
    Ok(())
}

/// Ten thousand sessions, if the server has any.
fn sessions(spec: &ServerSpec, _: &Http, samples: &mut Samples) -> Result<()> {
    let legacy = DIALECTS.into_iter().find(|dialect| !dialect.modern);
    let spoken = Spoken::of(legacy.ok_or("no dialect has sessions")?);
    let server = Process::start(spec, 0, LIMIT)?;
    if !open(&server, spoken, 1)? {
        return Ok(());
    }
    open(&server, spoken, FIRST_SESSIONS - 1)?;
    let before = server.memory()?.now;
    let started = Instant::now();
    open(&server, spoken, SESSIONS - FIRST_SESSIONS)?;
    let opened = (SESSIONS - FIRST_SESSIONS) as f64;
    samples.add("sessions_per_s", opened / started.elapsed().as_secs_f64());
    let after = server.memory()?.now;
    samples.add("sessions_rss_mib", after);
    samples.add("session_bytes", (after - before) * 1024.0 * 1024.0 / opened);
    Ok(())
}

/// Opens so many sessions, over several connections; false if the server gives out none.
fn open(server: &Process, spoken: Spoken, count: usize) -> Result<bool> {
    let next = AtomicUsize::new(0);
    let open_some = || -> Result<bool> {
        let mut connection = Blocking::connect(&server.target.address, LIMIT)?;
        while next.fetch_add(1, Ordering::Relaxed) < count {
            if spoken.open(&mut connection, &server.target)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..OPENERS).map(|_| scope.spawn(open_some)).collect();
        threads.into_iter().try_fold(true, |all, thread| {
            Ok(all & thread.join().map_err(|_| "a thread panicked")??)
        })
    })
}
