//! Twenty servers behind one gateway, three of which never answer and two of which end at once: how
//! long the list takes, and what calls to the others notice of it.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::super::blocking::Blocking;
use super::super::dialect::{DIALECTS, Spoken, Target};
use super::super::load::Load;
use super::super::process::Process;
use super::super::{LIMIT, MESSAGE};
use super::start::listening;
use crate::Result;
use crate::args::Backends;
use crate::measures::Samples;
use crate::report::figure;

const GOOD: usize = 15;
const HUNG: usize = 3;
const CRASHING: usize = 2;
/// Lists from memory, in each round.
const LISTS: usize = 50;

/// What is promised: key, words, limit in milliseconds.
const GOALS: [(&str, &str, f64); 3] = [
    ("cold_ms", "first list, from the first byte of the first client, ms", 2000.0),
    ("cached_ms", "list from memory, ms", 250.0),
    ("cached_max_ms", "the slowest of them, ms", 250.0),
];

pub(crate) fn run(options: &Backends) -> Result<()> {
    let mut samples = [Samples::default(), Samples::default()];
    for round in 0..options.rounds {
        eprintln!("round {} of {}", round + 1, options.rounds);
        for (failing, samples) in [true, false].into_iter().zip(&mut samples) {
            measure(options, failing, samples)?;
        }
    }
    let [with, without] = &samples;
    let mut out = format!(
        "\n{GOOD} servers that work, {HUNG} that never answer, {CRASHING} that end at once; medians of {} \
         starts.\n\n| | limit | with all | without the failing ones |\n|---|---:|---:|---:|\n",
        options.rounds
    );
    let row = |words: &str, limit: &str, key: &str| {
        let [with, without] = [with, without].map(|samples| samples.median(key));
        let text = |value: Option<f64>| value.map_or("–".to_owned(), |value| figure(value, 1));
        format!("| {words} | {limit} | {} | {} |\n", text(with), text(without))
    };
    for (key, words, limit) in GOALS {
        out += &row(words, &format!("≤ {limit}"), key);
    }
    out += &row("call to a server that works, p50, µs", "", "call_p50_us");
    out += &row("call to a server that works, p99, µs", "", "call_p99_us");
    out += &row("CPU of the gateway, µs/call", "", "call_cpu_us");
    out += &row("resident, MiB", "", "rss_mib");
    std::io::stdout().write_all(out.as_bytes())?;
    let missed = GOALS.iter().any(|(key, _, limit)| with.median(key).is_none_or(|v| v > *limit));
    match missed {
        true => Err("a promise is not kept".into()),
        false => Ok(()),
    }
}

/// One gateway from start to end.
fn measure(options: &Backends, failing: bool, samples: &mut Samples) -> Result<()> {
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
    fs::create_dir_all(&options.out)?;
    // A home of its own, so that the servers of whoever runs this have no part in it.
    let home = options.out.join("backends-home");
    fs::create_dir_all(home.join(".cursor"))?;
    let text = serde_json::to_string_pretty(&servers(options, failing))?;
    fs::write(home.join(".cursor/mcp.json"), text)?;
    let log = fs::File::create(options.out.join("backends.log"))?;
    let child = Command::new(&options.docent)
        .args(["gateway", "--http", &address])
        .env("HOME", &home)
        .env_remove("XDG_CONFIG_HOME")
        .current_dir(&home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()?;
    let target = Target { tool: "good_01__echo".to_owned(), ..Target::echo(&address) };
    let gateway = Process::of(child, target, LIMIT);
    listening(&address)?;

    let legacy = Spoken::of(DIALECTS[2]);
    let started = Instant::now();
    let mut connection = Blocking::connect(&address, LIMIT)?;
    let session = legacy.open(&mut connection, &gateway.target)?;
    let head = legacy.head(&gateway.target, session.as_deref(), "tools/list", "");
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let mut listed = || -> Result<usize> {
        let reply = connection.post(&head, &list)?.message;
        Ok(reply["result"]["tools"].as_array().map_or(0, Vec::len))
    };
    let first = listed()?;
    samples.add("cold_ms", millis(started.elapsed()));
    if first != GOOD {
        return Err(format!("the first list has {first} tools instead of {GOOD}").into());
    }
    let mut times = Vec::new();
    for _ in 0..LISTS {
        let started = Instant::now();
        let count = listed()?;
        times.push(millis(started.elapsed()));
        if count != GOOD {
            return Err(format!("a list has {count} tools instead of {GOOD}").into());
        }
    }
    times.sort_unstable_by(f64::total_cmp);
    samples.add("cached_ms", times[LISTS / 2]);
    samples.add("cached_max_ms", times[LISTS - 1]);
    let mut load = Load::open(&gateway, &legacy, 1, MESSAGE)?;
    load.run(options.time / 5)?;
    let outcome = load.run(options.time)?;
    samples.add("call_p50_us", outcome.p50_us);
    samples.add("call_p99_us", outcome.p99_us);
    samples.add("call_cpu_us", outcome.throughput.server_us_per_call);
    samples.add("rss_mib", gateway.memory()?.now);
    Ok(())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The servers as a configuration file; those that fail stand first.
fn servers(options: &Backends, failing: bool) -> Value {
    let mut servers = Map::new();
    if failing {
        for n in 0..HUNG {
            let hung = json!({ "command": "sleep", "args": ["3600"] });
            servers.insert(format!("hung_{n:02}"), hung);
        }
        for n in 0..CRASHING {
            servers.insert(format!("crashing_{n:02}"), json!({ "command": "false" }));
        }
    }
    for n in 0..GOOD {
        servers.insert(format!("good_{n:02}"), json!({ "command": options.server }));
    }
    json!({ "mcpServers": servers })
}
