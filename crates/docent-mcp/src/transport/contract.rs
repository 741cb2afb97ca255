//! What every transport promises, as checks that anyone can run against theirs.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use docent_mcp::transport::{contract, memory};
//!
//! contract::check(|| async { Ok(memory()) }).await.unwrap();
//! # });
//! ```

use std::future::Future;
use std::io;
use std::time::Duration;

use bytes::Bytes;

use super::{Incoming, Transport};

/// How long any single step may take before the transport counts as stuck.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs every check on fresh pairs of connected transports and reports the first broken promise.
pub async fn check<F, P>(connect: F) -> Result<(), String>
where
    F: Fn() -> P,
    P: Future<Output = io::Result<(Transport, Transport)>>,
{
    let pair = || async { connect().await.map_err(|error| format!("cannot connect: {error}")) };
    frames_keep_their_bytes_and_order(pair().await?).await?;
    both_directions_move_at_once(pair().await?).await?;
    reading_can_be_cancelled(pair().await?).await?;
    closing_delivers_and_ends(pair().await?).await?;
    writing_to_a_gone_peer_fails(pair().await?).await
}

async fn in_time<T>(what: &str, step: impl Future<Output = T>) -> Result<T, String> {
    tokio::time::timeout(PATIENCE, step).await.map_err(|_| format!("{what}: stuck"))
}

async fn read_frames(from: &mut Transport, count: usize) -> Result<Vec<Bytes>, String> {
    let mut frames = Vec::new();
    while frames.len() < count {
        let mut items = Vec::new();
        in_time("read", from.reader.read(&mut items))
            .await?
            .map_err(|error| format!("read failed: {error}"))?;
        if items.is_empty() {
            return Err(format!("input ended after {} of {count} frames", frames.len()));
        }
        for item in items {
            match item {
                Incoming::Frame(frame) => frames.push(Bytes::copy_from_slice(frame.trim_ascii())),
                Incoming::Answer(_) => return Err("a frame was taken for an answer".into()),
                Incoming::Oversize { .. } => return Err("a small frame was called too long".into()),
                Incoming::Held { id, .. } => return Err(format!("a frame was held: {id}")),
                Incoming::Failed { error, .. } => return Err(format!("a frame failed: {error}")),
            }
        }
    }
    Ok(frames)
}

async fn write_frames(to: &mut Transport, frames: &[Bytes]) -> Result<(), String> {
    let mut frames = frames.to_vec();
    in_time("write", to.writer.write(&mut frames))
        .await?
        .map_err(|error| format!("write failed: {error}"))?;
    if frames.is_empty() { Ok(()) } else { Err("write left frames behind".into()) }
}

fn numbered(count: usize, size: usize) -> Vec<Bytes> {
    let filler = "é\u{2028}\\n".repeat(size / 8);
    (0..count).map(|n| Bytes::from(format!(r#"{{"n":{n},"text":"{filler}"}}"#))).collect()
}

async fn frames_keep_their_bytes_and_order(
    (mut left, mut right): (Transport, Transport),
) -> Result<(), String> {
    let frames = numbered(20, 64);
    let (written, read) =
        tokio::join!(write_frames(&mut left, &frames), read_frames(&mut right, frames.len()));
    written?;
    if read? == frames { Ok(()) } else { Err("frames changed or swapped places on the way".into()) }
}

async fn both_directions_move_at_once(
    (mut left, mut right): (Transport, Transport),
) -> Result<(), String> {
    // Far more than any buffer on the way: if a half waited for the other, this would be stuck.
    let frames = numbered(100, 40_000);
    let (a, b, c, d) = tokio::join!(
        pump(&mut *left.writer, &frames),
        pump(&mut *right.writer, &frames),
        drain(&mut *left.reader, frames.len()),
        drain(&mut *right.reader, frames.len()),
    );
    a.and(b).and(c).and(d)
}

async fn pump(writer: &mut dyn super::AnyWriter, frames: &[Bytes]) -> Result<(), String> {
    for frame in frames {
        in_time("write while reading", writer.write(&mut vec![frame.clone()]))
            .await?
            .map_err(|error| format!("write failed: {error}"))?;
    }
    Ok(())
}

async fn drain(reader: &mut dyn super::AnyReader, count: usize) -> Result<(), String> {
    let mut items = Vec::new();
    while items.len() < count {
        in_time("read while writing", reader.read(&mut items))
            .await?
            .map_err(|error| format!("read failed: {error}"))?;
    }
    Ok(())
}

async fn reading_can_be_cancelled(
    (mut left, mut right): (Transport, Transport),
) -> Result<(), String> {
    let frames = numbered(50, 3_000);
    let writing = async { pump(&mut *left.writer, &frames).await };
    let reading = async {
        let mut items = Vec::new();
        while items.len() < frames.len() {
            // A reader that loses bytes when it is dropped loses them here.
            let patience = Duration::from_micros(50);
            let _ = tokio::time::timeout(patience, right.reader.read(&mut items)).await;
            tokio::task::yield_now().await;
        }
        let same = items.iter().zip(&frames).all(
            |(item, frame)| matches!(item, Incoming::Frame(seen) if seen.trim_ascii() == frame),
        );
        if same { Ok(()) } else { Err("a cancelled read lost or changed a frame".to_owned()) }
    };
    let (written, read) = tokio::join!(
        in_time("cancelled reads: write", writing),
        in_time("cancelled reads", reading)
    );
    written??;
    read?
}

async fn closing_delivers_and_ends(
    (mut left, mut right): (Transport, Transport),
) -> Result<(), String> {
    let frames = numbered(3, 16);
    let closing = async {
        write_frames(&mut left, &frames).await?;
        in_time("close", left.writer.close())
            .await?
            .map_err(|error| format!("close failed: {error}"))
    };
    let (closed, read) = tokio::join!(closing, read_frames(&mut right, frames.len()));
    closed?;
    if read? != frames {
        return Err("frames written before close did not arrive".into());
    }
    let mut items = Vec::new();
    match in_time("read after close", right.reader.read(&mut items)).await? {
        Ok(()) if items.is_empty() => Ok(()),
        Ok(()) => Err("something arrived after close".into()),
        Err(error) => Err(format!("close reads as the error {error} instead of an end")),
    }
}

async fn writing_to_a_gone_peer_fails(
    (mut left, right): (Transport, Transport),
) -> Result<(), String> {
    drop(right);
    let writing = async {
        // What the system buffers may still be accepted, but not without end.
        while left.writer.write(&mut numbered(1, 60_000)).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    in_time("write to a peer that is gone", writing).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{memory, stream};

    /// [BOTH-TRANS-21] the shipped transports keep the contract that custom ones are held to.
    #[tokio::test]
    async fn shipped_transports_keep_the_contract() {
        check(|| async { Ok(memory()) }).await.unwrap();
        check(|| async {
            let (left, right) = tokio::io::duplex(1000);
            let (left_read, left_write) = tokio::io::split(left);
            let (right_read, right_write) = tokio::io::split(right);
            Ok((stream(left_read, left_write), stream(right_read, right_write)))
        })
        .await
        .unwrap();
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn sockets_keep_the_contract() {
        check(|| async {
            let (left, right) = tokio::net::UnixStream::pair()?;
            let (left_read, left_write) = left.into_split();
            let (right_read, right_write) = right.into_split();
            Ok((stream(left_read, left_write), stream(right_read, right_write)))
        })
        .await
        .unwrap();
    }
}
