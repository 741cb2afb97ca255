//! The table for people and the file for programs.

use std::fmt::Write;
use std::fs;

use serde_json::{Map, Value, json};

use crate::Result;
use crate::args::{Comparison, ServerSpec};
use crate::measures::{Better, Measure, Samples, advantage};

/// More than this used by other programs is worth a warning.
const NOISE_CORES: f64 = 0.2;

/// What was run, and what came of it, server by server.
pub(crate) struct Report<'a> {
    pub(crate) options: &'a Comparison,
    pub(crate) measures: &'a [Measure],
    pub(crate) results: &'a [Samples],
}

/// Writes `NAME.json`, with what else there is to say in `more`, and returns the Markdown table.
pub(crate) fn write(report: &Report<'_>, name: &str, more: Value) -> Result<String> {
    let known = |key: &str| report.measures.iter().any(|measure| measure.key == key);
    if let Some(key) = report.results.iter().flat_map(Samples::keys).find(|key| !known(key)) {
        return Err(format!("the measure {key} is not listed").into());
    }
    let out = &report.options.out;
    fs::create_dir_all(out)?;
    let mut file = report.file();
    if let (Value::Object(file), Value::Object(more)) = (&mut file, more) {
        file.extend(more);
    }
    fs::write(out.join(format!("{name}.json")), serde_json::to_string_pretty(&file)? + "\n")?;
    report.table()
}

/// What one row compares: the floor, and ours beside the best peer.
pub(crate) struct Row<'a> {
    pub(crate) ours: Option<f64>,
    pub(crate) floor: Option<f64>,
    best_peer: Option<(&'a str, f64)>,
    pub(crate) ours_to_peer: Option<f64>,
    pub(crate) ours_to_floor: Option<f64>,
}

impl<'a> Report<'a> {
    fn servers(&self) -> impl Iterator<Item = (&'a ServerSpec, &'a Samples)> {
        self.options.servers.iter().zip(self.results)
    }

    pub(crate) fn row(&self, measure: &Measure) -> Row<'a> {
        let options = self.options;
        let medians = || {
            let named = self.servers().map(|(spec, samples)| (spec.name.as_str(), samples));
            named.filter_map(|(name, samples)| Some((name, samples.median(&measure.key)?)))
        };
        let named =
            |wanted: &str| medians().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let peers = medians().filter(|(name, _)| name.starts_with(&options.peer));
        let best_peer = match measure.better {
            Better::Higher => peers.max_by(|a, b| a.1.total_cmp(&b.1)),
            Better::Lower => peers.min_by(|a, b| a.1.total_cmp(&b.1)),
            Better::Neither => None,
        };
        let (ours, floor) = (named(&options.ours), named(&options.floor));
        let ours_to = |other: Option<f64>| {
            ours.zip(other).and_then(|(ours, other)| advantage(measure.better, ours, other))
        };
        Row {
            ours,
            floor,
            best_peer,
            ours_to_peer: ours_to(best_peer.map(|(_, value)| value)),
            ours_to_floor: ours_to(floor),
        }
    }

    fn table(&self) -> Result<String> {
        let options = self.options;
        let mut table = String::from("| measure |");
        for spec in &options.servers {
            write!(table, " {} |", spec.name)?;
        }
        writeln!(table, " {} : best {} |", options.ours, options.peer)?;
        writeln!(table, "|---|{}", "---:|".repeat(options.servers.len() + 1))?;
        for measure in self.measures {
            if self.results.iter().all(|samples| samples.of(&measure.key).is_empty()) {
                continue;
            }
            let row = self.row(measure);
            write!(table, "| {} |", measure.label)?;
            for samples in self.results {
                match samples.median(&measure.key) {
                    Some(value) => write!(table, " {}", figure(value, measure.decimals))?,
                    None => table.push_str(" –"),
                }
                let ratio = samples.median(&measure.key).zip(row.floor);
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
        let noise = self.noise();
        if noise > NOISE_CORES {
            writeln!(
                table,
                "\n**Noisy**: other programs kept up to {noise:.2} cores busy. Trust CPU per call \
                 and ratios before absolute figures, or measure again on a quiet machine."
            )?;
        }
        Ok(table)
    }

    /// What the rest of the machine did meanwhile, at its worst.
    fn noise(&self) -> f64 {
        let keys = self.measures.iter().filter(|measure| measure.key.ends_with("other_cores"));
        let medians = keys.flat_map(|measure| {
            self.results.iter().filter_map(|samples| samples.median(&measure.key))
        });
        medians.fold(0.0, f64::max)
    }

    fn file(&self) -> Value {
        let options = self.options;
        let mut servers = Map::new();
        for (spec, samples) in self.servers() {
            let taken = self.measures.iter().filter_map(|measure| {
                let values = samples.of(&measure.key);
                let median = samples.median(&measure.key)?;
                Some((measure.key.to_string(), json!({ "median": median, "samples": values })))
            });
            servers.insert(spec.name.clone(), Value::Object(taken.collect()));
        }
        let mut comparisons = Map::new();
        for measure in self.measures.iter().filter(|measure| measure.better != Better::Neither) {
            let row = self.row(measure);
            let mut to_floor = Map::new();
            for (spec, samples) in self.servers() {
                let ratio = samples
                    .median(&measure.key)
                    .zip(row.floor)
                    .and_then(|(value, floor)| advantage(measure.better, value, floor));
                to_floor.insert(spec.name.clone(), json!(ratio));
            }
            comparisons.insert(
                measure.key.to_string(),
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
}

/// A number with its thousands set apart.
pub(crate) fn figure(value: f64, decimals: usize) -> String {
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
