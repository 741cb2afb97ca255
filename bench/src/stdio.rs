//! The side-by-side comparison: rounds in which every server takes its turn.
//!
//! A round does one kind of measurement for all servers before the next kind, and starts each
//! round with another server, so that slow drift of the machine falls on all of them alike.

use std::fs;
use std::io::Write;
use std::time::Duration;

use serde_json::json;

use crate::args::{Comparison, ServerSpec, Stdio};
use crate::load::{large, pipelined, sequential};
use crate::measures::{MEASURES, Samples};
use crate::report::Report;
use crate::requests::{Requests, megabyte};
use crate::responses::Seen;
use crate::server::Server;
use crate::{Result, compile, report};

const IN_FLIGHT: usize = 64;
const MORE_TOOLS: u32 = 100;
/// Starts over all rounds.
const STARTS: usize = 20;
/// The longest that one server process may take for its part of a round.
const LIMIT: Duration = Duration::from_secs(120);

/// One kind of measurement: a server process, from start to exit.
type Part = fn(&ServerSpec, &Comparison, &mut Samples) -> Result<()>;

pub(crate) fn run(Stdio { sides: options, build }: &Stdio) -> Result<()> {
    let mut results: Vec<Samples> = options.servers.iter().map(|_| Samples::default()).collect();
    let parts: [Part; 3] = [small_calls, large_calls, starts];
    for round in 0..options.rounds {
        eprintln!("round {} of {}", round + 1, options.rounds);
        for part in parts {
            for turn in 0..options.servers.len() {
                let index = (round + turn) % options.servers.len();
                let spec = &options.servers[index];
                part(spec, options, &mut results[index])
                    .map_err(|e| format!("{}: {e}", spec.name))?;
            }
        }
    }
    for (spec, samples) in options.servers.iter().zip(&mut results) {
        samples.add("binary_mb", fs::metadata(&spec.program)?.len() as f64 / 1e6);
    }
    if *build {
        compile::measure(options, &mut results)?;
    }
    let table = report::write(
        &Report { options, measures: MEASURES, results: &results },
        "stdio",
        json!({}),
    )?;
    std::io::stdout().write_all(table.as_bytes())?;
    Ok(())
}

/// Calls of a few bytes: one at a time, then many; then many on a server with more tools.
fn small_calls(spec: &ServerSpec, options: &Comparison, samples: &mut Samples) -> Result<()> {
    let time = options.time;
    let mut server = Server::start(spec, 0, LIMIT)?;
    // Threads and caches that a server sets up after its first reply belong to its idle state.
    std::thread::sleep(Duration::from_millis(100));
    samples.add("rss_idle_mib", server.memory()?.now);

    let (mut requests, mut seen) = prepare(&mut server, time)?;
    let latency = sequential(&mut server, &mut requests, &mut seen, time)?;
    samples.add("sequential_p50_us", latency.p50_us);
    samples.add("sequential_p99_us", latency.p99_us);
    samples.add("sequential_calls_per_s", latency.calls_per_s);
    samples.add("sequential_server_us", latency.server_us_per_call);

    let few = pipelined(&mut server, &mut requests, &mut seen, IN_FLIGHT, time)?;
    samples.add("pipelined_calls_per_s", few.calls_per_s);
    samples.add("pipelined_server_us", few.server_us_per_call);
    samples.add("pipelined_server_cores", few.server_cores);
    samples.add("pipelined_generator_cores", few.generator_cores);
    samples.add("pipelined_generator_us", few.generator_us_per_call);
    samples.add("pipelined_other_cores", few.other_cores);
    let memory = server.memory()?;
    samples.add("rss_loaded_mib", memory.now);
    samples.add("rss_peak_mib", memory.peak);
    server.stop()?;

    let mut server = Server::start(spec, MORE_TOOLS, LIMIT)?;
    server.check(&format!("tool_{}", MORE_TOOLS - 1), &json!({}), None)?;
    let (mut requests, mut seen) = prepare(&mut server, time)?;
    let many = pipelined(&mut server, &mut requests, &mut seen, IN_FLIGHT, time)?;
    samples.add("tools_calls_per_s", many.calls_per_s);
    samples.add("tools_server_us", many.server_us_per_call);
    samples.add("tools_share", many.calls_per_s / few.calls_per_s);
    server.stop()?;
    Ok(())
}

/// Checks the tool and runs it long enough that threads are up and caches warm.
fn prepare(server: &mut Server, time: Duration) -> Result<(Requests, Seen)> {
    let arguments = json!({ "message": "hello" });
    server.check("echo", &arguments, Some("hello"))?;
    let mut requests = Requests::new("echo", &arguments.to_string(), IN_FLIGHT);
    let mut seen = Seen::default();
    pipelined(server, &mut requests, &mut seen, IN_FLIGHT, time / 5)?;
    Ok((requests, seen))
}

/// Calls of a megabyte.
fn large_calls(spec: &ServerSpec, options: &Comparison, samples: &mut Samples) -> Result<()> {
    let mut server = Server::start(spec, 0, LIMIT)?;
    let message = megabyte();
    let arguments = json!({ "message": message });
    server.check("echo", &arguments, Some(&message))?;
    let mut requests = Requests::new("echo", &arguments.to_string(), 1);
    let mut seen = Seen::default();
    let one = large(&mut server, &mut requests, &mut seen, 1, options.time)?;
    samples.add("payload_1_calls_per_s", one.calls_per_s);
    let eight = large(&mut server, &mut requests, &mut seen, 8, options.time)?;
    samples.add("payload_8_calls_per_s", eight.calls_per_s);
    samples.add("payload_8_server_us", eight.server_us_per_call);
    samples.add("payload_8_generator_us", eight.generator_us_per_call);
    samples.add("rss_payload_mib", server.memory()?.peak);
    server.stop()?;
    Ok(())
}

/// From the start of the process to the answer to `initialize`.
fn starts(spec: &ServerSpec, options: &Comparison, samples: &mut Samples) -> Result<()> {
    for _ in 0..STARTS.div_ceil(options.rounds) {
        let server = Server::start(spec, 0, LIMIT)?;
        samples.add("start_ms", server.first_reply.as_secs_f64() * 1e3);
        server.stop()?;
    }
    Ok(())
}
