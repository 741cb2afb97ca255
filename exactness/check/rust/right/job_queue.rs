//! Workers that take jobs from a queue until they are told to stop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use futures::stream::{self, StreamExt};
use rand::RngExt;
use thiserror::Error;
use tokio::sync::{Semaphore, broadcast, mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{self, MissedTickBehavior};

#[derive(Debug, Error)]
enum JobError {
    #[error("job {0} failed after {1:?}")]
    Failed(u32, Duration),
    #[error("nobody is listening")]
    Closed(#[from] oneshot::error::RecvError),
    #[error(transparent)]
    Join(#[from] tokio::task::JoinError),
}

struct Job {
    id: u32,
    answer: oneshot::Sender<Result<u64, JobError>>,
}

async fn work(job: Job, permits: Arc<Semaphore>) {
    let started = Instant::now();
    let Ok(permit) = permits.acquire_owned().await else { return };
    let pause = rand::rng().random_range(1..20);
    time::sleep(Duration::from_millis(pause)).await;
    let outcome = if rand::random_bool(0.1) {
        Err(JobError::Failed(job.id, started.elapsed()))
    } else {
        Ok(u64::from(job.id) * pause)
    };
    let _ = job.answer.send(outcome);
    drop(permit);
}

fn start(mut jobs: mpsc::Receiver<Job>, mut stop: broadcast::Receiver<()>) -> JoinHandle<usize> {
    let permits = Arc::new(Semaphore::new(4));
    tokio::spawn(async move {
        let mut running = JoinSet::new();
        let mut beat = time::interval(Duration::from_secs(1));
        beat.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                job = jobs.recv() => match job {
                    Some(job) => { running.spawn(work(job, Arc::clone(&permits))); }
                    None => break,
                },
                _ = stop.recv() => break,
                _ = beat.tick() => println!("{} running", running.len()),
            }
        }
        let mut done = 0;
        while let Some(joined) = running.join_next().await {
            done += usize::from(joined.is_ok());
        }
        done
    })
}

#[tokio::main]
async fn main() -> Result<(), JobError> {
    let (sender, receiver) = mpsc::channel::<Job>(32);
    let (stop, stopped) = broadcast::channel(1);
    let worker = start(receiver, stopped);
    let mut answers = Vec::new();
    for id in 0..100 {
        let (answer, waiting) = oneshot::channel();
        if sender.send(Job { id, answer }).await.is_err() {
            break;
        }
        answers.push(waiting);
    }
    drop(sender);
    let results = join_all(answers).await;
    let total: u64 = stream::iter(results)
        .filter_map(|result| async move { result.ok()?.ok() })
        .fold(0, |sum, value| async move { sum + value })
        .await;
    let _ = stop.send(());
    println!("{total} in {} jobs", worker.await?);
    Ok(())
}
