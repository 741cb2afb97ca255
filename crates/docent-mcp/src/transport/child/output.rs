//! The standard output of a child, which is read until the child is gone.
//!
//! A session that closes stops reading, but its server may still be answering. If the pipe closed
//! on it, it would be ended by SIGPIPE, or by an error that nobody expects, in the middle of
//! cleaning up. So when the session lets go of the output, the rest is read and thrown away.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::process::ChildStdout;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

const DISCARD_BYTES: usize = 8 << 10;

pub(super) struct Output {
    /// Taken when dropped.
    pipe: Option<ChildStdout>,
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
    pub(super) fn new(pipe: ChildStdout) -> (Self, Rest) {
        let rest = Rest(Arc::new(Mutex::new(State::Wanted)));
        (Output { pipe: Some(pipe), rest: rest.clone() }, rest)
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
        match &mut self.pipe {
            Some(pipe) => Pin::new(pipe).poll_read(context, buffer),
            None => Poll::Ready(Ok(())),
        }
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
