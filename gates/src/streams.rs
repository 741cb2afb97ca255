//! Two thousand open subscriptions (2026-07-28): what they cost, how soon one change has reached all
//! of them, and that readers who stop reading are cut off and hurt nobody.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::net::TcpSocket;
use tokio::sync::mpsc;

use crate::Result;
use crate::arguments::Options;
use crate::report::Report;
use crate::web::child::{FILLING, Served};
use crate::web::connection::Connection;
use crate::web::timing::Timing;
use crate::web::{self, load, message};

/// Readers that stop.
const STALLED: usize = 20;
/// What they watch: enough to fill every buffer on the way when it all changes.
const WATCHED: usize = 200;
/// The first message of a subscription.
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

pub(crate) fn run(options: &Options) -> Result<Report> {
    let streams = if options.quick { 500 } else { 2_000 };
    // By default a client may leave an answer unread for 30 seconds.
    let patience = Duration::from_secs(if options.quick { 2 } else { 5 });
    web::runtime()?.block_on(measure(streams, patience))
}

async fn measure(streams: usize, patience: Duration) -> Result<Report> {
    let mut report = Report::new();
    let served = Served::start(&[&format!("write_ms={}", patience.as_millis())]).await?;
    let idle = served.rss()?;

    let (told, mut tellings) = mpsc::unbounded_channel();
    let started = Instant::now();
    for _ in 0..streams {
        let mut connection = served.connect().await?;
        connection.send(&message::listen(1, &[])).await?;
        connection.begin_stream(ACKNOWLEDGED).await?;
        tokio::spawn(follow(connection, told.clone()));
    }
    let held = served.rss()?;
    println!("{streams} subscriptions in {:.1?}", started.elapsed());
    println!("{idle:.1} MiB before, {held:.1} MiB held");

    let mut changer = served.connect().await?;
    let mut times = Timing::default();
    for _ in 0..10 {
        times.add(change(&mut changer, streams, &mut tellings).await?);
    }
    println!("until one change had reached all: {times}");

    let stalling = stall(&served, patience, streams, &mut tellings);
    let (stalled, calls) = load::meanwhile(served.address, stalling).await?;
    println!("{STALLED} stalled readers gone after {:.1?}", stalled.gone_after);
    println!("until one change had reached the others meanwhile: {}", stalled.changes);
    println!("calls meanwhile: {calls}");
    println!("{:.1} MiB at most meanwhile", stalled.peak);

    let soon = Duration::from_millis(500);
    report.number("rss_mib", held, 80.0);
    report.time("change_reaches_all_s", times.max(), soon);
    report.count("stalled_readers_left", stalled.left, 0);
    report.time("stalled_readers_gone_s", stalled.gone_after, patience + FILLING);
    report.time("change_reaches_others_s", stalled.changes.max(), soon);
    report.time("call_p99_meanwhile_s", calls.p99(), Duration::from_millis(100));
    report.count("ended_badly", usize::from(!served.stop().await?), 0);
    Ok(report)
}

/// Reads a subscription, and tells of each change.
async fn follow(mut connection: Connection, told: mpsc::UnboundedSender<()>) {
    let mut seen = Vec::new();
    while let Ok(Some(chunk)) = connection.chunk().await {
        seen.extend(chunk);
        let text = String::from_utf8_lossy(&seen);
        if text.ends_with("\n\n") {
            for _ in text.matches("notifications/tools/list_changed") {
                let _ = told.send(());
            }
            seen.clear();
        }
    }
}

/// Makes one change. Returns how long it took until every subscriber had been told.
async fn change(
    changer: &mut Connection,
    streams: usize,
    tellings: &mut mpsc::UnboundedReceiver<()>,
) -> Result<Duration> {
    while tellings.try_recv().is_ok() {}
    let started = Instant::now();
    let answer = changer.ask(&message::call(1, "change", &json!({}))).await?;
    if answer.status() != 200 {
        return Err(format!("the change was answered with {}", answer.status()).into());
    }
    for _ in 0..streams {
        let telling = tokio::time::timeout(Duration::from_secs(5), tellings.recv()).await;
        telling.map_err(|_| "not everybody was told of a change")?;
    }
    let took = started.elapsed();
    tokio::time::sleep(Duration::from_millis(50)).await;
    Ok(took)
}

struct Stalled {
    left: usize,
    /// How long after they stopped reading.
    gone_after: Duration,
    changes: Timing,
    peak: f64,
}

/// Readers who stop, while the others go on.
async fn stall(
    served: &Served,
    patience: Duration,
    streams: usize,
    tellings: &mut mpsc::UnboundedReceiver<()>,
) -> Result<Stalled> {
    let resources: Vec<String> =
        (0..WATCHED).map(|number| format!("gate:///{number}/{}", "x".repeat(500))).collect();
    let mut readers = Vec::new();
    for _ in 0..STALLED {
        let socket = TcpSocket::new_v4()?;
        // As little as there can be on the way.
        socket.set_recv_buffer_size(4096)?;
        let stream = socket.connect(served.address).await?;
        let mut connection = Connection::over(stream, served.address);
        connection.send(&message::listen(1, &resources)).await?;
        connection.begin_stream(ACKNOWLEDGED).await?;
        readers.push(connection);
    }
    let ports = readers.iter().map(|reader| Ok(reader.stream.get_ref().local_addr()?.port()));
    let ports = ports.collect::<Result<_>>()?;
    served.forget_peak()?;
    let mut changer = served.connect().await?;
    let everything = message::call(1, "change", &json!({ "resources": resources }));
    let mut changes = Timing::default();
    let (started, mut left) = (Instant::now(), STALLED);
    while left > 0 && started.elapsed() < patience + FILLING * 2 {
        // The system keeps some megabytes for each connection, which have to be filled first.
        for _ in 0..10 {
            changer.ask(&everything).await?;
        }
        changes.add(change(&mut changer, streams, tellings).await?);
        left = served.connected(&ports)?;
    }
    let gone_after = started.elapsed();
    let peak = served.peak()?;
    drop(readers);
    Ok(Stalled { left, gone_after, changes, peak })
}
