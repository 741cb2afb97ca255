//! The standard input of a child, which two owners may close.
//!
//! The session writes to it and closes it when there is nothing more to say. The process behind the
//! transport closes it too, so that a child is told to go even while a write waits for it to read.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::{fmt, io};

use tokio::io::AsyncWrite;
use tokio::process::ChildStdin;

/// The standard input of a child.
#[derive(Clone)]
pub struct Input(Arc<Mutex<Shared>>);

struct Shared {
    /// Gone when closed: for a pipe, dropping it is the one way to tell its reader.
    pipe: Option<ChildStdin>,
    /// Who waits for room in the pipe. The runtime forgets them with the pipe, so we may not.
    waiting: Option<Waker>,
}

impl Input {
    pub(super) fn new(pipe: ChildStdin) -> Self {
        Input(Arc::new(Mutex::new(Shared { pipe: Some(pipe), waiting: None })))
    }

    /// Closes the pipe; a write that waits fails.
    pub(super) fn close(&self) {
        let mut shared = self.lock();
        let pipe = shared.pipe.take();
        let waiting = shared.waiting.take();
        // Woken without the lock, in case that runs the writer at once.
        drop(shared);
        drop(pipe);
        if let Some(waker) = waiting {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll(
        &self,
        context: &mut Context<'_>,
        poll: impl FnOnce(Pin<&mut ChildStdin>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let mut shared = self.lock();
        let Some(pipe) = &mut shared.pipe else {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        };
        let result = poll(Pin::new(pipe), context);
        shared.waiting = result.is_pending().then(|| context.waker().clone());
        result
    }
}

impl AsyncWrite for Input {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll(context, |pipe, context| pipe.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(context, |pipe, context| pipe.poll_flush(context).map_ok(|()| 0)).map_ok(|_| ())
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.close();
        Poll::Ready(Ok(()))
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").finish_non_exhaustive()
    }
}
