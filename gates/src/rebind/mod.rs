//! Web pages that reach for a server on this machine: by a name of theirs that leads here (DNS
//! rebinding), from their own origin, or with a body that a browser sends without asking.
//!
//! Every row is sent over HTTP/1.1 in both forms of a target and over HTTP/2, as raw bytes, as a call
//! of 2026-07-28 and as the handshake of a session. No handler may run for a hostile row; what an
//! honest client sends must be served.

mod rows;
mod ways;

use std::time::Duration;

use self::rows::Kind;
use self::ways::WAYS;
use crate::Result;
use crate::arguments::Options;
use crate::report::Report;
use crate::web::child::Served;
use crate::web::{self, message};

pub(crate) fn run(_: &Options) -> Result<Report> {
    web::runtime()?.block_on(measure())
}

async fn measure() -> Result<Report> {
    let mut report = Report::new();
    let served = Served::start(&[]).await?;
    let rows = rows::all(&served.address.port().to_string());
    let asks = [
        message::call(1, "echo", &serde_json::json!({ "message": "reached" })),
        message::initialize("2025-11-25"),
    ];
    let (mut hostile, mut honest, mut sent) = (0, 0, 0);
    let (mut hits_expected, mut wrongly_served, mut wrongly_refused) = (0, 0, 0);
    for row in &rows {
        for way in WAYS {
            let Some(names) = row.names(*way) else { continue };
            for (ask, is_call) in asks.iter().zip([true, false]) {
                let sending = way.send(served.address, &names, row, ask);
                let status = tokio::time::timeout(Duration::from_secs(5), sending).await;
                let status = status.map_err(|_| format!("{way:?}: {}: no answer", row.about))??;
                sent += 1;
                let refused = match status {
                    Some(status) => (400..500).contains(&status),
                    // A stream or a connection that ends without an answer.
                    None => true,
                };
                match row.kind {
                    Kind::Hostile if !refused => {
                        wrongly_served += 1;
                        println!("SERVED: {way:?}: {}: {status:?}", row.about);
                    }
                    Kind::Honest if status != Some(200) => {
                        wrongly_refused += 1;
                        println!("REFUSED: {way:?}: {}: {status:?}", row.about);
                    }
                    Kind::Honest => hits_expected += usize::from(is_call),
                    Kind::Hostile => {}
                }
            }
        }
        match row.kind {
            Kind::Hostile => hostile += 1,
            Kind::Honest => honest += 1,
        }
    }
    let hits = served.hits().await?;
    println!(
        "{hostile} hostile and {honest} honest rows, {sent} requests, {hits} reached a handler"
    );
    report.count("hostile_rows_missing", 40_usize.saturating_sub(hostile), 0);
    report.count("hostile_handler_hits", hits.saturating_sub(hits_expected), 0);
    report.count("hostile_not_4xx", wrongly_served, 0);
    report.count("honest_refused", wrongly_refused + hits_expected.saturating_sub(hits), 0);
    report.count("ended_badly", usize::from(!served.stop().await?), 0);
    Ok(report)
}
