//! Killing a parent that has children: nobody is left to clean up but those who notice.
//!
//! In every second round the parent is killed at any moment while it starts its children. Only
//! children that mind the end of their input are started then: between the start of a child and
//! the moment that the watchdog knows of it, that is all there is.

use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{AT_ONCE, Ended, RUN_MAX, Stage, Tally, census, parent, within};
use crate::Result;
use crate::random::Random;

/// The latest moment at which a parent is killed that may still be starting its children.
const EARLY_MAX: Duration = Duration::from_millis(200);

pub(super) async fn run(stage: &Stage, random: &mut Random, rounds: usize) -> Result<Tally> {
    let mut tally = Tally::default();
    let places = Arc::new(Semaphore::new(AT_ONCE / 2));
    let mut running = JoinSet::new();
    for number in 0..rounds {
        let mark = stage.mark("killed", number);
        let early = (number % 2 == 1).then(|| random.time(EARLY_MAX));
        let mut command = Command::new(std::env::current_exe()?);
        command.args(parent::arguments(stage.folder(), &mark, early.is_some()));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let places = Arc::clone(&places);
        running.spawn(async move {
            let _place = places.acquire().await;
            within(RUN_MAX, round(command, &mark, early)).await
        });
    }
    while let Some(joined) = running.join_next().await {
        tally.take("killed parent", joined?);
    }
    Ok(tally)
}

async fn round(mut command: Command, mark: &str, early: Option<Duration>) -> Result<Ended> {
    let mut parent = command.spawn()?;
    match early {
        Some(after) => tokio::time::sleep(after).await,
        None => ready(&mut parent).await?,
    }
    let id = parent.id().ok_or("the parent ended by itself")?;
    let watchdog = census::watchdog_of(id)?;
    if early.is_none() && (watchdog.is_none() || census::marked(mark)? == 0) {
        return Err("the parent has no children or no watchdog".into());
    }
    kill(&mut parent, mark).await
}

/// Kills a process that has children. Says what became of them, and of the watchdog.
pub(super) async fn kill(parent: &mut Child, mark: &str) -> Result<Ended> {
    let watchdog = census::watchdog_of(parent.id().ok_or("the parent ended by itself")?)?;
    parent.start_kill()?;
    let begin = Instant::now();
    parent.wait().await?;
    let mut ended = census::gone(mark, begin).await?;
    // The watchdog may take a moment to see that there is nothing more to do, but not longer.
    while watchdog.is_some_and(census::runs) && begin.elapsed() < super::END_MAX {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    ended.left += usize::from(watchdog.is_some_and(census::runs));
    Ok(ended)
}

/// Waits until the parent says that all of its children answer.
async fn ready(parent: &mut Child) -> Result<()> {
    let output = parent.stdout.as_mut().ok_or("no stdout")?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).await?;
    match line.trim() {
        parent::READY => Ok(()),
        other => Err(format!("the parent said {other:?}").into()),
    }
}
