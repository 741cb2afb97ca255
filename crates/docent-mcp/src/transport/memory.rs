//! Both ends of a connection in one program.

use std::io;

use bytes::Bytes;
use tokio::sync::mpsc;

use super::{FrameReader, FrameWriter, Incoming, Transport};

/// Frames that may be on their way at once, so that a fast side feels a slow one.
const FRAMES_IN_TRANSIT: usize = 64;

/// Two transports, each the other's peer.
pub fn memory() -> (Transport, Transport) {
    let (left_tx, left_rx) = mpsc::channel(FRAMES_IN_TRANSIT);
    let (right_tx, right_rx) = mpsc::channel(FRAMES_IN_TRANSIT);
    (
        Transport::new(ChannelReader(right_rx), ChannelWriter(Some(left_tx))),
        Transport::new(ChannelReader(left_rx), ChannelWriter(Some(right_tx))),
    )
}

struct ChannelReader(mpsc::Receiver<Bytes>);

impl FrameReader for ChannelReader {
    async fn read(&mut self, items: &mut Vec<Incoming>) -> io::Result<()> {
        items.extend(self.0.recv().await.map(Incoming::Frame));
        while let Ok(frame) = self.0.try_recv() {
            items.push(Incoming::Frame(frame));
        }
        Ok(())
    }
}

struct ChannelWriter(Option<mpsc::Sender<Bytes>>);

impl FrameWriter for ChannelWriter {
    async fn write(&mut self, frames: &mut Vec<Bytes>) -> io::Result<()> {
        let channel = self.0.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        for frame in frames.drain(..) {
            channel.send(frame).await.map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(())
    }

    async fn close(&mut self) -> io::Result<()> {
        self.0 = None;
        Ok(())
    }
}
