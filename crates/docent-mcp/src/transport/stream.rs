//! Newline framing over anything that reads and writes bytes: one message per line, as MCP's stdio
//! transport has it.

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{FrameReader, FrameWriter, Incoming, Transport};
use crate::jsonrpc::Salvage;
use crate::limits::Limits;

/// How much is read at once. Large enough that a busy peer costs few system calls, small enough
/// that an idle connection stays cheap.
const READ_BYTES: usize = 64 << 10;
/// A buffer that grew beyond this for one large message is given back afterwards.
const KEEP_BYTES: usize = 256 << 10;

/// A transport over a byte stream, with the default [`Limits`].
pub fn stream<R, W>(reader: R, writer: W) -> Transport
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    stream_with(reader, writer, &Limits::default())
}

/// A transport over a byte stream.
pub fn stream_with<R, W>(reader: R, writer: W, limits: &Limits) -> Transport
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    Transport::new(LineReader::new(reader, limits.message_bytes_max), LineWriter::new(writer))
}

/// Splits a byte stream into lines without ever holding more than one message.
struct LineReader<R> {
    source: R,
    buffer: BytesMut,
    /// How far `buffer` was searched for a newline already.
    searched: usize,
    message_bytes_max: usize,
    /// Set while an oversize message is being skipped.
    skipping: Option<Salvage>,
    ended: bool,
}

impl<R> LineReader<R> {
    fn new(source: R, message_bytes_max: usize) -> Self {
        LineReader {
            source,
            buffer: BytesMut::new(),
            searched: 0,
            message_bytes_max,
            skipping: None,
            ended: false,
        }
    }

    /// Moves every complete line out of the buffer.
    fn split_lines(&mut self, items: &mut Vec<Incoming>) {
        while let Some(at) = memchr::memchr(b'\n', &self.buffer[self.searched..]) {
            let line = self.buffer.split_to(self.searched + at + 1).freeze();
            self.searched = 0;
            self.take_line(line.slice(..line.len() - 1), items);
        }
        self.searched = self.buffer.len();
        if self.buffer.len() > self.message_bytes_max {
            self.skip_buffer();
        }
    }

    fn take_line(&mut self, line: Bytes, items: &mut Vec<Incoming>) {
        if let Some(mut salvage) = self.skipping.take() {
            salvage.feed(&line);
            items.push(self.oversize(salvage));
        } else if line.len() > self.message_bytes_max {
            let mut salvage = Salvage::default();
            salvage.feed(&line);
            items.push(self.oversize(salvage));
        } else if !line.trim_ascii().is_empty() {
            items.push(Incoming::Frame(line));
        }
    }

    /// Drops what was read of a message that is too long, keeping only what tells its id.
    fn skip_buffer(&mut self) {
        self.skipping.get_or_insert_default().feed(&self.buffer);
        self.buffer.clear();
        self.searched = 0;
    }

    fn oversize(&self, salvage: Salvage) -> Incoming {
        Incoming::Oversize { id: salvage.finish(), limit: self.message_bytes_max }
    }

