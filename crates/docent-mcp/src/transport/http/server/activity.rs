//! A connection under watch: whoever keeps us waiting is cut off.
//!
//! Between requests a client may be silent for a while; once it begins a request it has to finish
//! its head soon; and it has to read what it asked for. The library below has a time for heads
//! only, and counts the silence between two requests as part of it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::limits::HttpLimits;

/// How much a client that has kept us waiting has to read, unless that is all there is, before its
/// time begins anew: a byte now and then is no reading.
const STRIDE: usize = 64 << 10;

/// What is going on behind a connection.
#[derive(Default)]
pub(super) struct Activity {
    /// Requests whose answer is not written yet.
    open: AtomicUsize,
    /// Requests that were ever begun.
    begun: AtomicUsize,
}

/// Keeps a connection busy until the answer is written.
pub(super) struct Busy(Arc<Activity>);

impl Activity {
    pub(super) fn enter(self: &Arc<Self>) -> Busy {
        self.open.fetch_add(1, Ordering::AcqRel);
        self.begun.fetch_add(1, Ordering::AcqRel);
        Busy(self.clone())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A connection whose other side has to keep going.
pub(super) struct Watched<S> {
    io: S,
    activity: Arc<Activity>,
    limits: HttpLimits,
    reading: Reading,
    /// When the client must have read on, once it has kept us waiting.
    write_due: Option<Instant>,
    /// What it has read since then.
    written: usize,
    timer: Option<Pin<Box<Sleep>>>,
}

/// What is being waited for from a client with no request open.
struct Reading {
    due: Instant,
    /// How many requests there were when the wait began.
    begun: usize,
    /// Whether part of a head has come. The first request of a connection is due from the start.
    head: bool,
    /// HTTP/2 has frames of its own between requests, which are no heads.
    framed: bool,
    fresh: bool,
}

impl<S> Watched<S> {
    pub(super) fn new(io: S, activity: Arc<Activity>, limits: HttpLimits) -> Self {
        let due = Instant::now() + limits.header_timeout;
        let reading = Reading { due, begun: 0, head: true, framed: false, fresh: true };
        Watched { io, activity, limits, reading, write_due: None, written: 0, timer: None }
    }

    /// When the client must have sent something; `None` while it waits for us.
    fn read_due(&mut self) -> Option<Instant> {
        if self.activity.open.load(Ordering::Acquire) > 0 {
            return None;
        }
        let begun = self.activity.begun.load(Ordering::Acquire);
        if begun != self.reading.begun {
            let due = Instant::now() + self.limits.idle_timeout;
            self.reading = Reading { due, begun, head: false, ..self.reading };
        }
        Some(self.reading.due)
    }

    /// Notes that something was read, and whether it looks like the beginning of HTTP/2.
    fn saw(&mut self, framed: bool) {
        if std::mem::take(&mut self.reading.fresh) {
            self.reading.framed = framed;
        }
        if self.read_due().is_some() && !self.reading.head && !self.reading.framed {
            self.reading.head = true;
            self.reading.due = Instant::now() + self.limits.header_timeout;
        }
    }

    /// Whether it is too late for `due`; wakes the task when it will be.
    fn is_late(&mut self, due: Instant, cx: &mut Context<'_>) -> bool {
        // The other direction may be due earlier: the task looks at both whenever it wakes.
        let next = self.write_due.map_or(due, |write| write.min(due));
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(next)));
        if timer.deadline() != next {
            timer.as_mut().reset(next);
        }
        timer.as_mut().poll(cx).is_ready() && Instant::now() >= due
    }

    /// Notes what was written.
    fn wrote(
        &mut self,
        result: Poll<io::Result<usize>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(length)) = &result {
            self.written = self.written.saturating_add(*length);
            if self.written < STRIDE {
                return result;
            }
        }
        self.waited(result, cx)
    }

    /// Passes on what came of waiting for the client, unless it does not read.
    fn waited<T>(
        &mut self,
        result: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.write_due = None;
            return result;
        }
        if self.write_due.is_none() {
            self.written = 0;
        }
        let patience = self.limits.write_timeout;
        let due = *self.write_due.get_or_insert_with(|| Instant::now() + patience);
        match self.is_late(due, cx) {
            true => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            false => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let result = Pin::new(&mut self.io).poll_read(cx, buf);
        if result.is_ready() {
            let framed = buf.filled()[before..].starts_with(b"PRI ");
            self.saw(framed);
            return result;
        }
        match self.read_due() {
            Some(due) if self.is_late(due, cx) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            _ => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.io).poll_write(cx, buf);
        self.wrote(result, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.io).poll_write_vectored(cx, bufs);
        self.wrote(result, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.io).poll_flush(cx);
        self.waited(result, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.io).poll_shutdown(cx);
        self.waited(result, cx)
    }
}
