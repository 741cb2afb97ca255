//! Gateways before one server: what each adds to a call.
//!
//! Every program is started once; in a round all of them take their turn at each kind of load, and
//! each round begins with another one. `start` brings a program up, `table` is the report.
//! `backends` is about many servers behind ours.

mod backends;
mod start;
mod table;

use std::io::Write as _;
use std::time::Duration;

pub(crate) use self::backends::run as backends;
use self::start::{Up, Way};
use super::load::Load;
use super::process::Process;
use super::{LIMIT, MESSAGE};
use crate::Result;
use crate::args::{Behind, Gateways};
use crate::awake::Awake;
use crate::load::{Latency, sequential};
use crate::measures::Samples;
use crate::requests::Requests;
use crate::responses::Seen;
use crate::server::Server;

/// Connections for the figures under load.
const MANY: usize = 32;
/// The name of the server's own row.
pub(super) const DIRECT: &str = "direct";

pub(crate) fn run(options: &Gateways) -> Result<()> {
    let _awake = options.awake.then(Awake::start).transpose()?;
    let mut upstream = None;
    let address = match options.behind {
        Behind::Stdio => options.server.program.display().to_string(),
        Behind::Http => {
            let server = Process::start(&options.server, 0, LIMIT)?;
            let url = format!("http://{}/mcp", server.target.address);
            upstream = Some(server);
            url
        }
    };
    let direct = match upstream {
        None => Up::on_pipes(DIRECT, Server::start(&options.server, 0, LIMIT)?)?,
        Some(server) => Up::over_http(DIRECT, server)?,
    };
    let mut up = vec![direct];
    for spec in &options.gateways {
        eprintln!("starting {}", spec.name);
        let started = start::gateway(spec, &address, &options.out);
        up.push(started.map_err(|e| format!("{}: {e}", spec.name))?);
    }
    let mut results: Vec<Samples> = up.iter().map(|_| Samples::default()).collect();
    // Threads and caches that a program sets up after its first reply belong to its idle state.
    std::thread::sleep(Duration::from_millis(200));
    for (up, samples) in up.iter().zip(&mut results) {
        let memory = up.memory()?;
        samples.add("rss_idle_mib", memory.now);
        samples.add("own_idle_mib", memory.own);
    }
    for round in 0..options.rounds {
        eprintln!("round {} of {}", round + 1, options.rounds);
        for part in [one_at_a_time, many_at_a_time] {
            for turn in 0..up.len() {
                let index = (round + turn) % up.len();
                part(&mut up[index], options.time, &mut results[index])
                    .map_err(|e| format!("{}: {e}", up[index].name))?;
            }
        }
    }
    for (up, samples) in up.iter().zip(&mut results) {
        let memory = up.memory()?;
        samples.add("rss_loaded_mib", memory.now);
        samples.add("own_loaded_mib", memory.own);
    }
    let names: Vec<&str> = up.iter().map(|up| up.name.as_str()).collect();
    std::io::stdout().write_all(table::write(options, &names, &results)?.as_bytes())?;
    Ok(())
}

/// One call at a time, in each era.
fn one_at_a_time(up: &mut Up, time: Duration, samples: &mut Samples) -> Result<()> {
    match &mut up.way {
        Way::Pipes { server, tool } => {
            let arguments = format!(r#"{{"message":"{MESSAGE}"}}"#);
            let (mut requests, mut seen) = (Requests::new(tool, &arguments, 1), Seen::default());
            sequential(server, &mut requests, &mut seen, time / 5)?;
            let Latency { p50_us, p99_us, server_us_per_call, .. } =
                sequential(server, &mut requests, &mut seen, time)?;
            samples.add("legacy_p50_us", p50_us);
            samples.add("legacy_p99_us", p99_us);
            samples.add("legacy_cpu_us", server_us_per_call);
        }
        Way::Http { server, spoken } => {
            for spoken in spoken {
                let era = if spoken.dialect.modern { "modern" } else { "legacy" };
                let mut load = Load::open(server, spoken, 1, MESSAGE)?;
                load.run(time / 5)?;
                let outcome = load.run(time)?;
                samples.add(format!("{era}_p50_us"), outcome.p50_us);
                samples.add(format!("{era}_p99_us"), outcome.p99_us);
                samples.add(format!("{era}_cpu_us"), outcome.throughput.server_us_per_call);
                samples.add("other_cores", outcome.throughput.other_cores);
            }
        }
    }
    Ok(())
}

/// Many connections, in the era that all of them speak.
fn many_at_a_time(up: &mut Up, time: Duration, samples: &mut Samples) -> Result<()> {
    let Way::Http { server, spoken } = &up.way else { return Ok(()) };
    let Some(spoken) = spoken.iter().find(|spoken| !spoken.dialect.modern) else { return Ok(()) };
    let mut load = Load::open(server, spoken, MANY, MESSAGE)?;
    load.run(time / 5)?;
    let outcome = load.run(time)?.throughput;
    samples.add("many_calls_per_s", outcome.calls_per_s);
    samples.add("many_cpu_us", outcome.server_us_per_call);
    Ok(())
}
