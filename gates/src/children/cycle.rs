//! Opening a connection and ending it, in every way that there is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use docent_mcp::Client;
use docent_mcp::transport::child::ChildProcess;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::kinds::{KINDS, Kind};
use super::{AT_ONCE, Ended, RUN_MAX, Stage, Tally, census, within};
use crate::Result;
use crate::random::Random;

/// How a connection ends.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// As it should.
    Close,
    /// Nobody bothers.
    Drop,
    /// The server crashes first.
    Crash,
    /// The server stops and a large request is stuck in the pipe.
    Stop,
    /// Before it is open, after this time.
    Abandon(Duration),
}

/// The longest time before a connection is abandoned: about what it takes to open one.
const ABANDON_MAX: Duration = Duration::from_millis(60);

/// How long a request gets to reach the server, or the pipe.
const STOP_TIME: Duration = Duration::from_millis(100);
/// More than any pipe holds.
const STUCK_BYTES: usize = 10 << 20;

pub(super) async fn run(stage: &Stage, random: &mut Random, cycles: usize) -> Result<Tally> {
    let mut tally = Tally::default();
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for number in 0..cycles {
        // All kinds equally often; most connections are closed.
        let kind = &KINDS[number % KINDS.len()];
        let abandon = Way::Abandon(random.time(ABANDON_MAX));
        let crash = if kind.shows_crash { Way::Crash } else { Way::Close };
        let ways = [Way::Close, Way::Close, Way::Close, Way::Drop, Way::Stop, crash, abandon];
        let way = random.pick(&ways);
        let mark = stage.mark("cycle", number);
        let command = kind.command(stage.folder(), &mark)?;
        let places = Arc::clone(&places);
        running.spawn(async move {
            let _place = places.acquire().await;
            (name(kind, way), within(RUN_MAX, cycle(command, way, &mark)).await)
        });
    }
    while let Some(joined) = running.join_next().await {
        let (name, outcome) = joined?;
        tally.take(&name, outcome);
    }
    Ok(tally)
}

fn name(kind: &Kind, way: Way) -> String {
    format!("{} server, {way:?}", kind.name)
}

async fn cycle(command: ChildProcess, way: Way, mark: &str) -> Result<Ended> {
    let opening = Client::start(command);
    if let Way::Abandon(after) = way {
        // It may have opened by then, and is dropped all the same.
        drop(tokio::time::timeout(after, opening).await);
        return census::gone(mark, Instant::now()).await;
    }
    let client = opening.await?;
    let answer = client.call("echo", json!({ "message": mark })).await?;
    if !serde_json::to_string(&answer)?.contains(mark) {
        return Err("the answer is wrong".into());
    }
    match way {
        Way::Crash if client.call("crash", json!({})).await.is_ok() => {
            return Err("the server did not crash".into());
        }
        Way::Stop => stop(&client).await?,
        _ => {}
    }
    let begin = Instant::now();
    if matches!(way, Way::Drop) {
        drop(client);
        return census::gone(mark, begin).await;
    }
    client.close().await;
    // When closing is done, nobody may be left.
    Ok(Ended { took: begin.elapsed(), left: census::marked(mark)? })
}

/// Stops the server and fills its pipe.
async fn stop(client: &Client) -> Result<()> {
    if tokio::time::timeout(STOP_TIME, client.call("stop", json!({}))).await.is_ok() {
        return Err("the server did not stop".into());
    }
    let (client, message) = (client.clone(), "x".repeat(STUCK_BYTES));
    tokio::spawn(async move { client.call("echo", json!({ "message": message })).await });
    tokio::time::sleep(STOP_TIME).await;
    Ok(())
}
