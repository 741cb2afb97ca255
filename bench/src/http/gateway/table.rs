//! What the gateways add, one row for each, and whether ours keeps its promises.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Map, json};

use super::DIRECT;
use crate::Result;
use crate::args::{Behind, Gateways};
use crate::measures::Samples;
use crate::report::figure;

/// Key of a figure, its head in the table, and its decimals. `added` is told apart below.
const COLUMNS: [(&str, &str, usize); 10] = [
    ("legacy_p50_us", "p50, µs", 0),
    ("legacy_added_us", "added, µs", 0),
    ("legacy_p99_us", "p99, µs", 0),
    ("legacy_cpu_us", "CPU µs/call", 0),
    ("modern_added_us", "modern: added, µs", 0),
    ("modern_cpu_us", "modern: CPU µs/call", 0),
    ("many_calls_per_s", "32 conn., calls/s", 0),
    ("many_cpu_us", "32 conn., CPU µs/call", 0),
    ("rss_idle_mib", "resident, MiB", 1),
    ("rss_loaded_mib", "after load, MiB", 1),
];

/// What ours promises: key, words, limit.
const GOALS: [(&str, &str, f64); 5] = [
    ("legacy_added_us", "added p50, µs", 250.0),
    ("modern_added_us", "added p50, modern, µs", 250.0),
    ("legacy_cpu_us", "CPU µs/call", 200.0),
    ("modern_cpu_us", "CPU µs/call, modern", 200.0),
    ("rss_loaded_mib", "resident after load, MiB", 15.0 * 1e6 / (1 << 20) as f64),
];

/// Writes `gateway-….json` and returns the tables.
pub(super) fn write(options: &Gateways, names: &[&str], results: &[Samples]) -> Result<String> {
    let behind = match options.behind {
        Behind::Stdio => "stdio",
        Behind::Http => "http",
    };
    let direct = results.first().ok_or("nothing was measured")?;
    let value = |samples: &Samples, key: &str| match key.strip_suffix("_added_us") {
        None => samples.median(key),
        // On pipes there is one era; over HTTP each is held against its own.
        Some(era) => {
            let key = format!("{era}_p50_us");
            let floor = direct.median(&key).or_else(|| direct.median("legacy_p50_us"))?;
            Some(samples.median(&key)? - floor)
        }
    };
    let mut out = format!("\nThe server is behind {behind}.\n\n| |");
    for (_, head, _) in COLUMNS {
        write!(out, " {head} |")?;
    }
    writeln!(out, "\n|---|{}", "---:|".repeat(COLUMNS.len()))?;
    let mut file = Map::new();
    for (name, samples) in names.iter().zip(results) {
        write!(out, "| {name} |")?;
        let mut row = Map::new();
        for (key, _, decimals) in COLUMNS {
            let value = value(samples, key).filter(|_| *name != DIRECT || !key.contains("added"));
            match value {
                Some(value) => write!(out, " {} |", signed(value, decimals))?,
                None => out.push_str(" – |"),
            }
            row.insert(key.to_owned(), json!({ "value": value, "samples": samples.of(key) }));
        }
        out.push('\n');
        file.insert((*name).to_owned(), row.into());
    }
    writeln!(out, "\nMedians of {} rounds. CPU is the gateway's own.", options.rounds)?;
    let noise = results.iter().filter_map(|samples| samples.median("other_cores"));
    writeln!(
        out,
        "Up to {:.2} cores were busy with other work, the server's own included.\n",
        noise.fold(0.0, f64::max)
    )?;
    writeln!(out, "| {} | limit | measured | |\n|---|---:|---:|---|", options.ours)?;
    let ours = names.iter().position(|name| *name == options.ours).map(|at| &results[at]);
    for (key, words, limit) in GOALS {
        let Some(value) = ours.and_then(|ours| value(ours, key)) else { continue };
        let verdict = if value <= limit { "yes" } else { "no" };
        writeln!(out, "| {words} | {limit:.1} | {value:.1} | {verdict} |")?;
    }
    fs::create_dir_all(&options.out)?;
    let path = options.out.join(format!("gateway-{behind}.json"));
    fs::write(path, serde_json::to_string_pretty(&file)? + "\n")?;
    Ok(out)
}

/// A number that may be below nothing, which then was noise.
fn signed(value: f64, decimals: usize) -> String {
    match value < 0.0 {
        true => format!("−{}", figure(-value, decimals)),
        false => figure(value, decimals),
    }
}
