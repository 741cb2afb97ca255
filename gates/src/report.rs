//! What a gate found: figures, each with its limit.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

pub(crate) struct Report {
    started: Instant,
    figures: Vec<Figure>,
}

/// A number that must not exceed its limit.
struct Figure {
    name: &'static str,
    value: f64,
    limit: f64,
}

impl Report {
    pub(crate) fn new() -> Self {
        Report { started: Instant::now(), figures: Vec::new() }
    }

    /// Something that should not happen more than `limit` times.
    pub(crate) fn count(&mut self, name: &'static str, value: usize, limit: usize) {
        let number = |count: usize| u32::try_from(count).map_or(f64::INFINITY, f64::from);
        self.figures.push(Figure { name, value: number(value), limit: number(limit) });
    }

    /// Something that should not take longer than `limit`, in seconds.
    pub(crate) fn time(&mut self, name: &'static str, value: Duration, limit: Duration) {
        let (value, limit) = (value.as_secs_f64(), limit.as_secs_f64());
        self.figures.push(Figure { name, value, limit });
    }

    /// Something else that should not be more than `limit`.
    pub(crate) fn number(&mut self, name: &'static str, value: f64, limit: f64) {
        self.figures.push(Figure { name, value, limit });
    }

    pub(crate) fn passed(&self) -> bool {
        self.figures.iter().all(|figure| figure.value <= figure.limit)
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        let column = |of: fn(&Figure) -> f64| -> Map<String, Value> {
            let figures = self.figures.iter();
            figures.map(|figure| (figure.name.to_owned(), rounded(of(figure)))).collect()
        };
        json!({
            "name": name,
            "pass": self.passed(),
            "value": column(|figure| figure.value),
            "limit": column(|figure| figure.limit),
            "seconds": rounded(self.started.elapsed().as_secs_f64()),
        })
    }
}

/// Whole numbers as such, others to the hundredth.
fn rounded(value: f64) -> Value {
    let value = (value * 100.0).round() / 100.0;
    if value.fract() == 0.0 && value.abs() < 1e9 {
        #[expect(clippy::cast_possible_truncation, reason = "whole, and checked to fit")]
        return json!(value as i64);
    }
    json!(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_passes_when_every_figure_is_within_its_limit() {
        let mut report = Report::new();
        report.count("left", 0, 0);
        report.time("close_s_max", Duration::from_millis(2999), Duration::from_secs(3));
        assert!(report.passed());
        let json = report.json("children");
        assert_eq!(json["value"].to_string(), r#"{"left":0,"close_s_max":3}"#);
        assert_eq!(json["limit"].to_string(), r#"{"left":0,"close_s_max":3}"#);
        report.count("zombies", 1, 0);
        assert!(!report.passed());
    }
}