    /// What was left without a newline when the input ended is a message too.
    fn take_rest(&mut self, items: &mut Vec<Incoming>) {
        let rest = std::mem::take(&mut self.buffer).freeze();
        if self.skipping.is_some() || !rest.is_empty() {
            self.take_line(rest, items);
        }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> FrameReader for LineReader<R> {
    async fn read(&mut self, items: &mut Vec<Incoming>) -> io::Result<()> {
        let before = items.len();
        while !self.ended && items.len() == before {
            if self.buffer.is_empty() && self.buffer.capacity() > KEEP_BYTES {
                self.buffer = BytesMut::new();
            }
            self.buffer.reserve(READ_BYTES);
            // `read_buf` is cancel safe: bytes are in our buffer or were not read at all.
            if self.source.read_buf(&mut self.buffer).await? == 0 {
                self.ended = true;
                self.take_rest(items);
            } else {
                self.split_lines(items);
            }
        }
        Ok(())
    }
}

/// Writes frames as lines, many with one system call.
struct LineWriter<W> {
    sink: W,
    buffer: Vec<u8>,
}

impl<W> LineWriter<W> {
    fn new(sink: W) -> Self {
        LineWriter { sink, buffer: Vec::new() }
    }
}

impl<W: AsyncWrite + Unpin + Send + 'static> FrameWriter for LineWriter<W> {
    async fn write(&mut self, frames: &mut Vec<Bytes>) -> io::Result<()> {
        for frame in frames.drain(..) {
            // A large frame is written from where it is instead of being copied.
            if frame.len() >= READ_BYTES {
                self.sink.write_all(&self.buffer).await?;
                self.buffer.clear();
                self.sink.write_all(&frame).await?;
            } else {
                self.buffer.extend_from_slice(&frame);
            }
            self.buffer.push(b'\n');
        }
        self.sink.write_all(&self.buffer).await?;
        self.buffer.clear();
        self.buffer.shrink_to(KEEP_BYTES);
        self.sink.flush().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.sink.flush().await?;
        self.sink.shutdown().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::{Id, MessageId};

    /// Feeds `input` in pieces of `piece` bytes and tells what comes out.
    async fn read_all(input: &[u8], piece: usize, limit: usize) -> Vec<String> {
        let (mut feeder, source) = tokio::io::duplex(64);
        let mut reader = LineReader::new(source, limit);
        let input = input.to_vec();
        let feed = tokio::spawn(async move {
            for piece in input.chunks(piece) {
                feeder.write_all(piece).await.unwrap();
            }
        });
        let mut seen = Vec::new();
        loop {
            let mut items = Vec::new();
            reader.read(&mut items).await.unwrap();
            if items.is_empty() {
                break;
            }
            seen.extend(items.into_iter().map(|item| match item {
                Incoming::Frame(frame) => String::from_utf8_lossy(&frame).into_owned(),
                Incoming::Oversize { id, .. } => format!("oversize {id:?}"),
                other => unreachable!("only HTTP brings {other:?}"),
            }));
        }
        feed.await.unwrap();
        seen
    }

    /// [BOTH-STDIO-01] lines may be split or run together; `\r\n`, blank lines and a last line
    /// without a newline are all fine.
    #[tokio::test]
    async fn frames_are_lines_however_they_arrive() {
        for piece in [1, 2, 3, 7, 1000] {
            let seen =
                read_all(b"{\"a\":1}\n\n  \n[2]\r\n{\"b\":\"\xe2\x80\xa8\"}", piece, 1000).await;
            assert_eq!(seen, ["{\"a\":1}", "[2]\r", "{\"b\":\"\u{2028}\"}"], "pieces of {piece}");
        }
    }

    #[tokio::test]
    async fn the_message_limit_is_exact_and_the_next_message_is_read() {
        let request = |size: usize| {
            let head = r#"{"jsonrpc":"2.0","method":"m","params":{"x":""#;
            let tail = r#""},"id":9}"#;
            format!("{head}{}{tail}", "x".repeat(size - head.len() - tail.len()))
        };
        for piece in [1, 50, 4096] {
            let input = format!("{}\n{}\n{{}}\n", request(500), request(501));
            let seen = read_all(input.as_bytes(), piece, 500).await;
            let skipped = format!("oversize {:?}", Some(MessageId::Request(Id::from(9))));
            let expected = [request(500), skipped, "{}".into()];
            assert_eq!(seen, expected, "pieces of {piece}");
        }
    }

    #[tokio::test]
    async fn an_endless_line_is_not_held_in_memory() {
        let (mut feeder, source) = tokio::io::duplex(1 << 16);
        let mut reader = LineReader::new(source, 1000);
        let feed = tokio::spawn(async move {
            for _ in 0..200 {
                feeder.write_all(&[b'x'; 100_000]).await.unwrap();
            }
        });
        let mut items = Vec::new();
        reader.read(&mut items).await.unwrap();
        assert!(matches!(items[..], [Incoming::Oversize { id: None, .. }]));
        assert!(reader.buffer.capacity() < 1 << 20);
        feed.await.unwrap();
    }
}
