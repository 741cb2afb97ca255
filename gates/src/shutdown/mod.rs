//! A server that is told to stop (SIGTERM) with 500 requests in flight: each is answered with a
//! result or an error, nothing new is taken, and the process ends well and soon.
//!
//! The handlers begin to finish when the server is told to stop, so that all of them are in flight
//! at that moment. In every tenth run some of them would take longer than the server has.

mod asked;

use std::time::{Duration, Instant};

use serde_json::json;

use self::asked::Kind;
use crate::Result;
use crate::arguments::Options;
use crate::random::Random;
use crate::report::Report;
use crate::web::child::Served;
use crate::web::connection::Connection;
use crate::web::timing::Timing;
use crate::web::{self, message};

/// How many requests of each kind.
const CROWD: &[(Kind, usize)] = &[
    (Kind::ModernJson, 150),
    (Kind::ModernEvents, 100),
    (Kind::Listen, 50),
    (Kind::LegacyJson, 100),
    (Kind::LegacyEvents, 50),
    (Kind::LegacyStream, 20),
    (Kind::Framed, 30),
];

/// Connections that wait for their next request when the server is told to stop.
const IDLE: usize = 10;

/// How long requests may take to reach their handlers before a run makes no sense.
const ARRIVAL: Duration = Duration::from_secs(20);

pub(crate) fn run(options: &Options) -> Result<Report> {
    let runs = if options.quick { 2 } else { 100 };
    let runtime = web::runtime()?;
    let mut random = Random::new(options.seed);
    let mut report = Report::new();
    let mut total = Seen::default();
    for run in 0..runs {
        // The last of a quick run, and every tenth, has handlers that do not finish.
        let endless = run % 10 == 1;
        let seen = runtime.block_on(once(endless, &mut random))?;
        if seen.unanswered + seen.bad_ends + seen.served_late > 0 || run < 2 {
            let Seen { unanswered, bad_ends, served_late, .. } = seen;
            println!(
                "run {run}, endless {endless}: exit after {:.1?}, {unanswered} unanswered, \
                 {bad_ends} bad exits, {served_late} new calls served late",
                seen.exits.max()
            );
        }
        total.unanswered += seen.unanswered;
        total.bad_ends += seen.bad_ends;
        total.served_late += seen.served_late;
        total.refusals.merge(seen.refusals);
        total.exits.merge(seen.exits);
    }
    println!("{runs} runs of {} requests", CROWD.iter().map(|(_, count)| count).sum::<usize>());
    println!("exits: {}", total.exits);
    println!("refusals of new calls: {}", total.refusals);
    report.count("unanswered", total.unanswered, 0);
    report.count("bad_exit_status", total.bad_ends, 0);
    report.time("exit_s_max", total.exits.max(), Duration::from_secs(5));
    report.count("new_calls_served_after_50_ms", total.served_late, 0);
    // Of the ninety refusals of a quick run the 99th percentile is the slowest, which one hiccup of the
    // machine decides; the promise itself is judged in full.
    let refusal = Duration::from_millis(if options.quick { 100 } else { 50 });
    report.time("new_call_refused_s_p99", total.refusals.p99(), refusal);
    Ok(report)
}

/// What came of a run, or of all.
#[derive(Default)]
struct Seen {
    unanswered: usize,
    bad_ends: usize,
    /// New calls that were taken later than 50 ms after the server was told to stop.
    served_late: usize,
    refusals: Timing,
    exits: Timing,
}

async fn once(endless: bool, random: &mut Random) -> Result<Seen> {
    let mut served = Served::start(&[]).await?;
    let mut tasks = Vec::new();
    let mut handlers = 0;
    for (kind, count) in CROWD {
        for number in 0..*count {
            let millis = match endless && number % 5 == 0 {
                true => 60_000,
                false => u64::try_from(random.time(Duration::from_millis(700)).as_millis())?,
            };
            handlers += usize::from(kind.has_handler());
            tasks.push((*kind, asked::start(*kind, served.address, millis)));
        }
    }
    let mut open = Vec::new();
    for (kind, start) in tasks {
        open.push((kind, start.await??));
    }
    let mut idle = Vec::new();
    for _ in 0..IDLE {
        let mut connection = served.connect().await?;
        connection.ask(&message::call(1, "echo", &json!({ "message": "idle" }))).await?;
        idle.push(connection);
    }
    let asked = Instant::now();
    while served.running().await? < handlers {
        tokio::time::sleep(Duration::from_millis(5)).await;
        if asked.elapsed() > ARRIVAL {
            for (kind, open) in open {
                asked::early(open).await.map_err(|error| format!("{kind:?}: {error}"))?;
            }
            return Err("not all requests have reached their handlers".into());
        }
    }

    let stopped = Instant::now();
    served.terminate()?;
    let knocking = tokio::spawn(knock(served.address, stopped, idle));
    let reading: Vec<_> =
        open.into_iter().map(|(kind, open)| (kind, tokio::spawn(asked::finish(open)))).collect();
    let mut seen = Seen::default();
    let status = served.ended(Duration::from_secs(8)).await?;
    seen.exits.add(stopped.elapsed());
    seen.bad_ends += usize::from(!status.is_some_and(|status| status.success()));
    for (kind, task) in reading {
        if let Err(error) = task.await? {
            seen.unanswered += 1;
            if seen.unanswered < 4 {
                println!("{kind:?}: {error}");
            }
        }
    }
    (seen.refusals, seen.served_late) = knocking.await?;
    Ok(seen)
}

/// Makes new calls, over new connections and over ones that are open, for as long as there may be
/// somebody to take them. Returns how long refusals took, and how many were taken too late.
async fn knock(
    address: std::net::SocketAddr,
    stopped: Instant,
    mut idle: Vec<Connection>,
) -> (Timing, usize) {
    let soon = Duration::from_millis(50);
    let (mut refusals, mut served_late) = (Timing::default(), 0);
    let ask = message::call(1, "echo", &json!({ "message": "new" }));
    while stopped.elapsed() < Duration::from_millis(600) {
        let began = Instant::now();
        let answered = match idle.pop() {
            Some(mut connection) if stopped.elapsed() > soon => connection.ask(&ask).await,
            waiting => {
                idle.extend(waiting);
                match Connection::open(address).await {
                    Ok(mut connection) => connection.ask(&ask).await,
                    Err(error) => Err(error),
                }
            }
        };
        match answered {
            Ok(answer) if answer.status() == 200 => {
                served_late += usize::from(began - stopped > soon);
            }
            _ => refusals.add(began.elapsed()),
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    (refusals, served_late)
}
