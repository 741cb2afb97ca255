//! Ten thousand sessions (2025-11-25) at once: what they cost, how calls do meanwhile, that one more
//! is refused, and that nothing is left of them once they were left alone.
//!
//! Each session is a whole one: handshake, `initialized`, so that it is told of changes, and a call.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::Result;
use crate::arguments::Options;
use crate::random::Random;
use crate::report::Report;
use crate::web::child::Served;
use crate::web::timing::Timing;
use crate::web::{self, message};

/// Connections that the sessions share.
const CONNECTIONS: usize = 16;
const REVISION: &str = "2025-11-25";

struct Size {
    sessions: usize,
    /// How long a session may be left alone; the default is half an hour.
    idle: Duration,
    calls: usize,
}

pub(crate) fn run(options: &Options) -> Result<Report> {
    let size = match options.quick {
        true => Size { sessions: 2_000, idle: Duration::from_secs(4), calls: 2_000 },
        false => Size { sessions: 10_000, idle: Duration::from_secs(20), calls: 10_000 },
    };
    web::runtime()?.block_on(measure(&size, &mut Random::new(options.seed)))
}

async fn measure(size: &Size, random: &mut Random) -> Result<Report> {
    let mut report = Report::new();
    let sessions = format!("sessions={}", size.sessions);
    let idle = format!("session_idle_ms={}", size.idle.as_millis());
    let served = Served::start(&[&sessions, &idle]).await?;

    // What the process holds anyway once it has worked: buffers, threads.
    end(&served, &begin(&served, size.sessions / 10).await?).await?;
    let before = served.rss()?;
    let started = Instant::now();
    let first = begin(&served, size.sessions).await?;
    println!("{} sessions in {:.1?}", first.len(), started.elapsed());
    let held = served.rss()?;
    let each = (held - before) * 1024.0 / f64::from(u32::try_from(first.len())?);
    println!("{before:.1} MiB before, {held:.1} MiB held, {each:.2} KiB for each session");

    // The allocator keeps what it was given: what remains is measured against what it keeps of a
    // crowd as large that has said goodbye.
    end(&served, &first).await?;
    let settled = served.rss()?;
    println!("{settled:.1} MiB after they had ended");
    let ids = begin(&served, size.sessions).await?;

    let refused = served.connect().await?.begin(&message::initialize(REVISION)).await?;
    let clean = refused.err().is_some_and(|head| {
        println!("one more: {}, Retry-After {:?}", head.status, head.header("retry-after"));
        head.status == 503 && head.header("retry-after").is_some()
    });

    let (timing, lost) = calls(&served, &ids, size.calls, random).await?;
    println!("calls of random sessions: {timing}");

    let (after, left) = expire(&served, &ids, size.idle).await?;
    println!("{after:.1} MiB after they were left alone");

    report.number("rss_mib", held, 80.0);
    report.number("kib_per_session", each, 8.0);
    report.time("call_p99_s", timing.p99(), Duration::from_millis(20));
    report.count("sessions_lost_while_in_use", lost, 0);
    report.count("one_more_not_refused_cleanly", usize::from(!clean), 0);
    report.count("sessions_left", left, 0);
    report.number("rss_left_percent", (after - settled) / settled * 100.0, 10.0);
    report.count("ended_badly", usize::from(!served.stop().await?), 0);
    Ok(report)
}

/// Begins sessions, over a few connections at once.
async fn begin(served: &Served, count: usize) -> Result<Vec<String>> {
    let mut tasks = Vec::new();
    for worker in 0..CONNECTIONS {
        let mut connection = served.connect().await?;
        let own = (worker..count).step_by(CONNECTIONS).count();
        tasks.push(tokio::spawn(async move {
            let mut ids = Vec::new();
            let hello = message::initialize(REVISION);
            for _ in 0..own {
                let begun = connection.begin(&hello).await?;
                let id = begun.map_err(|head| format!("refused with {}", head.status))?;
                let arguments = json!({ "arguments": { "message": "hello" } });
                connection.ask(&message::session_call(&id, 1, "echo", arguments)).await?;
                ids.push(id);
            }
            Ok::<_, crate::Error>(ids)
        }));
    }
    let mut ids = Vec::new();
    for task in tasks {
        ids.extend(task.await??);
    }
    Ok(ids)
}

/// Ends sessions.
async fn end(served: &Served, ids: &[String]) -> Result<()> {
    let mut connection = served.connect().await?;
    for id in ids {
        let answer = connection.ask(&message::bare("DELETE", id)).await?;
        if answer.status() != 204 {
            return Err(format!("DELETE was answered with {}", answer.status()).into());
        }
    }
    Ok(())
}

/// Calls in sessions of chance. Returns how long calls took, and how many did not work.
async fn calls(
    served: &Served,
    ids: &[String],
    count: usize,
    random: &mut Random,
) -> Result<(Timing, usize)> {
    let mut connection = served.connect().await?;
    let (mut timing, mut lost) = (Timing::default(), 0);
    let indices: Vec<usize> = (0..ids.len()).collect();
    for _ in 0..count {
        let id = &ids[random.pick(&indices)];
        let arguments = json!({ "arguments": { "message": id } });
        let ask = message::session_call(id, 1, "echo", arguments);
        let started = Instant::now();
        let answer = connection.ask(&ask).await?;
        timing.add(started.elapsed());
        lost += usize::from(answer.status() != 200);
    }
    Ok((timing, lost))
}

/// Waits until the sessions were left alone for too long. Returns the memory that is held then, and
/// how many sessions are still there.
async fn expire(served: &Served, ids: &[String], idle: Duration) -> Result<(f64, usize)> {
    // Asking for a session is using it: only memory can be looked at meanwhile.
    tokio::time::sleep(idle * 3 / 2).await;
    let after = served.rss()?;
    let mut connection = served.connect().await?;
    let mut left = 0;
    for id in ids.iter().step_by(ids.len() / 100) {
        left += usize::from(connection.ask(&message::bare("GET", id)).await?.status() != 404);
    }
    Ok((after, left))
}
