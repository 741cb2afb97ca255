//! The list of figures, in the order of the report, and the samples taken of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Which direction is an improvement.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Better {
    Higher,
    Lower,
    /// Explains another figure and is not compared.
    Neither,
}

pub(crate) struct Measure {
    pub(crate) key: Cow<'static, str>,
    pub(crate) label: Cow<'static, str>,
    pub(crate) decimals: usize,
    pub(crate) better: Better,
}

impl Measure {
    const fn fixed(
        key: &'static str,
        label: &'static str,
        decimals: usize,
        better: Better,
    ) -> Self {
        Self { key: Cow::Borrowed(key), label: Cow::Borrowed(label), decimals, better }
    }
}

pub(crate) const fn higher(key: &'static str, label: &'static str, decimals: usize) -> Measure {
    Measure::fixed(key, label, decimals, Better::Higher)
}

pub(crate) const fn lower(key: &'static str, label: &'static str, decimals: usize) -> Measure {
    Measure::fixed(key, label, decimals, Better::Lower)
}

pub(crate) const fn neither(key: &'static str, label: &'static str, decimals: usize) -> Measure {
    Measure::fixed(key, label, decimals, Better::Neither)
}

/// Those of the comparison on stdio.
pub(crate) const MEASURES: &[Measure] = &[
    lower("sequential_p50_us", "sequential p50, µs", 1),
    lower("sequential_p99_us", "sequential p99, µs", 1),
    higher("sequential_calls_per_s", "sequential, calls/s", 0),
    lower("sequential_server_us", "sequential, server CPU µs/call", 2),
    higher("pipelined_calls_per_s", "64 in flight, calls/s", 0),
    lower("pipelined_server_us", "64 in flight, server CPU µs/call", 2),
    neither("pipelined_server_cores", "… server, cores busy", 2),
    neither("pipelined_generator_cores", "… generator, cores busy", 2),
    neither("pipelined_generator_us", "… generator CPU µs/call", 2),
    neither("pipelined_other_cores", "… rest of the machine, cores busy", 2),
    higher("tools_calls_per_s", "64 in flight, 100 more tools, calls/s", 0),
    lower("tools_server_us", "64 in flight, 100 more tools, server CPU µs/call", 2),
    higher("tools_share", "throughput with 100 more tools ÷ without", 2),
    higher("payload_1_calls_per_s", "1 MB, 1 in flight, calls/s", 0),
    higher("payload_8_calls_per_s", "1 MB, 8 in flight, calls/s", 0),
    lower("payload_8_server_us", "1 MB, 8 in flight, server CPU µs/call", 0),
    neither("payload_8_generator_us", "… generator CPU µs/call", 0),
    lower("start_ms", "start to first reply, ms", 2),
    lower("rss_idle_mib", "resident after the handshake, MiB", 2),
    lower("rss_loaded_mib", "resident after the small calls, MiB", 2),
    lower("rss_peak_mib", "peak over the small calls, MiB", 2),
    lower("rss_payload_mib", "peak over the 1 MB calls, MiB", 1),
    lower("binary_mb", "stripped binary, MB", 2),
    lower("build_clean_cpu_s", "clean release build, CPU s", 1),
    lower("build_touch_cpu_s", "rebuild after touching main.rs, CPU s", 1),
    lower("dependencies", "crates depended on", 0),
];

/// The samples of one server by the key of their measure.
#[derive(Default)]
pub(crate) struct Samples(BTreeMap<Cow<'static, str>, Vec<f64>>);

impl Samples {
    pub(crate) fn add(&mut self, key: impl Into<Cow<'static, str>>, value: f64) {
        self.0.entry(key.into()).or_default().push(value);
    }

    pub(crate) fn of(&self, key: &str) -> &[f64] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }

    /// The keys of what was taken; a report that lists fewer would hide something.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(Cow::as_ref)
    }

    /// The median, if the measure was taken.
    pub(crate) fn median(&self, key: &str) -> Option<f64> {
        let mut sorted = self.of(key).to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let upper = *sorted.get(sorted.len() / 2)?;
        let lower = sorted[(sorted.len() - 1) / 2];
        Some(f64::midpoint(lower, upper))
    }
}

/// How good `value` is beside `reference`: above one is better, whichever direction that is.
pub(crate) fn advantage(better: Better, value: f64, reference: f64) -> Option<f64> {
    match better {
        Better::Higher => Some(value / reference),
        Better::Lower => Some(reference / value),
        Better::Neither => None,
    }
    .filter(|ratio| ratio.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_even_and_none() {
        let mut samples = Samples::default();
        assert_eq!(samples.median("start_ms"), None);
        samples.add("start_ms", 9.0);
        assert_eq!(samples.median("start_ms"), Some(9.0));
        samples.add("start_ms", 1.0);
        assert_eq!(samples.median("start_ms"), Some(5.0));
        samples.add("start_ms", 2.0);
        assert_eq!(samples.median("start_ms"), Some(2.0));
    }

    #[test]
    fn advantage_is_above_one_when_better() {
        assert_eq!(advantage(Better::Higher, 30.0, 20.0), Some(1.5));
        assert_eq!(advantage(Better::Lower, 20.0, 30.0), Some(1.5));
        assert_eq!(advantage(Better::Lower, 0.0, 30.0), None);
        assert_eq!(advantage(Better::Neither, 20.0, 30.0), None);
    }
}
