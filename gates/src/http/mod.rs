//! Clients that keep a server waiting (`slow`), that hide one request in another (`smuggled`), that
//! open requests only to drop them (`resets`), and that make much of little (`swelling`).

mod resets;
mod slow;
mod smuggled;
mod swelling;

use std::time::Duration;

use crate::Result;
use crate::arguments::Options;
use crate::report::Report;
use crate::web::child::FILLING;
use crate::web::child::Served;
use crate::web::{self, load};

pub(crate) fn run(options: &Options) -> Result<Report> {
    web::runtime()?.block_on(measure(options.quick))
}

async fn measure(quick: bool) -> Result<Report> {
    let mut report = Report::new();
    let good = Duration::from_millis(100);

    // The full run has the limits that a server has by default; the quick one waits less long for
    // those who do not read.
    let patience = Duration::from_secs(if quick { 4 } else { 30 });
    let served = Served::start(&[&format!("write_ms={}", patience.as_millis())]).await?;
    let each = if quick { 50 } else { 250 };
    let slow = slow::run(&served, each, patience);
    let (slow, timing) = load::meanwhile(served.address, slow).await?;
    println!("{} slow connections, the last gone after {:.1?}", 3 * each, slow.gone_after);
    println!("{each} that did not read, the last gone after {:.1?}", slow.unread_gone_after);
    println!("calls meanwhile: {timing}");
    report.count("slow_left", slow.left + slow.unread_left, 0);
    report.time("slow_gone_s", slow.gone_after, Duration::from_secs(10));
    report.time("unread_gone_s", slow.unread_gone_after, patience + FILLING);
    report.time("call_p99_meanwhile_s", timing.p99(), good);

    let smuggled = smuggled::run(&served).await?;
    println!("{} smuggling requests", smuggled.sent);
    report.count("smuggled_handler_hits", smuggled.hits, 0);
    report.count("smuggling_answered_wrongly", smuggled.wrong, 0);

    let resets = resets::run(&served, Duration::from_secs(if quick { 1 } else { 5 }));
    let (ended, timing) = load::meanwhile(served.address, resets).await?;
    println!("{} connections of opened and reset streams, {} ended for it", ended.0, ended.1);
    println!("calls meanwhile: {timing}");
    report.time("call_p99_under_resets_s", timing.p99(), good);
    tokio::time::sleep(Duration::from_millis(200)).await;
    report.count("handlers_left_after_resets", served.running().await?, 0);

    let swelling = swelling::run().await?;
    report.number("memory_amplification", swelling, 100.0);
    report.count("ended_badly", usize::from(!served.stop().await?), 0);
    Ok(report)
}
