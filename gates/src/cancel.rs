//! Calls that are cancelled at every possible moment.
//!
//! On the wire: each call is followed, after a gap of chance, by its cancellation and by a marker
//! request. The server reads in order, so once the marker is answered the cancellation was read,
//! and an answer to the call from then on breaks the promise. Through the client: calls whose
//! futures are dropped at a moment of chance. At the end nothing may be running, and a call works.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use docent_mcp::server::{Context, Server, ToolError};
use docent_mcp::{Client, transport};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::Result;
use crate::arguments::Options;
use crate::random::Random;
use crate::report::Report;

/// Calls that may be open at once.
const WINDOW: usize = 256;
/// The longest that a call works, and the longest gap before it is cancelled.
const LONGEST: Duration = Duration::from_micros(400);

#[derive(Deserialize, JsonSchema)]
struct Work {
    micros: u64,
}

/// Counts handlers that are alive.
struct Alive(Arc<AtomicUsize>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A server with one tool that works for as long as it is told.
fn server(alive: &Arc<AtomicUsize>) -> Server {
    let alive = alive.clone();
    Server::new("cancel", "1.0").tool("work", "Works for a time", move |_: Context, work: Work| {
        alive.fetch_add(1, Ordering::Relaxed);
        let alive = Alive(alive.clone());
        async move {
            let _alive = alive;
            if work.micros > 0 {
                tokio::time::sleep(Duration::from_micros(work.micros)).await;
            }
            Ok::<_, ToolError>("worked")
        }
    })
}

pub(crate) fn run(options: &Options) -> Result<Report> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let pairs = if options.quick { 5_000 } else { 50_000 };
    let drops = if options.quick { 1_000 } else { 10_000 };
    let mut report = Report::new();
    let mut random = Random::new(options.seed);
    let mut totals = Totals::default();
    for modern in [false, true] {
        let seen = runtime.block_on(wire(pairs, modern, &mut random))?;
        println!("{pairs} pairs, modern {modern}: {seen:?}");
        totals.late += seen.late;
        totals.doubled += seen.doubled;
        totals.left += seen.left;
        totals.dead += usize::from(seen.answered == 0 || seen.answered == pairs);
    }
    let left = runtime.block_on(dropped(drops, &mut random))?;
    println!("{drops} dropped calls: {left} handlers left");
    report.count("answers_after_cancel", totals.late, 0);
    report.count("answered_twice", totals.doubled, 0);
    report.count("handlers_left", totals.left + left, 0);
    // Both outcomes must have been seen, or the gaps tested nothing.
    report.count("eras_with_one_outcome_only", totals.dead, 0);
    Ok(report)
}

#[derive(Default)]
struct Totals {
    late: usize,
    doubled: usize,
    left: usize,
    dead: usize,
}

/// What came back.
#[derive(Debug, Default)]
struct Seen {
    /// Calls that were answered before their cancellation was read.
    answered: usize,
    /// Answers that came after that.
    late: usize,
    /// Answers that came twice.
    doubled: usize,
    /// Handlers that were still alive at the end.
    left: usize,
}

async fn wire(pairs: usize, modern: bool, random: &mut Random) -> Result<Seen> {
    let alive = Arc::new(AtomicUsize::new(0));
    let (near, far) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(far);
    let serving = tokio::spawn(server(&alive).serve(transport::stream(reader, writer)));
    let (reader, mut writer) = tokio::io::split(near);
    let mut lines = BufReader::new(reader).lines();
    if !modern {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "gate", "version": "1" },
        });
        let hello =
            json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params });
        writer.write_all(format!("{hello}\n").as_bytes()).await?;
        lines.next_line().await?;
    }
    let window = Arc::new(tokio::sync::Semaphore::new(WINDOW));
    let freed = window.clone();
    let reading = tokio::spawn(async move {
        let mut seen = Seen::default();
        let mut answers = HashSet::new();
        let mut markers: HashMap<u64, ()> = HashMap::new();
        while markers.len() < pairs {
            let line = lines.next_line().await?.ok_or("the server ended")?;
            let message: Value = serde_json::from_str(&line)?;
            let id = message["id"].as_u64().ok_or("an answer without an id")?;
            // Even ids are calls, the odd one after each is its marker.
            if id % 2 == 1 {
                markers.insert(id / 2, ());
                freed.add_permits(1);
                continue;
            }
            seen.answered += 1;
            seen.late += usize::from(markers.contains_key(&(id / 2)));
            seen.doubled += usize::from(!answers.insert(id));
        }
        Ok::<_, crate::Error>((seen, lines))
    });
    for pair in 0..pairs {
        window.acquire().await?.forget();
        let micros = random.time(LONGEST).as_micros();
        let (call, marker) = (2 * pair, 2 * pair + 1);
        let line = |id: usize, micros: u128| {
            let mut params = json!({ "name": "work", "arguments": { "micros": micros } });
            if modern {
                params["_meta"] = json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                });
            }
            let request =
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
            format!("{request}\n")
        };
        writer.write_all(line(call, micros).as_bytes()).await?;
        match random.next() % 4 {
            0 => {}
            1 => tokio::task::yield_now().await,
            _ => tokio::time::sleep(random.time(LONGEST)).await,
        }
        let params = json!({ "requestId": call, "reason": "chance" });
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        writer.write_all(format!("{cancel}\n{}", line(marker, 0)).as_bytes()).await?;
    }
    let (mut seen, mut lines) = reading.await??;
    writer.shutdown().await?;
    // Whatever still comes is late: every marker was answered.
    while lines.next_line().await?.is_some() {
        seen.late += 1;
    }
    serving.await??;
    seen.left = settled(&alive).await;
    Ok(seen)
}

/// Drops calls of the client at moments of chance; returns how many handlers are left.
async fn dropped(calls: usize, random: &mut Random) -> Result<usize> {
    let alive = Arc::new(AtomicUsize::new(0));
    let (near, far) = transport::memory();
    tokio::spawn(server(&alive).serve(far));
    let client = Client::start(near).await?;
    for _ in 0..calls {
        let micros = random.time(LONGEST).as_micros();
        let call = client.call("work", json!({ "micros": micros }));
        let _ = tokio::time::timeout(random.time(LONGEST), call).await;
    }
    let result = client.call("work", json!({ "micros": 0 })).await?;
    assert_eq!(result.content.len(), 1, "a call after the cancelled ones works");
    let left = settled(&alive).await;
    client.close().await;
    Ok(left)
}

/// How many handlers are alive once there was time for them to notice.
async fn settled(alive: &AtomicUsize) -> usize {
    for _ in 0..200 {
        if alive.load(Ordering::Relaxed) == 0 {
            return 0;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    alive.load(Ordering::Relaxed)
}
