//! The goals that this SDK has set itself over HTTP, beside what was reached.

use std::fmt::Write;

use serde_json::{Value, json};

use super::dialect::DIALECTS;
use super::measures::key;
use super::sockets::Sockets;
use crate::Result;
use crate::report::{Report, figure};

struct Goal {
    what: String,
    goal: String,
    reached: Option<f64>,
    decimals: usize,
    unit: &'static str,
    holds: bool,
}

/// The table of goals, for people and for programs.
pub(super) fn table(report: &Report<'_>, sockets: Option<&Sockets>) -> Result<(String, Value)> {
    let mut text = String::from("| goal | wanted | reached | |\n|---|---:|---:|---|\n");
    let mut file = Vec::new();
    for goal in goals(report, sockets) {
        let Some(reached) = goal.reached else { continue };
        let value = format!("{}{}", figure(reached, goal.decimals), goal.unit);
        let holds = if goal.holds { "yes" } else { "no" };
        writeln!(text, "| {} | {} | {value} | {holds} |", goal.what, goal.goal)?;
        file.push(json!({
            "what": goal.what, "goal": goal.goal, "reached": reached, "holds": goal.holds,
        }));
    }
    Ok((text, file.into()))
}

fn goals(report: &Report<'_>, sockets: Option<&Sockets>) -> Vec<Goal> {
    let row = |key: &str| {
        report.measures.iter().find(|measure| measure.key == key).map(|measure| report.row(measure))
    };
    let mut goals = Vec::new();
    for dialect in DIALECTS {
        for connections in [32, 256] {
            let Some(row) = row(&key(dialect.key, connections, "calls_per_s")) else { continue };
            let what = format!("{}, {connections} conn., calls/s", dialect.label);
            let options = report.options;
            for (beside, ratio, least) in
                [(&options.peer, row.ours_to_peer, 2.0), (&options.floor, row.ours_to_floor, 0.7)]
            {
                goals.push(Goal {
                    what: format!("{what} : {beside}"),
                    goal: format!("≥ {least}×"),
                    reached: ratio,
                    decimals: 2,
                    unit: "×",
                    holds: ratio.is_some_and(|ratio| ratio >= least),
                });
            }
        }
        let mut at_most = |connections: usize, figure: &str, label: &str, most: f64| {
            let ours = row(&key(dialect.key, connections, figure)).and_then(|row| row.ours);
            let reached = ours.map(|us| us / 1e3);
            goals.push(Goal {
                what: format!("{}, {connections} conn., {label}", dialect.label),
                goal: format!("≤ {most} ms"),
                reached,
                decimals: 2,
                unit: " ms",
                holds: reached.is_some_and(|reached| reached <= most),
            });
        };
        at_most(256, "p99_us", "p99", 15.0);
        if dialect.events {
            at_most(1, "p50_us", "p50", 0.3);
        }
    }
    goals.push(Goal {
        what: "connections for 10,000 calls of our client".to_owned(),
        goal: "≤ 2".to_owned(),
        reached: sockets.map(|sockets| sockets.connections as f64),
        decimals: 0,
        unit: "",
        holds: sockets.is_some_and(|sockets| sockets.connections <= 2),
    });
    goals
}
