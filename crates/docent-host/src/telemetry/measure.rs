//! Durations, added up: how many requests of a kind there were, how long they took, how they ended.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::json::{attribute, attributes};
use super::nanos;
use super::span::{Kind, Span};
use docent_mcp::types::method;

/// Where the conventions for MCP draw the lines between durations, in seconds.
const BOUNDS: [f64; 14] =
    [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0];

/// Requests that are told apart; what comes beyond is added up as one.
const SERIES_MAX: usize = 2000;

/// All requests so far.
pub(super) struct Measures {
    since: SystemTime,
    series: HashMap<Series, Durations>,
}

/// Requests that are alike.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Series {
    kind: Kind,
    method: String,
    name: Option<String>,
    server: Option<String>,
    revision: String,
    error: Option<String>,
    /// There were too many others.
    overflow: bool,
}

#[derive(Default)]
struct Durations {
    counts: [u64; BOUNDS.len() + 1],
    sum: f64,
}

impl Default for Measures {
    fn default() -> Self {
        Measures { since: SystemTime::now(), series: HashMap::new() }
    }
}

impl Measures {
    pub(super) fn add(&mut self, span: &Span, took: Duration) {
        let mut series = Series {
            kind: span.kind,
            method: span.method.clone(),
            name: span.name.clone(),
            server: span.server.clone(),
            revision: span.revision.clone(),
            error: span.error.clone(),
            overflow: false,
        };
        if self.series.len() >= SERIES_MAX && !self.series.contains_key(&series) {
            series = Series {
                kind: span.kind,
                method: String::new(),
                name: None,
                server: None,
                revision: String::new(),
                error: None,
                overflow: true,
            };
        }
        let durations = self.series.entry(series).or_default();
        let seconds = took.as_secs_f64();
        let bucket = BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len());
        durations.counts[bucket] += 1;
        durations.sum += seconds;
    }

    /// Everything as metrics of OTLP.
    pub(super) fn json(&self, servers: &[(String, bool)], dropped: u64) -> Vec<Value> {
        let now = SystemTime::now();
        let mut metrics: Vec<Value> = [
            (Kind::Server, "mcp.server.operation.duration"),
            (Kind::Client, "mcp.client.operation.duration"),
        ]
        .into_iter()
        .map(|(kind, name)| {
            let points = self.series.iter().filter(|(series, _)| series.kind == kind);
            let points: Vec<_> =
                points.map(|(series, durations)| self.point(series, durations, now)).collect();
            json!({
                "name": name,
                "unit": "s",
                "histogram": { "aggregationTemporality": 2, "dataPoints": points },
            })
        })
        .collect();
        let up = servers.iter().map(|(name, up)| {
            json!({
                "attributes": [attribute("docent.server.name", name.clone())],
                "timeUnixNano": nanos(now),
                "asInt": u8::from(*up).to_string(),
            })
        });
        let up: Vec<_> = up.collect();
        metrics.push(json!({
            "name": "docent.gateway.server.up",
            "unit": "1",
            "gauge": { "dataPoints": up },
        }));
        metrics.push(json!({
            "name": "docent.gateway.spans.dropped",
            "unit": "{span}",
            "sum": {
                "aggregationTemporality": 2,
                "isMonotonic": true,
                "dataPoints": [{
                    "startTimeUnixNano": nanos(self.since),
                    "timeUnixNano": nanos(now),
                    "asInt": dropped.to_string(),
                }],
            },
        }));
        metrics
    }

    fn point(&self, series: &Series, durations: &Durations, now: SystemTime) -> Value {
        let is_tool = series.method == method::TOOLS_CALL;
        let name = series.name.clone().map(Value::from);
        let known = |text: &str| (!text.is_empty()).then(|| Value::from(text));
        let attributes = attributes([
            ("mcp.method.name", known(&series.method)),
            ("mcp.protocol.version", known(&series.revision)),
            ("gen_ai.tool.name", name.clone().filter(|_| is_tool)),
            ("gen_ai.prompt.name", name.filter(|_| !is_tool)),
            ("docent.server.name", series.server.clone().map(Value::from)),
            ("error.type", series.error.clone().map(Value::from)),
            ("otel.metric.overflow", series.overflow.then(|| Value::from(true))),
        ]);
        let counts = durations.counts;
        json!({
            "attributes": attributes,
            "startTimeUnixNano": nanos(self.since),
            "timeUnixNano": nanos(now),
            "count": counts.iter().sum::<u64>().to_string(),
            "sum": durations.sum,
            "bucketCounts": counts.iter().map(u64::to_string).collect::<Vec<_>>(),
            "explicitBounds": BOUNDS,
        })
    }
}
