//! The table for people and the file for programs.

use std::fmt::Write;
use std::fs;

use serde_json::{Map, Value, json};

use crate::Result;
use crate::args::Stdio;
use crate::measures::{Better, MEASURES, Measure, Samples, advantage};

/// More than this used by other programs is worth a warning.
const NOISE_CORES: f64 = 0.2;

/// Writes `stdio.json` and returns the Markdown table.
pub(crate) fn write(options: &Stdio, results: &[Samples]) -> Result<String> {
    fs::create_dir_all(&options.out)?;
    let text = serde_json::to_string_pretty(&file(options, results))?;
    fs::write(options.out.join("stdio.json"), text + "\n")?;
    table(options, results)
}

/// What one row compares: the floor, and ours beside the best peer.
struct Comparison<'a> {
    floor: Option<f64>,
    best_peer: Option<(&'a str, f64)>,
    ours_to_peer: Option<f64>,
}

fn compare<'a>(measure: &Measure, options: &'a Stdio, results: &[Samples]) -> Comparison<'a> {
    let medians = || {
        let named = options.servers.iter().map(|spec| spec.name.as_str()).zip(results);
        named.filter_map(|(name, samples)| Some((name, samples.median(measure.key)?)))
    };
    let named = |wanted: &str| medians().find(|(name, _)| *name == wanted).map(|(_, value)| value);
    let peers = medians().filter(|(name, _)| name.starts_with(&options.peer));
    let best_peer = match measure.better {
        Better::Higher => peers.max_by(|a, b| a.1.total_cmp(&b.1)),
        Better::Lower => peers.min_by(|a, b| a.1.total_cmp(&b.1)),
        Better::Neither => None,
    };
    let ours_to_peer = named(&options.ours)
        .zip(best_peer)
        .and_then(|(ours, (_, peer))| advantage(measure.better, ours, peer));
    Comparison { floor: named(&options.floor), best_peer, ours_to_peer }
}

fn table(options: &Stdio, results: &[Samples]) -> Result<String> {
    let mut table = String::from("| measure |");
    for spec in &options.servers {
        write!(table, " {} |", spec.name)?;
    }
    writeln!(table, " {} : best {} |", options.ours, options.peer)?;
    writeln!(table, "|---|{}", "---:|".repeat(options.servers.len() + 1))?;
    for measure in MEASURES {
        if results.iter().all(|samples| samples.of(measure.key).is_empty()) {
            continue;
        }
        let row = compare(measure, options, results);
        write!(table, "| {} |", measure.label)?;
        for samples in results {
            match samples.median(measure.key) {
                Some(value) => write!(table, " {}", figure(value, measure.decimals))?,
                None => table.push_str(" –"),
            }
            let ratio = samples.median(measure.key).zip(row.floor);
            match ratio.and_then(|(value, floor)| advantage(measure.better, value, floor)) {
                Some(ratio) => write!(table, " ({ratio:.2}×) |")?,
                None => table.push_str(" |"),
            }
        }
        match row.ours_to_peer {
            Some(ratio) => writeln!(table, " {ratio:.2}× |")?,
            None => table.push_str(" |\n"),
        }
    }
    writeln!(
        table,
        "\nMedians of {} rounds. In parentheses: beside {}. Above 1.00× is better, whichever \
         direction the measure has.",
        options.rounds, options.floor
    )?;
    let noise = results.iter().filter_map(|samples| samples.median("pipelined_other_cores"));
    let noise = noise.fold(0.0, f64::max);
    if noise > NOISE_CORES {
        writeln!(
            table,
            "\n**Noisy**: other programs kept up to {noise:.2} cores busy. Trust CPU per call and \
             ratios before absolute figures, or measure again on a quiet machine."
        )?;
    }
    Ok(table)
}

/// A number with its thousands set apart.
fn figure(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (n, digit) in whole.chars().enumerate() {
        if n > 0 && (whole.len() - n).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if decimals > 0 { format!("{grouped}.{fraction}") } else { grouped }
}

fn file(options: &Stdio, results: &[Samples]) -> Value {
    let mut servers = Map::new();
    for (spec, samples) in options.servers.iter().zip(results) {
        let taken = MEASURES.iter().filter_map(|measure| {
            let values = samples.of(measure.key);
            let median = samples.median(measure.key)?;
            Some((measure.key.to_owned(), json!({ "median": median, "samples": values })))
        });
        servers.insert(spec.name.clone(), Value::Object(taken.collect()));
    }
    let mut comparisons = Map::new();
    for measure in MEASURES.iter().filter(|measure| measure.better != Better::Neither) {
        let row = compare(measure, options, results);
        let mut to_floor = Map::new();
        for (spec, samples) in options.servers.iter().zip(results) {
            let ratio = samples
                .median(measure.key)
                .zip(row.floor)
                .and_then(|(value, floor)| advantage(measure.better, value, floor));
            to_floor.insert(spec.name.clone(), json!(ratio));
        }
        comparisons.insert(
            measure.key.to_owned(),
            json!({
                "label": measure.label,
                "better": if measure.better == Better::Higher { "higher" } else { "lower" },
                "to_floor": to_floor,
                "best_peer": row.best_peer.map(|(name, _)| name),
                "ours_to_best_peer": row.ours_to_peer,
            }),
        );
    }
    json!({
        "rounds": options.rounds,
        "loop_seconds": options.time.as_secs_f64(),
        "floor": options.floor,
        "ours": options.ours,
        "servers": servers,
        "comparisons": comparisons,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_grouped() {
        assert_eq!(figure(1_234_567.0, 0), "1,234,567");
        assert_eq!(figure(999.96, 1), "1,000.0");
        assert_eq!(figure(0.254, 2), "0.25");
    }
}
