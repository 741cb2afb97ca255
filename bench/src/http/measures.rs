//! The list of figures over HTTP, in the order of the report.

use super::dialect::DIALECTS;
use crate::measures::{Better, Measure, higher, lower, neither};

pub(super) const CONNECTIONS: [usize; 3] = [1, 32, 256];

/// The key of a figure of one dialect and number of connections.
pub(super) fn key(dialect: &str, connections: usize, figure: &str) -> String {
    format!("{dialect}_{connections}_{figure}")
}

pub(super) fn measures() -> Vec<Measure> {
    let mut measures = Vec::new();
    for dialect in DIALECTS {
        for connections in CONNECTIONS {
            for (figure, label, decimals, better) in [
                ("calls_per_s", "calls/s", 0, Better::Higher),
                ("p50_us", "p50, µs", 0, Better::Lower),
                ("p99_us", "p99, µs", 0, Better::Lower),
                ("server_us", "server CPU µs/call", 1, Better::Lower),
                ("generator_us", "… generator CPU µs/call", 1, Better::Neither),
                ("other_cores", "… rest of the machine, cores busy", 2, Better::Neither),
            ] {
                let what = format!("{}, {connections} conn.", dialect.label);
                measures.push(Measure {
                    key: key(dialect.key, connections, figure).into(),
                    label: match better {
                        Better::Neither => label.into(),
                        _ => format!("{what}, {label}").into(),
                    },
                    decimals,
                    better,
                });
            }
        }
    }
    measures.extend([
        higher("tools_calls_per_s", "modern, 32 conn., 100 more tools, calls/s", 0),
        lower("tools_server_us", "modern, 32 conn., 100 more tools, server CPU µs/call", 1),
        lower("tools_share", "CPU per call with 100 more tools ÷ without", 2),
        higher("payload_1_calls_per_s", "modern, 1 MB, 1 conn., calls/s", 0),
        higher("payload_8_calls_per_s", "modern, 1 MB, 8 conn., calls/s", 0),
        lower("payload_8_server_us", "modern, 1 MB, 8 conn., server CPU µs/call", 0),
        neither("payload_8_generator_us", "… generator CPU µs/call", 0),
        lower("rss_idle_mib", "resident after the first calls, MiB", 2),
        lower("rss_loaded_mib", "resident after the small calls, MiB", 2),
        lower("rss_payload_mib", "peak over the 1 MB calls, MiB", 1),
        higher("sessions_per_s", "sessions opened on 32 connections, per s", 0),
        lower("sessions_rss_mib", "resident with 10,000 sessions, MiB", 1),
        lower("session_bytes", "bytes of each session", 0),
    ]);
    measures
}
