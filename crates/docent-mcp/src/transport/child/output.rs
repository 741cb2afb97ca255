//! The standard output of a child, which ends when the child crashes and is read until it is gone.
//!
//! A session that closes stops reading, but its server may still be answering. If the pipe closed
//! on it, it would be ended by SIGPIPE, or by an error that nobody expects, in the middle of
//! cleaning up. So when the session lets go of the output, the rest is read and thrown away.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::{fmt, io};

use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::process::ChildStdout;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use super::crash::Crash;

const DISCARD_BYTES: usize = 8 << 10;

/// The standard output of a child.
pub struct Output {
    /// Taken when dropped.
    pipe: Option<ChildStdout>,
    /// None when it has happened.
    crash: Option<Crash>,
    rest: Rest,
}

/// What becomes of the output when the session no longer reads it.
#[derive(Clone)]
pub(super) struct Rest(Arc<Mutex<State>>);

enum State {
    Wanted,
    Discarding(AbortHandle),
    /// The child is gone: there is nobody to be polite to.
    Ended,
}

impl Output {
    pub(super) fn new(pipe: ChildStdout, crash: Crash) -> (Self, Rest) {
        let rest = Rest(Arc::new(Mutex::new(State::Wanted)));
        (Output { pipe: Some(pipe), crash: Some(crash), rest: rest.clone() }, rest)
    }
}

impl Rest {
    /// Stops reading what nobody wants, when the child has ended.
    pub(super) fn end(&self) {
        if let State::Discarding(task) = std::mem::replace(&mut *self.lock(), State::Ended) {
            task.abort();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsyncRead for Output {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let Some(pipe) = &mut this.pipe else { return Poll::Ready(Ok(())) };
        let read = Pin::new(&mut *pipe).poll_read(context, buffer);
        if read.is_ready() {
            return read;
        }
        if let Some(crash) = &mut this.crash {
            ready!(crash.as_mut().poll(context));
            this.crash = None;
        }
        read_now(pipe, buffer);
        Poll::Ready(Ok(()))
    }
}

/// Reads what the pipe holds at this moment, which is nothing at the end. After a crash the runtime
/// may not have heard yet of what was written last.
fn read_now(pipe: &ChildStdout, buffer: &mut ReadBuf<'_>) {
    #[cfg(unix)]
    if let Ok(read) = rustix::io::read(pipe, buffer.initialize_unfilled()) {
        buffer.advance(read);
    }
    // Elsewhere crashes are not noticed.
    #[cfg(not(unix))]
    let _ = (pipe, buffer);
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").finish_non_exhaustive()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        let mut state = self.rest.lock();
        if let (Some(pipe), State::Wanted, Ok(runtime)) =
            (self.pipe.take(), &*state, Handle::try_current())
        {
            *state = State::Discarding(runtime.spawn(discard(pipe)).abort_handle());
        }
    }
}

async fn discard(mut pipe: ChildStdout) {
    let mut buffer = vec![0; DISCARD_BYTES];
    while let Ok(1..) = pipe.read(&mut buffer).await {}
}
