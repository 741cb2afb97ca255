//! A good client: calls one after another while something else goes on, and how long each took.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::connection::Connection;
use super::message;
use super::timing::Timing;
use crate::Result;

/// Between two calls, so that what is measured is the server and not the want of a processor.
const PAUSE: Duration = Duration::from_millis(1);

/// Calls until `beside` is done. Every call must work.
pub(crate) async fn meanwhile<T>(
    address: SocketAddr,
    beside: impl Future<Output = Result<T>>,
) -> Result<(T, Timing)> {
    let stop = Arc::new(AtomicBool::new(false));
    let calling = tokio::spawn(calls(address, stop.clone()));
    let done = beside.await;
    stop.store(true, Ordering::Relaxed);
    let timing = calling.await?.map_err(|error| format!("the good client: {error}"))?;
    Ok((done?, timing))
}

async fn calls(address: SocketAddr, stop: Arc<AtomicBool>) -> Result<Timing> {
    let mut connection = Connection::open(address).await?;
    let mut timing = Timing::default();
    let ask = message::call(1, "echo", &json!({ "message": "well" }));
    while !stop.load(Ordering::Relaxed) {
        let started = Instant::now();
        let answer = connection.ask(&ask).await?;
        timing.add(started.elapsed());
        if answer.message()?["result"]["content"][0]["text"] != "nobody: well" {
            return Err(format!("a call was answered with {}", answer.status()).into());
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(timing)
}
